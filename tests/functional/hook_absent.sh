#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A kernel without a function or a tracepoint, of each kind of hook: exactly the events that need it
# are listed as unavailable, with the reason; a start that asks for one of them fails, names it and leaves
# nothing; all others are recorded, and a view of them says what is not and why. A function that a kernel need not
# have costs no event. The kernel's names cannot be changed, so the module's copy of one is.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
reason="this kernel has no such hook (absent or inlined)"

# without NAME: loads a module that looks for it under a name that no kernel has
without() {
	perl -0777 -pe 'BEGIN { $name = shift } $n = s/\0(\Q$name\E)\0/"\0?" . substr($1, 1) . "\0"/ge;
		END { exit !$n }' "$1" ktrc.ko >"$tmp/ktrc.ko" || fail "$1: is not in the module"
	rmmod ktrc || fail "rmmod: $?"
	insmod "$tmp/ktrc.ko" || fail "without $1: insmod: $?"
}

refused() {
	local status=0
	ktrc-ctl start --events="$2" >"$tmp/said" 2>&1 || status=$?
	expect "without $1: start of $2: exit code" $status 5
	grep -qF "event $2: unavailable on this kernel: $reason" "$tmp/said" || fail "without $1: start of $2: $(cat "$tmp/said")"
	ktrc-ctl status >/dev/null 2>&1
	expect "without $1: a session is left" $? 3
}

# absent NAME [EVENT...]: what does not go without it
absent() {
	local name=$1 event rest
	shift
	without "$name"
	ktrc-ctl list --format=json >"$tmp/list" || fail "without $name: list: $?"
	expect "without $name: unavailable" "$(jq -r '.events[] | select(.avail != 0) | .label' "$tmp/list" | sort | xargs)" \
		"$(printf '%s\n' "$@" | sort | xargs)"
	expect "without $name: reasons" "$(jq -r '.events[] | select(.avail != 0) | .reason' "$tmp/list" | sort -u)" "${1:+$reason}"
	for event; do
		ktrc-ctl list | grep "^$event .*unavailable" | grep -F "$reason" >/dev/null || fail "without $name: list: $(ktrc-ctl list)"
		! jq -e --arg event "$event" 'any(.events[]; .label == $event and .kind == 0)' "$tmp/list" >/dev/null || refused "$name" "$event"
	done
	rest=$(jq -r '[.events[] | select(.hook and .kind == 0 and .avail == 0) | .label] | join(",")' "$tmp/list")
	ktrc-ctl start -q --events="$rest" || fail "without $name: start of the others: $?"
	touch_pages read 101 >/dev/null
	[ "$(counted 0 written)" -gt 0 ] || [ "$(counted 1 written)" -gt 0 ] || fail "without $name: nothing is recorded"
	ktrc-ctl reset -q
	note "without $name: $*"
}

compact() {
	echo 1 >/proc/sys/vm/compact_memory
}

use_up_quota() {
	local cgroup=/sys/fs/cgroup/short
	echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
	mkdir $cgroup || fail "mkdir: $?"
	echo "2000 100000" >$cgroup/cpu.max
	spin taskset -c 1
	echo "$spinner" >$cgroup/cgroup.procs || fail "cannot move it"
	until [ "$(sed -n 's/^nr_throttled //p' $cgroup/cpu.stat)" -gt 1 ]; do
		sleep 0.1
	done
	kill -KILL "$spinner"
	wait "$spinner" 2>/dev/null
	rmdir $cgroup
}

# says_why PART COMMAND: a view of what that makes, and of a trace of it, says why the part is not there
says_why() {
	local trace
	ktrc-ctl start -q --events="${1%%.*}" || fail "start of ${1%%.*}: $?"
	$2
	ktrc-ctl stop -q || fail "stop: $?"
	rm -rf "$tmp/trace"
	ktrc-read -q --save "$tmp/trace" || fail "save: $?"
	for trace in "" "$tmp/trace"; do
		expect "not recorded" "$(ktrc-read "${1%%.*}" --format=json ${trace:+"$trace"} | jq -c .not_recorded)" \
			"[{\"event\":\"$1\",\"why\":\"unavailable: $reason\"}]"
		ktrc-read "${1%%.*}" ${trace:+"$trace"} 2>&1 >/dev/null | grep -F "$1 not recorded: unavailable: $reason" >/dev/null ||
			fail "$1: no note${trace:+ of a trace}"
	done
	ktrc-ctl reset -q
}

# a function's return
absent handle_mm_fault fault
absent __x64_sys_process_madvise madvise
absent compact_zone compaction compaction.begin compaction.kcompactd compaction.zone
# a function's entry: two families'
absent numa_migrate_prep fault numa
absent do_wp_page fault
# traced entries
absent tg_unthrottle_up throttle throttle.begin throttle.gap
# a tracepoint
absent page_fault_kernel fault.light
absent mm_page_alloc_extfrag compaction.extfrag
says_why compaction.extfrag compact
absent mm_migrate_pages compaction compaction.begin compaction.kcompactd compaction.zone numa.migrate
absent sched_process_exec process.exec
absent sched_wakeup_new throttle.gap
says_why throttle.gap use_up_quota
# need not be there
! grep -q ' __ia32_sys_brk$' /proc/kallsyms || absent __ia32_sys_brk
