/* ktrc-have: ASM_TRACE_EXCEPTIONS | until: 6.12 | why: x86's own header of the page fault tracepoints | drop-when: floor > 6.12 */
#include <asm/trace/exceptions.h>

const void *probe(void);
const void *probe(void)
{
	return check_trace_callback_type_page_fault_user;
}
