#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guest so short of memory that tasks are not let into direct reclaim before kswapd has freed
# some: each that slept there is recorded, and nobody who was let in at once. Each wait inside of
# reclaim, some of which a test module makes, is recorded, with its reason and node, and that it is part of a stall, or of kswapd's work. Both
# are as many as the kernel's tracepoints and functions show in the same run, by task, last
# as long within 10 %, and say who called; none is lost, and none is counted twice.
# guest: small
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
events="$trace/events/kprobes $trace/events/vmscan/mm_vmscan_direct_reclaim_begin
$trace/events/vmscan/mm_vmscan_throttled $trace/events/sched/sched_switch"

# While memory is short nothing is started: it would have to be read first.

# of_kernel FILE NAME
of_kernel() {
	local name value rest
	while read -r name value rest; do
		[ "${name%:}" = "$2" ] && echo "$value" && return
	done <"$1"
}

exec {never}<> <(:)
moment() {
	read -r -t 0.05 -u "$never"
}

# memory that cannot be reclaimed: all but 90 MB
fill() {
	mkdir "$tmp/fill"
	mount -t tmpfs -o size=1g none "$tmp/fill"
	head -c $(($(of_kernel /proc/meminfo MemAvailable) - 90000))K /dev/zero >"$tmp/fill/zeros"
}

# switch_events 1|0
switch_events() {
	local event
	for event in $events; do
		echo "$1" >"$event/enable" || fail "$event"
	done
}

# squeeze: lets little memory be free, and then asks for much of it
squeeze() {
	local before i
	before=$(of_kernel /proc/vmstat pgscan_direct_throttle)
	echo 2000 >/proc/sys/vm/min_free_kbytes
	for ((i = 0; i < 40 && $(of_kernel /proc/meminfo MemFree) > 12000; i++)); do
		moment
	done
	echo 36000 >/proc/sys/vm/min_free_kbytes
	for ((i = 0; i < 10 && $(of_kernel /proc/vmstat pgscan_direct_throttle) == before; i++)); do
		moment
	done
}

# "pid ns" of each wait at the door of direct reclaim, "pid reason node ns" of each inside of reclaim
by_tracefs() {
	awk -v what="$1" '
		{ match($0, /-[0-9]+ +\[/); who = substr($0, RSTART + 1, RLENGTH - 2) + 0
		  match($0, / [0-9]+\.[0-9]+: /); now = substr($0, RSTART + 1) * 1e6 }
		/ door: / { door[who] = now; slept[who] = 0 }
		/ sched_switch: / && !/ prev_state=R/ { slept[who] = 1 }
		/reclaim_begin: / {
			if (what == "door" && (who in door) && slept[who]) printf "%d %.0f\n", who, (now - door[who]) * 1000
			delete door[who] }
		/ wait: / { wait[who] = now }
		/ mm_vmscan_throttled: / && what == "wait" {
			match($0, /nid=[0-9]+/); node = substr($0, RSTART + 4, RLENGTH - 4)
			sub(/.*reason=VMSCAN_THROTTLE_/, ""); printf "%d %s %d %.0f\n", who, tolower($1), node, (now - wait[who]) * 1000 }
	' "$tmp/tracefs"
}

# by_ktrc FILTER FIELDS
by_ktrc() {
	jq -r "select(.event == \"reclaim\" and ($1)) | \"\(.pid) $2\(.fields.dur_ns)\"" "$tmp/ktrc"
}

# compare WHAT AT_LEAST FILTER FIELDS: the same waits, and as long
compare() {
	by_tracefs "$1" >"$tmp/theirs"
	by_ktrc "$3" "$4" >"$tmp/ours"
	diff <(sed 's/ [0-9.]*$//' "$tmp/theirs" | sort) <(sed 's/ [0-9.]*$//' "$tmp/ours" | sort) >"$tmp/diff" ||
		fail "$1: not the same waits, tracefs first: $(head -n 20 "$tmp/diff")"
	[ "$(wc -l <"$tmp/ours")" -ge "$2" ] || fail "$1: only $(wc -l <"$tmp/ours")"
	awk -v what="$1" '{ sum[FILENAME] += $NF; nr[FILENAME]++ } END {
		if (!NR) exit
		ratio = sum[ARGV[2]] / sum[ARGV[1]]
		print "# " nr[ARGV[1]] " waits: " what ", " sum[ARGV[1]] / 1e6 " ms: by ktrc " ratio " times as long"
		exit ratio < 0.9 || ratio > 1.1 }' "$tmp/theirs" "$tmp/ours" || fail "$1: not as long"
}

