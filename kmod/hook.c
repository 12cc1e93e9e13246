// SPDX-License-Identifier: GPL-2.0
/*
 * Attach and detach.  After a detach the caller has the functions' probes removed and waits
 * for probes that still run (attach.c does, once for all hooks).
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "hook.h"

/*
 * Calls of a function that may be in flight at once.  One beyond is missed and
 * counted: faults that sleep for I/O or in userfaultfd hold theirs.
 */
static unsigned int max_in_flight = 4096;
module_param(max_in_flight, uint, 0444);
MODULE_PARM_DESC(max_in_flight, "calls of a hooked function that may sleep at once (default 4096)");

struct search {
	const char *name;
	struct tracepoint *found;
};

static void match_tracepoint(struct tracepoint *tp, void *data)
{
	struct search *s = data;

	if (!strcmp(tp->name, s->name))
		s->found = tp;
}

static struct tracepoint *find_tracepoint(const char *name)
{
	struct search s = { .name = name };

	for_each_kernel_tracepoint(match_tracepoint, &s);
	return s.found;
}

/**
 * ktrc_tracepoint_check() - does this kernel have the tracepoint
 * @name: its name
 *
 * Return: 0 or -ENOENT
 */
int ktrc_tracepoint_check(const char *name)
{
	return find_tracepoint(name) ? 0 : -ENOENT;
}

/* whether @probe is among those to call there, and the tracepoint is switched on */
static bool is_called(struct tracepoint *tp, const void *probe)
{
	const struct tracepoint_func *func;
	bool is_found = false;

	rcu_read_lock();
	for (func = rcu_dereference_raw(tp->funcs); func && func->func; func++)
		is_found |= func->func == probe;
	rcu_read_unlock();
	return is_found && static_key_enabled(&tp->key);
}

/**
 * ktrc_tracepoint_attach() - call @probe at the tracepoint from now on
 * @t: the tracepoint
 * @probe: its signature is checked where it is defined, with
 *	check_trace_callback_type_<name>()
 *
 * Return: 0 or a negative error
 */
int ktrc_tracepoint_attach(struct ktrc_tracepoint *t, void *probe)
{
	struct tracepoint *tp = find_tracepoint(t->name);
	int err;

	if (!tp)
		return -ENOENT;
	err = tracepoint_probe_register(tp, probe, NULL);
	if (err)
		return err;
	t->tp = tp;
	t->probe = probe;
	if (is_called(tp, probe))
		return 0;
	ktrc_tracepoint_detach(t);
	return -EIO;
}

/**
 * ktrc_tracepoint_detach() - undo ktrc_tracepoint_attach(); nothing if not attached
 * @t: the tracepoint
 */
void ktrc_tracepoint_detach(struct ktrc_tracepoint *t)
{
	if (t->tp)
		tracepoint_probe_unregister(t->tp, t->probe, NULL);
	t->tp = NULL;
}

/**
 * ktrc_points_check() - does this kernel have all of these tracepoints
 * @points: the tracepoints
 * @nr: their number
 *
 * Return: 0 or -ENOENT
 */
int ktrc_points_check(const struct ktrc_point *points, size_t nr)
{
	size_t i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = ktrc_tracepoint_check(points[i].hook.name);
	return err;
}

/**
 * ktrc_points_attach() - attach to all of these tracepoints, or none, in their order
 * @points: the tracepoints
 * @nr: their number
 *
 * Return: 0 or a negative error
 */
int ktrc_points_attach(struct ktrc_point *points, size_t nr)
{
	size_t i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = ktrc_tracepoint_attach(&points[i].hook, points[i].callback);
	if (err)
		ktrc_points_detach(points, nr);
	return err;
}

/**
 * ktrc_points_detach() - undo ktrc_points_attach(), backwards
 * @points: the tracepoints
 * @nr: their number
 */
void ktrc_points_detach(struct ktrc_point *points, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		ktrc_tracepoint_detach(&points[nr - 1 - i].hook);
}

/*
 * Probes to take away, all at once: the kernel waits for RCU once for so many of a kind.  Under
 * ktrc_control, as all of this file.
 */
#define BATCH 16

static struct {
	struct kretprobe *functions[BATCH];
	struct kprobe *entries[BATCH];
	int nr_functions;
	int nr_entries;
} leaving;

