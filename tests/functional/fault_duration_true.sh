#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The duration of a fault is what the kernel's own function_graph tracer says of
# handle_mm_fault for the same faults, within 10 %, in a guest whose clock counts
# instructions.  The faults are those of huge pages: against their 100 us and more
# neither tracer's own cost counts.  Of a short fault both are shown: function_graph
# reads several hundred instructions of its own with each.
# guest: icount
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
huge=101
short=10007

# median FILE NS: of the durations of at least NS, after their number
median() {
	sort -n "$1" | awk -v least="$2" '$1 >= least { v[++n] = $1 }
		END { print n + 0, n ? v[int((n + 1) / 2)] : 0 }'
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

by_function_graph() {
	local tid
	echo handle_mm_fault >$trace/set_ftrace_filter
	echo function_graph >$trace/current_tracer
	echo 1 >$trace/options/funcgraph-proc
	read -r tid _ _ <<<"$(touch_pages "$1" "$2")"
	echo 0 >$trace/tracing_on
	sed -nE "s/^ *[0-9]+\) +[^ ]+-$tid +\| +[^0-9]*([0-9.]+) us .*/\1/p" $trace/trace |
		awk '{ printf "%d\n", $1 * 1000 }' >"$3"
	echo nop >$trace/current_tracer
	echo 1 >$trace/tracing_on
}

echo always >/sys/kernel/mm/transparent_hugepage/enabled
echo 8192 >$trace/buffer_size_kb
for who in by_ktrc by_function_graph; do
	$who huge $((huge * 512)) "$tmp/$who.huge"
	$who read $short "$tmp/$who.short"
done

# a small fault that an interrupt makes as long does not move the median
read -r n ours <<<"$(median "$tmp/by_ktrc.huge" 100000)"
[[ $((n - huge)) =~ ^[0-5]$ ]] || fail "ktrc: $n huge faults, not $huge"
read -r n theirs <<<"$(median "$tmp/by_function_graph.huge" 100000)"
[[ $((n - huge)) =~ ^[0-5]$ ]] || fail "function_graph: $n huge faults, not $huge"
note "huge fault, median: ktrc $ours ns, function_graph $theirs ns"
note "short fault, number and median: ktrc $(median "$tmp/by_ktrc.short" 0) ns," \
	"function_graph $(median "$tmp/by_function_graph.short" 0) ns"
if [ $((ours * 10)) -lt $((theirs * 9)) ] || [ $((ours * 10)) -gt $((theirs * 11)) ]; then
	fail "off by more than 10 %"
fi
