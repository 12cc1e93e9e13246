#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Asking costs the host nothing: once the module knows what this kernel allows, no command that
# only looks registers a probe, for which the kernel would wait until all CPUs have noticed.
. tests/functional/lib.sh

trace=/sys/kernel/tracing

ktrc-ctl list >/dev/null || fail "list: $?"
echo register_kprobe unregister_kprobe unregister_kprobes >$trace/set_ftrace_filter
echo function >$trace/current_tracer
ktrc-ctl start -q --memory=512K || fail "start: $?"
attached=$(grep -c ' register_kprobe ' $trace/trace)
note "registered by start: $attached"
[ "$attached" -ge 1 ] || fail "the kernel does not tell of probes"
echo >$trace/trace
for command in "list" "status" "stats" "snapshot -q /run/asking_is_cheap"; do
	# shellcheck disable=SC2086
	ktrc-ctl $command >/dev/null || fail "$command: $?"
done
ktrc-read >/dev/null || fail "ktrc-read: $?"
ktrc-ctl doctor >/dev/null
# another tracer begins with an empty buffer
told=$(grep -v '^#' $trace/trace)
echo nop >$trace/current_tracer
expect "probes registered, or taken away" "$told" ""
echo >$trace/set_ftrace_filter
ktrc-ctl reset -q
