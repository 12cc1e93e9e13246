#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The duration of a fault is what the kernel's own function_graph tracer says of
# handle_mm_fault for the same faults, within 10 %, in a guest whose clock counts
# instructions: for huge pages and for small ones.  Each tracer reads the time before all
# of its own work is done; that share, which is more than half of a small fault, it is
# relieved of: what it reads of a system call that takes a dozen instructions.
# guest: icount
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
huge=101
short=10007

# median FILE: of the durations, after their number
median() {
	sort -n "$1" | awk '{ v[++n] = $1 } END { print n + 0, n ? v[int((n + 1) / 2)] : 0 }'
}

# next_to_nothing: prints its tid, as touch_pages does
next_to_nothing() {
	perl -e 'syscall(146, 0) for 1 .. 1001; print "$$\n"' # sched_get_priority_max
}

# by_ktrc MODE PAGES FILE: durations of the workload's faults
by_ktrc() {
	local tid
	ktrc-ctl start --events=fault || fail "start: $?"
	read -r tid _ _ <<<"$(touch_pages "$1" "$2")"
	ktrc-ctl stop || fail "stop: $?"
	ktrc-read events | awk -v tid="$tid" '$4 == tid' | sed -n 's/.* dur_ns=//p' >"$3"
	ktrc-ctl reset || fail "reset: $?"
}

share_of_ktrc() {
	insmod build/functional/ktrc_share.ko || fail "insmod ktrc_share"
	next_to_nothing >/dev/null
	cat /sys/module/ktrc_share/parameters/share
	rmmod ktrc_share || fail "rmmod ktrc_share"
}

# graph FUNCTION FILE COMMAND...: durations of the function's calls by the task that the
# command names first
graph() {
	local tid function=$1 file=$2
	shift 2
	echo "$function" >$trace/set_ftrace_filter || fail "$function cannot be traced"
	echo function_graph >$trace/current_tracer
	echo 1 >$trace/options/funcgraph-proc
	read -r tid _ _ <<<"$("$@")"
	echo 0 >$trace/tracing_on
	sed -nE "s/^ *[0-9]+\) +[^ ]+-$tid +\| +[^0-9]*([0-9.]+) us .*/\1/p" $trace/trace |
		awk '{ printf "%d\n", $1 * 1000 }' >"$file"
	echo nop >$trace/current_tracer
	echo >$trace/set_ftrace_filter
	echo 1 >$trace/tracing_on
}

by_function_graph() {
	graph handle_mm_fault "$3" touch_pages "$1" "$2"
}

share_of_function_graph() {
	graph __x64_sys_sched_get_priority_max "$tmp/nothing" next_to_nothing
	median "$tmp/nothing" | cut -d ' ' -f 2
}

# within LOW NUMBER HIGH
within() {
	[ "$1" -le "$2" ] && [ "$2" -le "$3" ]
}

# compare CLASS FAULTS: the few others, of the process's start, do not move the median
compare() {
	local n ours theirs
	read -r n ours <<<"$(median "$tmp/by_ktrc.$1")"
	within "$2" "$n" $(($2 * 21 / 20)) || fail "ktrc: $n $1 faults, not $2"
	read -r n theirs <<<"$(median "$tmp/by_function_graph.$1")"
	within "$2" "$n" $(($2 * 21 / 20)) || fail "function_graph: $n $1 faults, not $2"
	note "$1 fault, median: ktrc $ours - $our_share ns," \
		"function_graph $theirs - $their_share ns"
	ours=$((ours - our_share)) theirs=$((theirs - their_share))
	within $((theirs * 9)) $((ours * 10)) $((theirs * 11)) ||
		fail "$1 fault: off by more than 10 %: $ours ns, $theirs ns"
}

echo always >/sys/kernel/mm/transparent_hugepage/enabled
echo 8192 >$trace/buffer_size_kb
our_share=$(share_of_ktrc)
their_share=$(share_of_function_graph)
for who in by_ktrc by_function_graph; do
	$who huge $((huge * 512)) "$tmp/all"
	sort -n "$tmp/all" | tail -n $huge >"$tmp/$who.huge" # no small one takes so long
	$who read $short "$tmp/$who.read"
	$who write $short "$tmp/$who.write"
done
compare huge $huge
compare read $short
compare write $short
