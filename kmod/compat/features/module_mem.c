/* ktrc-have: MODULE_MEM | since: 6.4 | why: a module's parts became an array | drop-when: floor >= 6.4 */
#include <linux/module.h>

unsigned long text_bytes(const struct module *module);
unsigned long text_bytes(const struct module *module)
{
	return module->mem[MOD_TEXT].size;
}
