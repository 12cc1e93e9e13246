/* ktrc-have: INODE_GET_CTIME | since: 6.6 | why: i_ctime became private | drop-when: floor >= 6.6 */
#include <linux/fs.h>

struct timespec64 probe(const struct inode *inode);
struct timespec64 probe(const struct inode *inode)
{
	return inode_get_ctime(inode);
}
