/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attaching to the kernel by name: tracepoints, and entry and exit of functions.
 * Process context, under the control lock of session.c.
 */
#ifndef KTRC_HOOK_H
#define KTRC_HOOK_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/tracepoint.h>

#define KTRC_MAX_CALLS 8

/**
 * struct ktrc_tracepoint - a tracepoint to attach to
 * @name: its name
 * @tp: private; attached: where
 * @probe: private; attached: what; its first argument is NULL
 */
struct ktrc_tracepoint {
	const char *name;
	struct tracepoint *tp;
	void *probe;
};

/**
 * struct ktrc_point - a tracepoint and what to call there, in a list of them
 * @hook: the tracepoint
 * @callback: the probe for ktrc_tracepoint_attach()
 */
struct ktrc_point {
	struct ktrc_tracepoint hook;
	void *callback;
};

#define KTRC_POINT(tracepoint, probe)                                \
	{                                                            \
		.hook = { .name = #tracepoint }, .callback = (probe) \
	}

/**
 * struct ktrc_function - a function whose entry and exit to attach to
 * @symbol: its name
 * @on_entry: called at entry; not zero: do not call @on_exit
 * @on_exit: called at exit
 * @entry_bytes: kept from entry to exit, in the instance's data
 * @is_optional: of several, a kernel need not have it
 * @rp: private
 * @is_attached: private
 * @is_known: private; the kernel has taken a probe there
 */
struct ktrc_function {
	const char *symbol;
	kretprobe_handler_t on_entry;
	kretprobe_handler_t on_exit;
	size_t entry_bytes;
	bool is_optional;
	struct kretprobe rp;
	bool is_attached;
	bool is_known;
};

/**
 * struct ktrc_entry - a function whose entry to attach to
 * @symbol: its name
 * @on_entry: called there; returns 0
 * @kp: private
 * @is_attached: private
 * @is_known: private; the kernel has taken a probe there
 */
struct ktrc_entry {
	const char *symbol;
	kprobe_pre_handler_t on_entry;
	struct kprobe kp;
	bool is_attached;
	bool is_known;
};

/**
 * struct ktrc_calls - functions whose entries to attach to, all at once
 * @symbol: their names
 * @nr: how many
 * @on_entry: called at each entry, with interrupts as they are there
 * @ip: private; where each of them is traced, or 0: not known yet
 * @ops: private
 * @is_attached: private
 *
 * By the function tracer: a call is seen also where it interrupts another hook, which a
 * kprobe misses.  Detaching waits until every task has left the tracer's code.
 */
struct ktrc_calls {
	const char *const *symbol;
	u32 nr;
	ftrace_func_t on_entry;
	unsigned long ip[KTRC_MAX_CALLS];
	struct ftrace_ops ops;
	bool is_attached;
};

void ktrc_canary(void);

/* probe_canary.c */
extern const kretprobe_handler_t ktrc_canary_handler;
u32 ktrc_canary_heard(void);

int ktrc_tracepoint_check(const char *name);
int ktrc_tracepoint_attach(struct ktrc_tracepoint *t, void *probe);
void ktrc_tracepoint_detach(struct ktrc_tracepoint *t);

int ktrc_points_check(const struct ktrc_point *points, size_t nr);
int ktrc_points_attach(struct ktrc_point *points, size_t nr);
void ktrc_points_detach(struct ktrc_point *points, size_t nr);

int ktrc_function_check(struct ktrc_function *f);
int ktrc_function_attach(struct ktrc_function *f);
void ktrc_function_detach(struct ktrc_function *f);
u64 ktrc_function_missed(const struct ktrc_function *f);

/* members of a struct ktrc_function; a @type is kept from entry to exit */
#define KTRC_FUNCTION(function, entry, exit, type) \
	.symbol = (function), .on_entry = (entry), .on_exit = (exit), .entry_bytes = sizeof(type)

int ktrc_functions_check(struct ktrc_function *functions, size_t nr);
int ktrc_functions_attach(struct ktrc_function *functions, size_t nr);
void ktrc_functions_detach(struct ktrc_function *functions, size_t nr);
u64 ktrc_functions_missed(const struct ktrc_function *functions, size_t nr);

int ktrc_entry_check(struct ktrc_entry *e);
int ktrc_entry_attach(struct ktrc_entry *e);
void ktrc_entry_detach(struct ktrc_entry *e);
u64 ktrc_entry_missed(const struct ktrc_entry *e);

int ktrc_calls_check(struct ktrc_calls *c);
int ktrc_calls_attach(struct ktrc_calls *c);
void ktrc_calls_detach(struct ktrc_calls *c);

void ktrc_hooks_remove(void);

const char *ktrc_hook_reason(int error);

#endif /* KTRC_HOOK_H */