static void remove_leaving(struct work_struct *work)
{
	unregister_kretprobes(leaving.functions, leaving.nr_functions);
	unregister_kprobes(leaving.entries, leaving.nr_entries);
	leaving.nr_functions = 0;
	leaving.nr_entries = 0;
}

static DECLARE_WORK(removal, remove_leaving);

/**
 * ktrc_hooks_remove() - take away the functions' probes that were detached
 *
 * To disarm a probe the kernel allocates; where it gets nothing it warns, and goes on calling
 * what the module takes with it.  So little is refused to a task only that the kernel kills for
 * memory, which may be the one whose session ends by that: a worker does it.
 */
void ktrc_hooks_remove(void)
{
	if (!leaving.nr_functions && !leaving.nr_entries)
		return;
	queue_work(system_unbound_wq, &removal);
	flush_work(&removal);
}

/*
 * The kernel takes probes that it then does not call, all of them at once, while kprobes are switched
 * off.  The code at a function does not tell: another tracer may have the same call there.  So one
 * is on a function of ours as long as any is on one of the kernel's, on its return: that it
 * goes with the others, and tells of both.
 */
static struct {
	struct kretprobe rp;
	bool is_there;
	u32 nr_attached; /* functions and entries */
} canary;

/* not static: kprobes want its symbol, of a module that is stripped as well */
noinline void ktrc_canary(void)
{
	barrier();
}

static int raise_canary(void)
{
	int err;

	memset(&canary.rp, 0, sizeof(canary.rp));
	canary.rp.kp.addr = (kprobe_opcode_t *)ktrc_canary;
	canary.rp.handler = ktrc_canary_handler;
	canary.rp.maxactive = 1;
	err = register_kretprobe(&canary.rp);
	canary.is_there = !err;
	return err;
}

/* of a function that is attached: does the kernel call its probe */
static int armed(const void *address)
{
	u32 heard = ktrc_canary_heard();
	int err = canary.is_there ? 0 : raise_canary();

	if (err)
		return err;
	ktrc_canary();
	return ktrc_arch_is_patched(address) && ktrc_canary_heard() != heard ? 0 : -ESHUTDOWN;
}

static void leave_function(struct kretprobe *rp)
{
	if (leaving.nr_functions == BATCH)
		ktrc_hooks_remove();
	leaving.functions[leaving.nr_functions++] = rp;
}

static void one_detached(void)
{
	if (--canary.nr_attached || !canary.is_there)
		return;
	leave_function(&canary.rp);
	canary.is_there = false;
}

/**
 * ktrc_function_check() - would the kernel let us attach
 * @f: the function
 *
 * The first time registers a probe that is never armed; what the kernel allows in its own
 * functions does not change, and to take the probe away takes an RCU grace period.
 * Return: 0 or a negative error, see ktrc_hook_reason().
 */
int ktrc_function_check(struct ktrc_function *f)
{
	struct kretprobe *rp;
	int err;

	if (f->is_attached) /* a second probe would make the first one dearer */
		return armed(f->rp.kp.addr);
	if (f->is_known)
		return 0;
	rp = kzalloc(sizeof(*rp), GFP_KERNEL | __GFP_NOWARN);
	if (!rp)
		return -ENOMEM;
	rp->kp.symbol_name = f->symbol;
	rp->kp.flags = KPROBE_FLAG_DISABLED;
	rp->handler = f->on_exit;
	rp->maxactive = 1;
	err = register_kretprobe(rp);
	if (!err)
		unregister_kretprobe(rp);
	f->is_known = !err;
	kfree(rp);
	return err;
}

/**
 * ktrc_function_attach() - call the handlers of @f from now on
 * @f: the function
 *
 * Return: 0 or a negative error, see ktrc_hook_reason().
 */
int ktrc_function_attach(struct ktrc_function *f)
{
	int err;

	memset(&f->rp, 0, sizeof(f->rp));
	f->rp.kp.symbol_name = f->symbol;
	f->rp.entry_handler = f->on_entry;
	f->rp.handler = f->on_exit;
	f->rp.data_size = f->entry_bytes;
	f->rp.maxactive = clamp(max_in_flight, 1u, 65536u);
	err = register_kretprobe(&f->rp);
	if (err)
		return err;
	f->is_attached = true;
	canary.nr_attached++;
	err = armed(f->rp.kp.addr);
	if (err)
		ktrc_function_detach(f);
	return err;
}

