/* ktrc-have: VMA_ITERATOR | since: 6.1 | why: a tree took the place of the list | drop-when: floor >= 6.1 */
#include <linux/mm.h>

struct vm_area_struct *probe(struct mm_struct *mm);
struct vm_area_struct *probe(struct mm_struct *mm)
{
	VMA_ITERATOR(vmi, mm, 0);
	return vma_next(&vmi);
}
