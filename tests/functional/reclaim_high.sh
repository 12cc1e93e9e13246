#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A task above memory.high that has to reclaim for it, or to wait, is recorded as one stall of
# kind high, and no other is: as often as the kernel's own function was entered and reclaimed in
# the same run, with all pages reclaimed in it, its duration within 10 %, and the cgroup that is
# above: the task's own, or the one above that. What lies inside, each reclaim of a memory cgroup, has its
# own record that says so, and is in no sum twice. Who only waits, because the task's cgroup, or one above
# it, is above memory.swap.high, has a stall of kind high of the task's cgroup: each time that it slept in
# that function, before which memory.swap.events counts that it has tried 17 times.
# guest: icount
# long
. tests/functional/lib.sh
. tests/memcg.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
events="$trace/events/kprobes/enable $trace/events/vmscan/mm_vmscan_memcg_reclaim_begin/enable
$trace/events/vmscan/mm_vmscan_memcg_reclaim_end/enable $trace/events/sched/sched_switch/enable"
tries=17 # to reclaim, of the kernel's function, before it waits

# "reclaims reclaimed ns" of each time that a pid reclaimed or slept there
by_tracefs() {
	awk -v pid="$1" '
		{ match($0, /-[0-9]+ +\[/); who = substr($0, RSTART + 1, RLENGTH - 2) + 0 }
		who != pid { next }
		{ match($0, / [0-9]+: (mm_vmscan|high_)/); now = substr($0, RSTART + 1) + 0 }
		/ high_in: / { begin = now; reclaims = pages = slept = 0 }
		/ sched_switch: / && !/ prev_state=R/ { slept = 1 }
		/reclaim_end: / { reclaims++; sub(/.*nr_reclaimed=/, ""); pages += $0 }
		/ high_out: / && (reclaims || slept) { print reclaims, pages, now - begin }
	' "$tmp/tracefs"
}

# the same and the cgroup's id and path; its reclaims lie before it
by_ktrc() {
	jq -r --argjson pid "$1" 'select(.event == "reclaim" and .pid == $pid) | .fields |
		"\(.kind) \(.nested) \(.reclaimed) \(.dur_ns) \(.cgid) \(.cgroup)"' "$tmp/ktrc" |
		awk '$1 == "memcg" && $2 == 1 { reclaims++; pages += $3 }
			$1 == "high" && $2 == 0 { print reclaims + 0, $3, $4, $5, $6, pages + 0; reclaims = pages = 0 }'
}

# compare PID "CGID PATH" AT_LEAST: every stall is the same to both
compare() {
	local nr
	grep -q 'entries-in-buffer/entries-written: \([0-9]*\)/\1 ' "$tmp/tracefs" || fail "tracefs lost some"
	by_tracefs "$1" >"$tmp/theirs"
	by_ktrc "$1" >"$tmp/ours"
	nr=$(wc -l <"$tmp/theirs")
	[ "$nr" -ge "$3" ] || fail "$2: only $nr stalls"
	expect "stalls of $2" "$(wc -l <"$tmp/ours")" "$nr"
	paste -d ' ' "$tmp/theirs" "$tmp/ours" | awk -v want="$2" '
		$1 != $4 || $2 != $5 || $9 != $2 || $7 " " $8 != want || $6 < 0.9 * $3 || $6 > 1.1 * $3 { if (!bad++) print }
		{ ratio += $6 / $3; if ($3 > longest) longest = $3 }
		END { print "# " NR " stalls of " want ", the longest of " longest / 1e6 " ms: by ktrc " ratio / NR " times as long"
			exit bad > 0 }' || fail "$2: not the same stall, tracefs first"
}

# events_high CGROUP: times that it was found above memory.high, as the kernel counts them
events_high() {
	sed -n 's/^high //p' "$cgroups/$1/memory.events.local"
}

# record COMMAND: what happens meanwhile, to both
record() {
	ktrc-ctl start -q --events=reclaim:stack=none --memory=32M || fail "start: $?"
	echo >$trace/trace
	for event in $events; do echo 1 >"$event"; done
	"$1"
	for event in $events; do echo 0 >"$event"; done
	ktrc-ctl stop -q || fail "stop: $?"
	cat $trace/trace >"$tmp/tracefs"
	json_events >"$tmp/ktrc" || fail "read: $?"
	ktrc-read reclaim --format=json >"$tmp/view" || fail "reclaim: $?"
}

above_high() {
	pid_in flat cat /dev/ram0 >"$tmp/flat" &
	pid_in hog touch_pages write 2400 >"$tmp/hog" &
	in_child=$(pid_in owner/child cat /dev/ram1)
	wait
}

above_swap_high() {
	pid_in flat touch_pages write 2600 >"$tmp/flat" &
	in_child=$(pid_in owner/child touch_pages write 2600)
	wait
}

# has_tried CGROUP PID: as often as a task that waited there for memory.swap.high has to, and where it did not wait once at most
has_tried() {
	local high waits entries
	high=$(sed -n 's/^high //p' "$cgroups/$1/memory.swap.events")
	waits=$(by_ktrc "$2" | wc -l)
	entries=$(grep -c -- "-$2 .* high_in: " "$tmp/tracefs")
	note "$1: $high tries above memory.swap.high; of $entries entries $waits waited"
	((tries * waits <= high && high <= tries * waits + entries - waits)) || fail "not so many"
}

echo +memory >$cgroups/cgroup.subtree_control
flat=$(make_cgroup flat memory.high 7M)
owner=$(make_cgroup owner memory.high 5M)
hog=$(make_cgroup hog memory.high 8M)
echo +memory >$cgroups/owner/cgroup.subtree_control
make_cgroup owner/child memory.high max >/dev/null
modprobe brd rd_nr=3 rd_size=49152 || fail "modprobe brd"
echo never >/sys/kernel/mm/transparent_hugepage/enabled
echo x86-tsc >$trace/trace_clock
echo 32768 >$trace/buffer_size_kb
printf '%s\n' 'p:high_in mem_cgroup_handle_over_high' 'r:high_out mem_cgroup_handle_over_high' \
	>$trace/kprobe_events || fail "kprobe_events"
record above_high
found=$(($(events_high flat) + $(events_high hog) + $(events_high owner) + $(events_high owner/child)))
rmdir $cgroups/flat $cgroups/hog $cgroups/owner/child $cgroups/owner
ktrc-read reclaim >"$tmp/text" || fail "reclaim: $?"

compare "$(<"$tmp/flat")" "$flat /flat" 50
compare "$in_child" "$owner /owner" 50
compare "$(<"$tmp/hog")" "$hog /hog" 5
jq -es 'map(select(.event == "reclaim" and .fields.kind == "high").fields.dur_ns) | max > 1e8' "$tmp/ktrc" >/dev/null ||
	fail "nobody had to wait"
expect "reclaims of cgroups above memory.high" \
	"$(jq -s 'map(select(.event == "reclaim" and .fields.kind == "memcg")) | length' "$tmp/ktrc")" "$found"
expect "begins" "$(jq -s 'map(select(.event == "reclaim.begin") | .fields | "\(.kind) \(.nested)") | group_by(.) | map([.[0], length])' -c "$tmp/ktrc")" \
	"$(jq -s 'map(select(.event == "reclaim") | .fields | "\(.kind) \(.nested)") | group_by(.) | map([.[0], length])' -c "$tmp/ktrc")"
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
jq -e '[.. | .lost? | numbers] | add == 0' "$tmp/stats" >/dev/null || fail "hits were lost: $(cat "$tmp/stats")"
ktrc-read check >"$tmp/check" || fail "check: $(cat "$tmp/check")"

# nothing is counted twice: the sums are those of the records that are no part of another
jq -s 'map(select(.event == "reclaim").fields) | group_by(.nested) | map([length, (map(.reclaimed) | add), (map(.dur_ns) | add)])' \
	"$tmp/ktrc" >"$tmp/sums"
jq -e --slurpfile sums "$tmp/sums" '$sums[0] as [$whole, $part] |
	def near($a; $b; $n): ($a - $b) | fabs <= $n;
	def sums($nr; $pages; $ns; $of): ([.[].stalls] | add) == $nr and ([.[].reclaimed] | add) == $pages and near([.[].total_ns] | add; $ns; $of);
	(.stalls == $whole[0]) and (.reclaimed == $whole[1]) and near(.total_ns; $whole[2]; $whole[0]) and
	(.parts | sums($part[0]; $part[1]; $part[2]; $part[0])) and
	all(.kinds, .requests, .cgroups, .processes; sums($whole[0]; $whole[1]; $whole[2]; $whole[0]))' "$tmp/view" >/dev/null ||
	fail "sums of the view: $(cat "$tmp/sums" "$tmp/text")"
ktrc-read >"$tmp/summary" || fail "summary: $?"
grep -q '^VERDICT  *reclaim: /hog is short of memory: ' "$tmp/summary" || fail "verdict: $(cat "$tmp/summary")"
ktrc-ctl reset -q

# swap beyond what is allowed, and memory as much as is allowed
mkswap /dev/ram2 >/dev/null || fail "mkswap"
swapon /dev/ram2 || fail "swapon"
flat=$(make_cgroup flat memory.swap.high 4M)
make_cgroup owner memory.swap.high 4M >/dev/null
echo +memory >$cgroups/owner/cgroup.subtree_control
child=$(make_cgroup owner/child memory.max 4M)
echo 4M >$cgroups/flat/memory.max
record above_swap_high
echo >$trace/kprobe_events
echo local >$trace/trace_clock
compare "$(<"$tmp/flat")" "$flat /flat" 5
has_tried flat "$(<"$tmp/flat")"
compare "$in_child" "$child /owner/child" 5
has_tried owner "$in_child"
expect "begins of waits" "$(jq -s 'map(select(.event == "reclaim.begin" and .fields.kind == "high")) | length' "$tmp/ktrc")" 0
expect "waits in the view" "$(jq '.kinds[] | select(.kind == "high").stalls' "$tmp/view")" \
	"$(jq -s 'map(select(.event == "reclaim" and .fields.kind == "high")) | length' "$tmp/ktrc")"
rmdir $cgroups/flat $cgroups/owner/child $cgroups/owner
swapoff /dev/ram2 || fail "swapoff"
rmmod brd
ktrc-ctl reset -q
