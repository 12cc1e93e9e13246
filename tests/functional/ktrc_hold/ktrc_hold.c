// SPDX-License-Identifier: GPL-2.0
/*
 * Test module: a task that bears a function's name, as far as a task's name goes, is held where
 * it enters that function until it is killed.  The function's probes have been called by then,
 * and have changed where it returns to.  Whoever writes a reason to `throttle` enters reclaim_throttle
 * with it: no load gets there each time, as the kernel may be out of memory first.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/wait.h>

#define MOST 32

static char *symbols[MOST];
static int nr_symbols;
module_param_array(symbols, charp, &nr_symbols, 0444);

static unsigned long entries[MOST]; /* where each calls its tracers */
static struct ftrace_ops
	held; /* all of them: given back one by one the kernel keeps a bit of memory of each */
static atomic_t nr_inside;
static DECLARE_WAIT_QUEUE_HEAD(for_ever);

void ktrc_hold_entry(void);
void ktrc_hold(unsigned long return_address);

/* called in place of the function's tracers, with its arguments, and goes on in its body */
asm(".pushsection .text, \"ax\", @progbits\n"
    ".type ktrc_hold_entry, @function\n"
    "ktrc_hold_entry:\n"
    "	pushq %rbp\n"
    "	movq %rsp, %rbp\n"
    "	pushq %rdi\n"
    "	pushq %rsi\n"
    "	pushq %rdx\n"
    "	pushq %rcx\n"
    "	pushq %r8\n"
    "	pushq %r9\n"
    "	movq 8(%rbp), %rdi\n"
    "	call ktrc_hold\n"
    "	popq %r9\n"
    "	popq %r8\n"
    "	popq %rcx\n"
    "	popq %rdx\n"
    "	popq %rsi\n"
    "	popq %rdi\n"
    "	leave\n" ASM_RET ".size ktrc_hold_entry, . - ktrc_hold_entry\n"
    ".popsection\n");

static bool bears_name_of(unsigned long return_address)
{
	int i;

	for (i = 0; i < nr_symbols; i++) {
		if (return_address - MCOUNT_INSN_SIZE == entries[i])
			return !strncmp(current->comm, symbols[i], TASK_COMM_LEN - 1);
	}
	return false;
}

noinline void ktrc_hold(unsigned long return_address)
{
	/* who has been killed takes no other kill: its last faults may enter a function again */
	if (!bears_name_of(return_address) || current->flags & PF_EXITING)
		return;
	atomic_inc(&nr_inside);
	wait_event_killable(for_ever, false);
	atomic_dec(&nr_inside);
}

/* the kernel tells where who registers a probe there */
static unsigned long find_entry(const char *symbol)
{
	struct kprobe kp = { .symbol_name = symbol, .flags = KPROBE_FLAG_DISABLED };
	unsigned long ip;

	if (register_kprobe(&kp))
		return 0;
	ip = kp.flags & KPROBE_FLAG_FTRACE ? (unsigned long)kp.addr : 0;
	unregister_kprobe(&kp);
	return ip;
}

static int hold(void)
{
	int i, err = 0;

	for (i = 0; i < nr_symbols && !err; i++) {
		entries[i] = find_entry(symbols[i]);
		err = entries[i] ? ftrace_set_filter_ip(&held, entries[i], 0, 0) : -ENOENT;
	}
	if (err || !nr_symbols)
		return err;
	return register_ftrace_direct_multi(&held, (unsigned long)ktrc_hold_entry);
}

static const char *const reasons[] = {
	[VMSCAN_THROTTLE_WRITEBACK] = "writeback",
	[VMSCAN_THROTTLE_ISOLATED] = "isolated",
	[VMSCAN_THROTTLE_NOPROGRESS] = "noprogress",
	[VMSCAN_THROTTLE_CONGESTED] = "congested",
};

static int throttle(const char *value, const struct kernel_param *param)
{
	unsigned long entry = find_entry("reclaim_throttle");
	int reason = sysfs_match_string(reasons, value);

	if (reason < 0)
		return reason;
	if (!entry)
		return -ENOENT;
	((void (*)(struct pglist_data *, enum vmscan_throttle_state))entry)(NODE_DATA(0), reason);
	return 0;
}

static const struct kernel_param_ops throttle_ops = { .set = throttle };
module_param_cb(throttle, &throttle_ops, NULL, 0200);

static int __init hold_init(void)
{
	int err = hold();

	if (err)
		ftrace_free_filter(&held);
	return err;
}

static void __exit hold_exit(void)
{
	if (nr_symbols)
		unregister_ftrace_direct_multi(&held, (unsigned long)ktrc_hold_entry);
	while (atomic_read(&nr_inside))
		msleep(10);
	synchronize_rcu_tasks();
	ftrace_free_filter(&held);
}

module_init(hold_init);
module_exit(hold_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ktrc test: tasks that stay inside a function");
