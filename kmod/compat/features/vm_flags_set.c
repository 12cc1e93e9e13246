/* ktrc-have: VM_FLAGS_SET | since: 6.3 | why: vm_flags became read-only | drop-when: floor >= 6.3 */
#include <linux/mm.h>

void probe(struct vm_area_struct *vma);
void probe(struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_DONTCOPY);
}