/**
 * ktrc_function_detach() - undo ktrc_function_attach(); nothing if not attached
 * @f: the function
 *
 * Its handlers may still be called until ktrc_hooks_remove(), which comes before the next attach.
 * Tasks inside the function return through the kernel's own code, not ours.
 */
void ktrc_function_detach(struct ktrc_function *f)
{
	if (!f->is_attached)
		return;
	leave_function(&f->rp);
	f->is_attached = false;
	one_detached();
}

/**
 * ktrc_function_missed() - calls since the last attach that the kernel did not report
 * @f: the function
 */
u64 ktrc_function_missed(const struct ktrc_function *f)
{
	return (u64)(u32)READ_ONCE(f->rp.nmissed) + READ_ONCE(f->rp.kp.nmissed);
}

/**
 * ktrc_functions_check() - would the kernel let us attach to all that it needs to have
 * @functions: the functions
 * @nr: their number
 *
 * Return: as ktrc_function_check(), of the first that it would not
 */
int ktrc_functions_check(struct ktrc_function *functions, size_t nr)
{
	int err = 0;
	size_t i;

	for (i = 0; i < nr && !err; i++)
		if (!functions[i].is_optional)
			err = ktrc_function_check(&functions[i]);
	return err;
}

/**
 * ktrc_functions_attach() - attach to all that the kernel has, or to none
 * @functions: the functions
 * @nr: their number
 *
 * Return: as ktrc_function_attach()
 */
int ktrc_functions_attach(struct ktrc_function *functions, size_t nr)
{
	int err = 0;
	size_t i;

	for (i = 0; i < nr && !err; i++) {
		err = ktrc_function_attach(&functions[i]);
		if (err == -ENOENT && functions[i].is_optional)
			err = 0;
	}
	if (err)
		ktrc_functions_detach(functions, nr);
	return err;
}

/**
 * ktrc_functions_detach() - undo ktrc_functions_attach()
 * @functions: the functions
 * @nr: their number
 */
void ktrc_functions_detach(struct ktrc_function *functions, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		ktrc_function_detach(&functions[i]);
}

/**
 * ktrc_functions_missed() - as ktrc_function_missed(), of all of them
 * @functions: the functions
 * @nr: their number
 */
u64 ktrc_functions_missed(const struct ktrc_function *functions, size_t nr)
{
	u64 missed = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		missed += ktrc_function_missed(&functions[i]);
	return missed;
}

/**
 * ktrc_entry_check() - would the kernel let us attach; as ktrc_function_check()
 * @e: the function
 *
 * Return: 0 or a negative error, see ktrc_hook_reason().
 */
int ktrc_entry_check(struct ktrc_entry *e)
{
	struct kprobe *kp;
	int err;

	if (e->is_attached)
		return armed(e->kp.addr);
	if (e->is_known)
		return 0;
	kp = kzalloc(sizeof(*kp), GFP_KERNEL | __GFP_NOWARN);
	if (!kp)
		return -ENOMEM;
	kp->symbol_name = e->symbol;
	kp->flags = KPROBE_FLAG_DISABLED;
	err = register_kprobe(kp);
	if (!err)
		unregister_kprobe(kp);
	e->is_known = !err;
	kfree(kp);
	return err;
}

/**
 * ktrc_entry_attach() - call the handler of @e from now on
 * @e: the function
 *
 * Return: 0 or a negative error, see ktrc_hook_reason().
 */
int ktrc_entry_attach(struct ktrc_entry *e)
{
	int err;

	memset(&e->kp, 0, sizeof(e->kp));
	e->kp.symbol_name = e->symbol;
	e->kp.pre_handler = e->on_entry;
	err = register_kprobe(&e->kp);
	if (err)
		return err;
	e->is_attached = true;
	canary.nr_attached++;
	err = armed(e->kp.addr);
	if (err)
		ktrc_entry_detach(e);
	return err;
}

