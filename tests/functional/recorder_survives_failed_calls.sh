#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Whichever call fails by which a trace is written, the 1st, the 2nd, ... the last, with EIO, and if a
# full disk has a part in it, with ENOSPC: what was to be saved is still in the session, or in a
# trace of whole packets that says if it is not all; each record is in one of them, once. `run`,
# whose session ends with it, keeps what was written. The tool says what failed, why, and what
# is left where. What is to be saved has stacks, and names of processes that have ended; what is nowhere else is saved
# without names, rather than not, and that is told.
# timeout: 1200
# long
. tests/functional/lib.sh
. tests/recorder.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=$tmp/trace
consumer_calls="close fallocate fsync ftruncate mkdir mkdirat open rename renameat write"
full_disk="close fallocate fsync ftruncate write" # calls that fail with ENOSPC as well
eio=5 enospc=28
nr=0 errnum=$eio call='' nameless=0

# hit WAY [CALL]: with the next call failing, or the next of that name, or the same one with the
# other number; sets nr, errnum and call; false after the last: then all went well
hit() {
	local why="Input/output error"
	rm -rf "$tmp/hit" "$trace" "$trace".tmp-*
	if [ $errnum = $eio ] && [[ " $full_disk " == *" $call "* ]]; then
		errnum=$enospc why="No space left on device"
	else
		nr=$((nr + 1)) errnum=$eio
	fi
	plan=fail:$nr:$errnum${2:+:$2}
	try "$1" "$trace"
	plan=
	if [ ! -e "$tmp/hit" ]; then
		expect "exit code of $1 without a failure" "$status $(<"$tmp/err")" "0 "
		nr=0 call=''
		return 1
	fi
	call=$(<"$tmp/hit")
	echo "$1 $errnum $call" >>"$tmp/hits"
	complained "$trace" "$why"
	left_of "$trace"
}

# failed WAY NUMBER: calls that did with it
failed() {
	sed -n "s/^$1 $2 //p" "$tmp/hits" | sort -u | xargs
}

# visited WAY CALLS: that each of them was among those that failed
visited() {
	expect "calls of $1 that failed" "$(failed "$1" $eio)" "$2"
	expect "calls of $1 that failed on a full disk" "$(failed "$1" $enospc)" \
		"$(comm -12 <(xargs -n 1 <<<"$2") <(xargs -n 1 <<<"$full_disk") | xargs)"
	note "$1: $(grep -c "^$1 $eio " "$tmp/hits") calls failed, one at a time, $(grep -c "^$1 $enospc " "$tmp/hits")" \
		"of them on a full disk as well; $SECONDS s"
}

# record: on both CPUs
record() {
	taskset -c 0 touch_pages read 503 >/dev/null
	taskset -c 1 ktrc-ctl stop -q || fail "stop: $?"
}

# The session notices nothing, and a trace is whole or not there.
kept_in_session() {
	while hit "$1"; do
		[ -z "$left" ] || diff -r "$tmp/whole" "$left" || fail "call $nr ($call): half a trace"
	done
	diff -r "$tmp/whole" "$trace" || fail "$1: not the same trace"
}

# What is left of each try is the next one's; in the end every record has been kept, once.
consumed() {
	while hit follow; do
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
	if grep -q "^hint: $left holds all records, but no names of functions and files\$" "$tmp/err"; then
		jq -e '.code == null and .mapped == null' "$left/ktrc/ktrc.json" >/dev/null || fail "$1: it has names"
		nameless=$((nameless + 1))
	fi
	[[ $left == *.tmp-* ]] || grep -q 'holds the oldest' "$tmp/err" ||
		expect "$1: $left is cut" "$is_cut" ""
	grep -q 'holds the oldest' "$tmp/err" || expect "records, although $1 failed" \
		"$(records "$left" | wc -l)" "$(nr_records "$tmp/out")"
}

# Each name by itself: how often it writes depends on when it gets to it.
ran() {
	local name
	for name in $consumer_calls; do
		while hit run "$name"; do
			kept_of_run "$name $nr"
		done
	done
	readable "$trace"
	expect "records of run" "$(records "$trace" | wc -l)" "$(nr_records "$tmp/out")"
}

# The same of names, which are written last.
ran_with_names() {
	events=fault:stack=both,map,process
	while hit run write; do
		kept_of_run "write $nr"
	done
	readable "$trace"
	jq -e '.code.files | length > 0' "$trace/ktrc/ktrc.json" >/dev/null || fail "run has no names"
	[ "$nameless" -gt 0 ] || fail "it never came to names alone"
}

ktrc-ctl start -q --packet=4K --memory=1M --events=fault:stack=both,map,process || fail "start: $?"
record
control state >"$tmp/state"
ktrc-read -q --save="$tmp/whole" || fail "save: $?"
jq -e '(.code.files | length > 0) and (.mapped.rows | length > 0)' "$tmp/whole/ktrc/ktrc.json" >/dev/null || fail "it has no names"
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
ran_with_names
for errnum in $eio $enospc; do
	[ "$(grep -c " $errnum " "$tmp/hits")" -ge 100 ] || fail "not a hundred runs with error $errnum"
done
note "$tries runs"
