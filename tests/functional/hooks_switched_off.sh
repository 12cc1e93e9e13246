#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A kernel that calls no hook back is never an empty recording: a start says why it
# fails, also where another session uses the hook already, and a session that loses its hook says so.
. tests/functional/lib.sh

kprobes=/sys/kernel/debug/kprobes/enabled
ftrace=/proc/sys/kernel/ftrace_enabled
trap 'echo 1 >$ftrace; echo 1 >$kprobes' EXIT

refused() {
	local status=0
	ktrc-ctl start --events="$1" >/run/said 2>&1 || status=$?
	expect "$2: exit code" $status 5
	grep -q "switched off" /run/said || fail "$2: $(cat /run/said)"
	ktrc-ctl status >/run/said 2>&1
	expect "$2: a session is left" $? 3
}

for switch in $kprobes $ftrace; do
	echo 0 >"$switch"
	refused fault "$switch = 0"
	refused fault,fault.light "$switch = 0, two events"
	ktrc-ctl start --events=fault.light || fail "$switch = 0: fault.light needs no kprobe"
	ktrc-ctl reset
	echo 1 >"$switch"
done

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
