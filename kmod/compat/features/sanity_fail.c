/* must not compile: no kernel has this function */
#include <linux/mm.h>

void probe(struct vm_area_struct *vma);
void probe(struct vm_area_struct *vma)
{
	ktrc_no_such_function(vma);
}
