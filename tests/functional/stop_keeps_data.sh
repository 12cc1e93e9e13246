#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What was recorded when a session stopped stays: the same bytes for every reader,
# whatever happens on the machine, until `start` replaces or `reset` frees it.
. tests/functional/lib.sh

touch_both() {
	local pids=() cpu
	for cpu in 0 1; do
		taskset -c $cpu touch_pages storm 15000 >/dev/null &
		pids+=($!)
	done
	wait "${pids[@]}"
}

counters() {
	ktrc-ctl stats --format=json | jq .counters
}

rings() {
	grep -F '[ktrc]' /proc/vmallocinfo | grep -c ' vmap'
}

ktrc-ctl start --events=fault,fault.light --memory=512K --packet=16K || fail "start: $?"
touch_both
ktrc-ctl stop || fail "stop: $?"
json_events --all >/tmp/events || fail "events: $?"
counters >/tmp/counters
control state >/tmp/state
[ "$(wc -l </tmp/events)" -gt 10000 ] || fail "only $(wc -l </tmp/events) records"

touch_both &
for i in {1..5}; do
	json_events --all >/tmp/again || fail "events: $?"
	cmp /tmp/events /tmp/again || fail "reading $i differs"
	ktrc-read >/dev/null || fail "summary: $?"
done
wait
for i in {1..20}; do
	tally >/dev/null || fail "tally: $?"
done
rm -rf /tmp/trace
ktrc-read --save /tmp/trace || fail "save: $?"
json_events --all /tmp/trace >/tmp/again || fail "events of the trace: $?"
cmp /tmp/events /tmp/again || fail "the saved trace differs"
ktrc-ctl stop 2>/dev/null
expect "exit code of a second stop" $? 3
expect "counters after a storm" "$(counters)" "$(cat /tmp/counters)"
expect "session and counters" "$(control state)" "$(cat /tmp/state)"

ktrc-ctl start --memory=512K --packet=16K || fail "start: $?"
ktrc-ctl stop || fail "stop: $?"
json_events >/tmp/again || fail "events: $?"
old=$(tail -n 1 /tmp/events | jq .ticks) new=$(head -n 1 /tmp/again | jq .ticks)
[ "$new" -gt "$old" ] || fail "start did not replace the records"
expect "rings of the new session" "$(rings)" 2
ktrc-ctl reset || fail "reset: $?"
expect "rings after reset" "$(rings)" 0
ktrc-read 2>/dev/null
expect "exit code of a read after reset" $? 3
