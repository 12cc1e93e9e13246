/* ktrc-have: FILE_F_COUNT | until: 6.12 | why: f_count became a file_ref_t | drop-when: floor >= 6.13 */
#include <linux/fs.h>

bool probe(struct file *file);
bool probe(struct file *file)
{
	return atomic_long_add_unless(&file->f_count, -1, 1);
}