/**
 * ktrc_entry_detach() - undo ktrc_entry_attach(); nothing if not attached
 * @e: the function
 *
 * Its handler may still be called until ktrc_hooks_remove(), which comes before the next attach.
 */
void ktrc_entry_detach(struct ktrc_entry *e)
{
	if (!e->is_attached)
		return;
	if (leaving.nr_entries == BATCH)
		ktrc_hooks_remove();
	leaving.entries[leaving.nr_entries++] = &e->kp;
	e->is_attached = false;
	one_detached();
}

/**
 * ktrc_entry_missed() - calls since the last attach that the kernel did not report
 * @e: the function
 */
u64 ktrc_entry_missed(const struct ktrc_entry *e)
{
	return READ_ONCE(e->kp.nmissed);
}

/* where a function is traced; the kernel tells who registers a probe there */
static int find_call(const char *symbol, unsigned long *ip)
{
	struct kprobe *kp = kzalloc(sizeof(*kp), GFP_KERNEL | __GFP_NOWARN);
	int err;

	if (!kp)
		return -ENOMEM;
	kp->symbol_name = symbol;
	kp->flags = KPROBE_FLAG_DISABLED;
	err = register_kprobe(kp);
	if (!err) {
		err = kp->flags & KPROBE_FLAG_FTRACE ? 0 : -EINVAL;
		*ip = err ? 0 : (unsigned long)kp->addr;
		unregister_kprobe(kp);
	}
	kfree(kp);
	return err;
}

/**
 * ktrc_calls_check() - would the kernel let us attach; as ktrc_function_check()
 * @c: the functions
 *
 * Return: 0 or a negative error, see ktrc_hook_reason().
 */
int ktrc_calls_check(struct ktrc_calls *c)
{
	u32 i;
	int err = 0;

	for (i = 0; i < c->nr && !err; i++) {
		if (c->is_attached)
			err = ktrc_arch_is_patched((void *)c->ip[i]) ? 0 : -ESHUTDOWN;
		else if (!c->ip[i])
			err = find_call(c->symbol[i], &c->ip[i]);
	}
	return err;
}

/**
 * ktrc_calls_attach() - call the handler of @c from now on
 * @c: the functions
 *
 * Return: 0 or a negative error, see ktrc_hook_reason().
 */
int ktrc_calls_attach(struct ktrc_calls *c)
{
	int err = c->is_attached ? -EBUSY : ktrc_calls_check(c);
	u32 i;

	if (err)
		return err;
	memset(&c->ops, 0, sizeof(c->ops));
	c->ops.func = c->on_entry;
	/* with no function in its filter it would be called at each of the kernel's */
	for (i = 0; i < c->nr && !err; i++)
		err = ftrace_set_filter_ip(&c->ops, c->ip[i], 0, !i);
	if (!err)
		err = register_ftrace_function(&c->ops);
	if (err) {
		ftrace_free_filter(&c->ops);
		return err;
	}
	c->is_attached = true;
	err = ktrc_calls_check(c);
	if (err)
		ktrc_calls_detach(c);
	return err;
}

/**
 * ktrc_calls_detach() - undo ktrc_calls_attach(); nothing if not attached
 * @c: the functions
 */
void ktrc_calls_detach(struct ktrc_calls *c)
{
	if (!c->is_attached)
		return;
	if (unregister_ftrace_function(&c->ops)) {
		/* a function tracer that has broken down may call us for ever */
		__module_get(THIS_MODULE);
		return;
	}
	ftrace_free_filter(&c->ops);
	c->is_attached = false;
}

/**
 * ktrc_hook_reason() - why a hook is not available, in words
 * @error: what check or attach returned
 */
const char *ktrc_hook_reason(int error)
{
	switch (error) {
	case -ENOENT:
		return "this kernel has no such hook (absent or inlined)";
	case -EINVAL:
		return "the kernel does not allow probes there";
	case -ESHUTDOWN:
		return "kprobes are switched off: kernel.ftrace_enabled or debugfs kprobes/enabled";
	case -EOPNOTSUPP:
		return "the kernel is built without kretprobes";
	case -ENOMEM:
		return "not enough memory for the hook";
	case -EIO:
		return "the hook is attached, but does not fire";
	default:
		return "the kernel refused the hook";
	}
}
