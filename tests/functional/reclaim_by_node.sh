#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guest of two memory nodes in which a node that is full is reclaimed before the other is
# asked (vm.zone_reclaim_mode): each of those stalls is recorded, as many as the kernel's
# tracepoints show, with its node, order, flags, reclaimed pages and callers, none lost.
# guest: nodes
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
events=$trace/events/vmscan/mm_vmscan_node_reclaim_

by_tracefs() {
	awk '{ match($0, /-[0-9]+ +\[/); who = substr($0, RSTART + 1, RLENGTH - 2) + 0 }
		/reclaim_begin: / { match($0, /nid=.*/); what[who] = substr($0, RSTART) }
		/reclaim_end: / { match($0, /nr_reclaimed=[0-9]+/); print what[who], substr($0, RSTART, RLENGTH) }' \
		"$tmp/tracefs" | sed 's/[a-z_]*=//g' | sort
}

by_ktrc() {
	jq -r 'select(.event == "reclaim" and .fields.kind == "node").fields |
		"\(.node) \(.order) \(.gfp_flags) \(.reclaimed)"' "$tmp/ktrc" | sort
}

modprobe brd rd_nr=1 rd_size=800000 || fail "modprobe brd"
echo 1 >/proc/sys/vm/zone_reclaim_mode
ktrc-ctl start -q --events=reclaim --memory=16M || fail "start: $?"
echo 16384 >$trace/buffer_size_kb
echo 1 | tee "$events"{begin,end}/enable >/dev/null
taskset -c 0 cat /dev/ram0 >/dev/null
echo 0 | tee "$events"{begin,end}/enable >/dev/null
ktrc-ctl stop -q || fail "stop: $?"
cat $trace/trace >"$tmp/tracefs"
echo 0 >/proc/sys/vm/zone_reclaim_mode
rmmod brd

grep -q 'entries-in-buffer/entries-written: \([0-9]*\)/\1 ' "$tmp/tracefs" || fail "tracefs lost some"
json_events >"$tmp/ktrc" || fail "read: $?"
ktrc-read reclaim --format=json >"$tmp/view" || fail "reclaim: $?"
by_tracefs >"$tmp/theirs"
by_ktrc >"$tmp/ours"
stalls=$(wc -l <"$tmp/theirs")
note "$stalls stalls"
[ "$stalls" -ge 100 ] || fail "only $stalls stalls"
diff "$tmp/theirs" "$tmp/ours" >"$tmp/diff" || fail "not the same stalls, tracefs first: $(head -n 20 "$tmp/diff")"
expect "nodes" "$(cut -d ' ' -f 1 "$tmp/ours" | sort -u)" 0
expect "stalls in the view" "$(jq '.kinds[] | select(.kind == "node").stalls' "$tmp/view")" "$stalls"
expect "lost" "$(jq .lost "$tmp/view")" 0
called_by '.fields.kind == "node"' get_page_from_freelist
ktrc-read check >"$tmp/check" || fail "check: $(cat "$tmp/check")"
ktrc-ctl reset -q
