#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each stall in a memory cgroup's reclaim that the kernel's own tracepoints show in the same
# run is recorded, and no other: with its order, flags, reclaimed pages, its duration within
# 10 %, and the cgroup that is short: the task's own, or the one above it that has the limit.
# guest: icount
# long
. tests/functional/lib.sh
. tests/memcg.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing

# "order gfp reclaimed ns" of each stall of a pid, in order of time
by_tracefs() {
	awk -v pid="$1" '
		{ match($0, /-[0-9]+ +\[/); who = substr($0, RSTART + 1, RLENGTH - 2) + 0 }
		who != pid { next }
		{ match($0, / [0-9]+: mm_vmscan/); now = substr($0, RSTART + 1) + 0 }
		/reclaim_begin: / { begin = now; match($0, /order=.*/); what = substr($0, RSTART) }
		/reclaim_end: / { match($0, /nr_reclaimed=[0-9]+/); print what, substr($0, RSTART, RLENGTH), now - begin }
	' "$tmp/tracefs" | sed 's/order=//; s/gfp_flags=//; s/nr_reclaimed=//'
}

# the same and the cgroup's id and path
by_ktrc() {
	jq -r --argjson pid "$1" 'select(.event == "reclaim" and .pid == $pid) | .fields |
		"\(.order) \(.gfp_flags) \(.reclaimed) \(.dur_ns) \(.cgid) \(.cgroup) \(.kind)"' "$tmp/ktrc"
}

# compare PID "CGID PATH": every stall is the same to both
compare() {
	local nr
	by_tracefs "$1" >"$tmp/theirs"
	by_ktrc "$1" >"$tmp/ours"
	nr=$(wc -l <"$tmp/theirs")
	[ "$nr" -ge 100 ] || fail "$2: only $nr stalls"
	expect "stalls of $2" "$(wc -l <"$tmp/ours")" "$nr"
	paste -d ' ' "$tmp/theirs" "$tmp/ours" | awk -v want="$2 memcg" '
		$1 != $5 || $2 != $6 || $3 != $7 || $9 " " $10 " " $11 != want ||
			$8 < 0.9 * $4 || $8 > 1.1 * $4 { if (!bad++) print }
		{ ratio += $8 / $4 }
		END { print "# " NR " stalls of " want ": by ktrc " ratio / NR " times as long"; exit bad > 0 }' ||
		fail "$2: not the same stall, tracefs first"
}

echo +memory >$cgroups/cgroup.subtree_control
flat=$(make_cgroup flat memory.max 7M)
owner=$(make_cgroup owner memory.max 5M)
echo +memory >$cgroups/owner/cgroup.subtree_control
make_cgroup owner/child memory.max max >/dev/null
modprobe brd rd_nr=2 rd_size=32768 || fail "modprobe brd"

ktrc-ctl start -q --events=reclaim:stack=none --memory=32M || fail "start: $?"
echo x86-tsc >$trace/trace_clock
echo 32768 >$trace/buffer_size_kb
echo 1 | tee $trace/events/vmscan/mm_vmscan_memcg_reclaim_{begin,end}/enable >/dev/null
# memory that can be reclaimed, and no waiting for the host, on which this guest's time leaps ahead
pid_in flat cat /dev/ram0 >"$tmp/flat" &
in_child=$(pid_in owner/child cat /dev/ram1)
wait
in_flat=$(<"$tmp/flat")
echo 0 | tee $trace/events/vmscan/mm_vmscan_memcg_reclaim_{begin,end}/enable >/dev/null
ktrc-ctl stop -q || fail "stop: $?"
cat $trace/trace >"$tmp/tracefs"
echo local >$trace/trace_clock
rmdir $cgroups/flat $cgroups/owner/child $cgroups/owner
rmmod brd

json_events >"$tmp/ktrc" || fail "read: $?"
grep -q 'entries-in-buffer/entries-written: \([0-9]*\)/\1 ' "$tmp/tracefs" || fail "tracefs lost some"
expect "all memcg stalls" "$(jq -s 'map(select(.event == "reclaim" and .fields.kind == "memcg")) | length' "$tmp/ktrc")" \
	"$(grep -c memcg_reclaim_end "$tmp/tracefs")"
compare "$in_flat" "$flat /flat"
compare "$in_child" "$owner /owner"
ktrc-ctl stats --format=json | jq -e '[.. | .lost? | numbers] | add == 0' >/dev/null ||
	fail "hits were lost: $(ktrc-ctl stats)"
ktrc-read check >"$tmp/check" || fail "check: $(cat "$tmp/check")"

# what the view says of the same stalls
ktrc-read reclaim --format=json >"$tmp/view" || fail "reclaim: $?"
expect "view by cgroup" \
	"$(jq -r '.cgroups | map("\(.cgroup) \(.kind) \(.stalls)") | sort | .[]' "$tmp/view")" \
	"$(jq -rs 'map(select(.event == "reclaim").fields | "\(.cgroup) \(.kind)") | group_by(.) | map("\(.[0]) \(length)") |
		sort | .[]' "$tmp/ktrc")"
# it adds up ticks, the records are rounded to nanoseconds each
jq -s 'map(select(.event == "reclaim").fields.dur_ns) | [add, length]' "$tmp/ktrc" |
	jq -e --slurpfile view "$tmp/view" '($view[0] | [.cgroups[].total_ns] | add) as $sum |
		$sum >= .[0] - .[1] and $sum <= .[0] + .[1]' >/dev/null ||
	fail "sum of the view: $(jq '[.cgroups[].total_ns] | add' "$tmp/view")"
ktrc-ctl reset -q
