#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guest so short of memory that tasks are not let into direct reclaim before kswapd has freed
# some: each that slept there is recorded, also if it was killed there, and nobody who was let in at once. Each wait inside of
# reclaim is recorded, with its reason and node, and that it is part of a stall, or of kswapd's work: a
# test module makes some for each reason, while most of the memory waits for a slow disk, and tasks have to
# reclaim; a reason with which none of them waited is printed as not provoked, with the attempt. Both
# are as many as the kernel's tracepoints and functions show in the same run, by task, last
# as long within 10 %, and say who called; none is lost, and none is counted twice.
# guest: small
# long
. tests/functional/lib.sh
. tests/memcg.sh
. tests/slow_swap.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
reasons="isolated writeback noprogress congested"
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

# dirty: more than half of the memory that can be reclaimed has to be written first, to a disk that takes its time
dirty() {
	echo 1 >/proc/sys/vm/drop_caches
	slow_disk 20000000 64
	echo 100 >/proc/sys/vm/dirty_ratio
	echo 99 >/proc/sys/vm/dirty_background_ratio
	exec {writer}>/dev/nullb9
	head -c 24M /dev/zero >&"$writer"
	pending=$(($(of_kernel /proc/vmstat nr_dirty) + $(of_kernel /proc/vmstat nr_writeback)))
}

# make_waits: inside of reclaim they come when they come: these are made, with each reason
make_waits() {
	local reason i
	for reason in $reasons; do
		for ((i = 0; i < 11; i++)); do
			echo "$reason" >/sys/module/ktrc_hold/parameters/throttle
		done
	done
}

# load: one reads, and one writes in a cgroup that is above memory.high all the time
load() {
	local i tasks=()
	make_cgroup tiny memory.high 2M >/dev/null
	in_cgroup $cgroups/tiny head -c 8M /dev/zero >&"$writer" &
	tasks+=($!)
	cat /dev/ram0 >/dev/null &
	tasks+=($!)
	for ((i = 0; i < 200; i++)); do
		kill -0 "${tasks[@]}" 2>/dev/null || break
		moment
	done
	kill "${tasks[@]}" 2>/dev/null
	wait "${tasks[@]}"
}

# clean: what is not written yet is forgotten
clean() {
	blkdiscard -f /dev/nullb9 2>/dev/null || fail "blkdiscard"
	exec {writer}>&-
	rmdir $cgroups/tiny
	no_disk
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

# kill_one: a reader that waits to be let in, as soon as one does; starts nothing, which would wait there itself
kill_one() {
	local pid where i
	for ((i = 0; i < 200; i++)); do
		echo 2000 >/proc/sys/vm/min_free_kbytes
		moment
		echo 36000 >/proc/sys/vm/min_free_kbytes
		moment
		for pid in "${readers[@]}"; do
			where=
			read -r where <"/proc/$pid/wchan" # without a newline, so its status says nothing
			[ "$where" != throttle_direct_reclaim ] || { kill "$pid" && return; }
		done 2>/dev/null
	done
}

# "pid ns" of each wait at the door of direct reclaim, "pid reason node ns" of each inside of reclaim;
# "pid" of who was killed at the door
by_tracefs() {
	awk -v what="$1" '
		{ match($0, /-[0-9]+ +\[/); who = substr($0, RSTART + 1, RLENGTH - 2) + 0
		  match($0, / [0-9]+\.[0-9]+: /); now = substr($0, RSTART + 1) * 1e6 }
		/ door: / { door[who] = now; slept[who] = 0 }
		/ sched_switch: / && !/ prev_state=R/ { slept[who] = 1 }
		/reclaim_begin: / {
			if (what == "door" && (who in door) && slept[who]) printf "%d %.0f\n", who, (now - door[who]) * 1000
			delete door[who] }
		/ out: / && (who in door) {
			if (what == "door") printf "%d %.0f\n", who, (now - door[who]) * 1000
			if (what == "killed") print who
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

echo +memory >$cgroups/cgroup.subtree_control
modprobe brd rd_nr=4 rd_size=150000 || fail "modprobe brd"
insmod build/functional/ktrc_hold.ko || fail "insmod ktrc_hold"
fill
ktrc-ctl start -q --events=reclaim --memory=8M || fail "start: $?"
echo mono >$trace/trace_clock
echo 16384 >$trace/buffer_size_kb
printf '%s\n' 'p:door try_to_free_pages' 'r:out try_to_free_pages' 'p:wait reclaim_throttle' >$trace/kprobe_events || fail "kprobe_events"
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
kill_one
echo 2000 >/proc/sys/vm/min_free_kbytes
kill "${readers[@]}" 2>/dev/null # those that are not done
wait
dirty
make_waits
load
clean
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
killed=$(by_tracefs killed | wc -l)
note "$killed killed before they were let in"
[ "$killed" -gt 0 ] || fail "nobody was killed before it was let in"
compare wait 22 '.fields.kind == "vmscan_throttled"' '\(.fields.reason) \(.fields.node) '
attempt="attempt: readers when all of memory was full, one more and a writer above memory.high when $pending pages had to be written"
for reason in $reasons; do
	made=$(grep -c "^$$ $reason " "$tmp/ours")
	came=$(($(grep -c " $reason " "$tmp/ours") - made))
	note "$reason: $came waits of those who reclaim, $made made"
	[ "$came" -gt 0 ] || note "not provoked by load: $reason: $attempt"
	[ $((made + came)) -gt 0 ] || note "not provoked: $reason: $attempt, and 11 calls by a module"
done
for reason in isolated writeback; do # for which the kernel waits unasked
	expect "waits made, $reason" "$(grep -c "^$$ $reason " "$tmp/ours")" 11
done
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
