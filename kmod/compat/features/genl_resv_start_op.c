/* ktrc-have: GENL_RESV_START_OP | since: 6.1 | why: headers are checked only if asked | drop-when: floor >= 6.1 */
#include <net/genetlink.h>

unsigned int probe(const struct genl_family *family);
unsigned int probe(const struct genl_family *family)
{
	return family->resv_start_op;
}
