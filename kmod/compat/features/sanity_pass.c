/* must compile with the flags of any kernel */
#include <linux/mm.h>

unsigned long probe(struct vm_area_struct *vma);
unsigned long probe(struct vm_area_struct *vma)
{
	return vma->vm_start;
}