modprobe brd rd_nr=4 rd_size=150000 || fail "modprobe brd"
insmod build/functional/ktrc_hold.ko || fail "insmod ktrc_hold"
fill
ktrc-ctl start -q --events=reclaim --memory=8M || fail "start: $?"
echo mono >$trace/trace_clock
echo 16384 >$trace/buffer_size_kb
printf '%s\n' 'p:door try_to_free_pages' 'p:wait reclaim_throttle' >$trace/kprobe_events || fail "kprobe_events"
before=$(of_kernel /proc/vmstat pgscan_direct_throttle)
switch_events 1
readers=()
for i in 0 1 2 3; do
	cat /dev/ram$i /dev/ram$i /dev/ram$i /dev/ram$i /dev/ram$i >/dev/null &
	readers+=($!)
done
for ((i = 0; i < 31 && $(of_kernel /proc/vmstat pgscan_direct_throttle) - before < 11; i++)); do
	squeeze
done
echo 2000 >/proc/sys/vm/min_free_kbytes
# waits inside of reclaim come when they come: these are made
for ((waits = 0; waits < 11; waits++)); do
	echo 1 >/sys/module/ktrc_hold/parameters/throttle
done
kill "${readers[@]}" 2>/dev/null # those that are not done
wait
switch_events 0
ktrc-ctl stop -q || fail "stop: $?"
grown=$(($(of_kernel /proc/vmstat pgscan_direct_throttle) - before))
cat $trace/trace >"$tmp/tracefs"
echo >$trace/kprobe_events
echo local >$trace/trace_clock
umount "$tmp/fill"
rmmod brd
rmmod ktrc_hold

json_events >"$tmp/ktrc" || fail "read: $?"
ktrc-read reclaim --format=json >"$tmp/view" || fail "reclaim: $?"

note "pgscan_direct_throttle grew by $grown in $i rounds"
grep -q 'entries-in-buffer/entries-written: \([0-9]*\)/\1 ' "$tmp/tracefs" || fail "tracefs lost some"
compare door 5 '.fields.kind == "throttled_direct"' ''
compare wait 11 '.fields.kind == "vmscan_throttled"' '\(.fields.reason) \(.fields.node) '
# the kernel counts those as well that need not sleep after all
[ "$(by_ktrc '.fields.kind == "throttled_direct"' '' | wc -l)" -le "$grown" ] || fail "more than the kernel let wait"
expect "parts of stalls" "$(jq -r 'select(.event == "reclaim" and (.comm == "cat" or (.comm | startswith("kswapd")))).fields |
	select(.nested != (if .kind == "vmscan_throttled" then 1 else 0 end))' "$tmp/ktrc")" ""
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
jq -e '[.. | .lost? | numbers] | add == 0' "$tmp/stats" >/dev/null || fail "hits were lost: $(cat "$tmp/stats")"
ktrc-read check >"$tmp/check" || fail "check: $(cat "$tmp/check")"

# who wanted memory, and who reclaims
called_by '.fields.kind == "throttled_direct"' __alloc_pages
called_by ".fields.kind == \"vmscan_throttled\" and .pid == $$" param_attr_store

# nr FILTER: records of stalls
nr() {
	jq -s "map(select(.event == \"reclaim\").fields | select($1)) | length" "$tmp/ktrc"
}
expect "stalls" "$(jq -c '[.stalls, ([.kinds[].stalls] | add), ([.processes[].stalls] | add)]' "$tmp/view")" \
	"[$(nr '.nested == 0'),$(nr '.nested == 0'),$(nr '.nested == 0')]"
expect "parts" "$(jq '[.parts[].stalls] | add // 0' "$tmp/view")" "$(nr '.nested == 1')"
expect "reasons" "$(jq '[.reasons[].stalls] | add // 0' "$tmp/view")" "$(nr '.kind == "vmscan_throttled"')"
ktrc-ctl reset -q
