#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# How far back the recorder says it reaches is how far back its oldest record lies,
# within 5 %, for each CPU, before and after its ring wrapped.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

# "cpu reach_ns" by status; "cpu ns" from the oldest record to the stop
compare() {
	ktrc-ctl stop || fail "stop: $?"
	ktrc-ctl status | awk '$1 ~ /^[0-9]+$/ { print $1, $2 }' >"$tmp/status"
	ktrc-read --save "$tmp/$1" || fail "save: $?"
	stop=$(jq .end_ticks "$tmp/$1/ktrc/ktrc.json") || fail "no end in the trace"
	ktrc-read events "$tmp/$1" | awk -v stop="$stop" '
		$3 ~ /^[0-9]+$/ && !($3 in oldest) { oldest[$3] = $2 }
		END { for (cpu in oldest) print cpu, stop - oldest[cpu] }' >"$tmp/events"
	sort "$tmp/status" >"$tmp/a"
	sort "$tmp/events" >"$tmp/b"
	join "$tmp/a" "$tmp/b" >"$tmp/both"
	note "$1: cpu, status, records: $(paste -sd';' "$tmp/both")"
	expect "$1: CPUs" "$(wc -l <"$tmp/both")" 2
	awk '{ d = $2 - $3; if (d < 0) d = -d; if (d > 0.05 * $3) exit 1 }' "$tmp/both" ||
		fail "$1: off by more than 5 %"
}

overwritten() {
	ktrc-ctl status | awk '$1 ~ /^[0-9]+$/ { n += $4 } END { print n }'
}

load() {
	local cpu
	for cpu in 0 1; do
		taskset -c $cpu touch_pages storm "$1" >/dev/null || fail "touch_pages"
	done
}

# an unwrapped ring reaches from the start on: there are faults at once
for cpu in 0 1; do
	taskset -c $cpu touch_pages bursts 1000000000 >/dev/null &
	loads[cpu]=$!
done
sleep 1
ktrc-ctl start --events=fault --memory=32M || fail "start: $?"
sleep 0.2
kill "${loads[@]}"
wait "${loads[@]}" 2>/dev/null
sleep 5
compare whole
expect "bytes overwritten" "$(overwritten)" 0

ktrc-ctl start --events=fault --memory=512K || fail "start: $?"
load 17408
for _ in 1 2 3 4 5 6 7 8 9 10; do # each of its few packets spans a part of the time
	load 2048
	sleep 0.2
done
compare wrapped
[ "$(overwritten)" -gt 0 ] || fail "nothing was overwritten"
ktrc-ctl reset
