/* ktrc-have: DO_MMAP_VM_FLAGS | since: 6.6 | why: do_mmap takes flags of the mapping | drop-when: floor >= 6.6 */
#include <linux/mm.h>

unsigned long probe(void);
unsigned long probe(void)
{
	return do_mmap(NULL, 0, 0, 0, 0, VM_READ, 0, NULL, NULL);
}
