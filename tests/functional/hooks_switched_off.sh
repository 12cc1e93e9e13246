#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A kernel that calls no hook back is never an empty recording: a start says why it
# fails, also where another session uses the hook already, or another tracer the same function, and a session that
# loses its hook says so. A start that fails leaves no names.
. tests/functional/lib.sh

kprobes=/sys/kernel/debug/kprobes/enabled
ftrace=/proc/sys/kernel/ftrace_enabled
tracing=/sys/kernel/tracing
trap 'echo 1 >$ftrace; echo 1 >$kprobes; echo nop >$tracing/current_tracer; echo >$tracing/set_ftrace_filter' EXIT

refused() {
	local status=0
	ktrc-ctl start --events="$1" >/run/said 2>&1 || status=$?
	expect "$2: exit code" $status 5
	grep -q "switched off" /run/said || fail "$2: $(cat /run/said)"
	ktrc-ctl status >/run/said 2>&1
	expect "$2: a session is left" $? 3
}

control new || fail "new: $?"
echo 0 >$kprobes
! control start default 2>/run/said || fail "it starts with a hook that is switched off"
expect "names after a start that failed" "$(control names)" "names errno 0 "
echo 1 >$kprobes
control start default || fail "start: $?"
[ "$(control names)" != "names errno 0 " ] || fail "it has no names"
ktrc-ctl reset

for switch in $kprobes $ftrace; do
	echo 0 >"$switch"
	refused fault "$switch = 0"
	refused fault,fault.light "$switch = 0, two events"
	ktrc-ctl start --events=fault.light || fail "$switch = 0: fault.light needs no kprobe"
	ktrc-ctl reset
	echo 1 >"$switch"
done

# throttle has no kprobe, but the function tracer's calls
ktrc-ctl start --session=first --events=throttle || fail "start of throttle: $?"
echo 0 >$ftrace
ktrc-ctl list | grep "^throttle .*unavailable .*switched off" >/dev/null || fail "list: $(ktrc-ctl list)"
! ktrc-ctl start --events=throttle 2>/run/said || fail "a second session starts with calls that are switched off"
grep -q "switched off" /run/said || fail "the second session: $(cat /run/said)"
ktrc-ctl reset --session=first
refused throttle "$ftrace = 0"
echo 1 >$ftrace

ktrc-ctl start --events=fault || fail "start: $?"
echo 0 >$kprobes
ktrc-ctl list | grep "^fault .*unavailable .*switched off" >/dev/null || fail "list: $(ktrc-ctl list)"
ktrc-ctl doctor >/run/said
expect "doctor's exit code" $? 5
grep -q "fault.*switched off" /run/said || fail "doctor: $(cat /run/said)"
echo 1 >$kprobes
ktrc-ctl list | grep "^fault .* available" >/dev/null || fail "list: $(ktrc-ctl list)"
ktrc-ctl reset

ktrc-ctl start --session=first --events=fault || fail "start of first: $?"
control new || fail "a second session: $?"
echo 0 >$kprobes
! control start default 2>/run/said || fail "a second session starts with a hook that is switched off"
grep -q "switched off" /run/said || fail "the second session: $(cat /run/said)"
echo 1 >$kprobes
control start default || fail "a second session: $?"
ktrc-ctl reset --session=first
ktrc-ctl reset

# the function tracer's call is where ktrc's would be, in each of their functions
printf '%s\n' handle_mm_fault '*madvise*' '*mmap*' '*munmap*' '*mremap*' '*brk*' setup_arg_pages >$tracing/set_ftrace_filter ||
	fail "set_ftrace_filter"
echo function >$tracing/current_tracer || fail "no function tracer"
echo 0 >$kprobes
refused madvise "another tracer"
refused map "another tracer"
echo 1 >$kprobes
ktrc-ctl start --session=first --events=madvise,fault || fail "start beside another tracer: $?"
control new || fail "a second session: $?"
echo 0 >$kprobes
! control start default 2>/run/said || fail "a second session starts although the hook that both use is switched off"
grep -q "switched off" /run/said || fail "the second session: $(cat /run/said)"
ktrc-ctl list | grep "^madvise .*unavailable .*switched off" >/dev/null || fail "list: $(ktrc-ctl list)"
echo 1 >$kprobes
ktrc-ctl reset --session=first
ktrc-ctl reset
