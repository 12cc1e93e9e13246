#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Whichever call fails by which a trace is written, the 1st, the 2nd, ... the last: what was
# to be saved is still in the session, or in a trace of whole packets that says if it is not
# all; each record is in one of them, once. `run`, whose session ends with it, keeps what was
# written. The tool says what failed, why, and what is left where.
# long
. tests/functional/lib.sh
. tests/recorder.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=$tmp/trace
eio=5 enospc=28 errnum=$eio
consumer_calls="close fallocate fsync ftruncate mkdir mkdirat open rename renameat write"

# hit N WAY [CALL]: with the Nth call failing, or the Nth of that name, by turns with either
# number; false if there are not so many: then all went well
hit() {
	local why="Input/output error"
	rm -rf "$tmp/hit" "$trace" "$trace".tmp-*
	errnum=$((eio + enospc - errnum))
	[ $errnum = $eio ] || why="No space left on device"
	plan=fail:$1:$errnum${3:+:$3}
	try "$2" "$trace"
	plan=
	if [ ! -e "$tmp/hit" ]; then
		expect "exit code of $2 without a failure" "$status $(<"$tmp/err")" "0 "
		return 1
	fi
	call=$(<"$tmp/hit")
	echo "$2 $call" >>"$tmp/hits"
	complained "$trace" "$why"
	left_of "$trace"
}

# visited WAY CALLS: that each of them was among those that failed
visited() {
	expect "calls of $1 that failed" "$(sed -n "s/^$1 //p" "$tmp/hits" | sort -u | xargs)" "$2"
	note "$1: $(grep -c "^$1 " "$tmp/hits") calls failed, one at a time; $SECONDS s"
}

# record: on both CPUs
record() {
	taskset -c 0 touch_pages read 503 >/dev/null
	taskset -c 1 ktrc-ctl stop -q || fail "stop: $?"
}

# The session notices nothing, and a trace is whole or not there.
kept_in_session() {
	local nr
	for ((nr = 1; ; nr++)); do
		hit $nr "$1" || break
		[ -z "$left" ] || diff -r "$tmp/whole" "$left" || fail "call $nr ($call): half a trace"
	done
	diff -r "$tmp/whole" "$trace" || fail "$1: not the same trace"
}

# What is left of each try is the next one's; in the end every record has been kept, once.
consumed() {
	local nr
	for ((nr = 1; ; nr++)); do
		hit $nr follow || break
		[ -n "$left" ] || continue
		whole_packets "$left"
		told_where "$left"
		records "$left" >>"$tmp/kept"
		[ -n "$is_cut" ] || expect "records left by call $nr ($call)" "$(records)" ""
		[[ $left != *.tmp-* ]] || expect "call $nr ($call): $left is cut" "$is_cut" 1
		control start default
		record
	done
	readable "$trace"
	records "$trace" >>"$tmp/kept"
	none_lost "$tmp/kept"
}

# What the summary counts is in the trace, but for what could not be written.
kept_of_run() {
	[ -n "$left" ] || return 0
	whole_packets "$left"
	told_where "$left"
	[[ $left == *.tmp-* ]] || grep -q 'holds the oldest' "$tmp/err" ||
		expect "$1: $left is cut" "$is_cut" ""
	grep -q 'holds the oldest' "$tmp/err" || expect "records, although $1 failed" \
		"$(records "$left" | wc -l)" "$(nr_records "$tmp/out")"
}

# Each name by itself: how often it writes depends on when it gets to it.
ran() {
	local name nr
	for name in $consumer_calls; do
		for ((nr = 1; ; nr++)); do
			hit $nr run "$name" || break
			kept_of_run "$name $nr"
		done
	done
	readable "$trace"
	expect "records of run" "$(records "$trace" | wc -l)" "$(nr_records "$tmp/out")"
}

ktrc-ctl start -q --packet=4K --memory=1M || fail "start: $?"
record
control state >"$tmp/state"
ktrc-read -q --save="$tmp/whole" || fail "save: $?"
kept_in_session save
visited save "close fsync ftruncate mkdir mkdirat open rename renameat write"
kept_in_session snapshot
visited snapshot "close fsync ftruncate mkdir mkdirat open rename renameat write"
expect "session and counters" "$(control state)" "$(<"$tmp/state")"
ktrc-ctl reset
ktrc-ctl start -q --packet=4K --memory=1M --mode=stream || fail "start: $?"
record
consumed
visited follow "$consumer_calls"
ktrc-ctl reset
ran
visited run "$consumer_calls"
note "$tries runs"
