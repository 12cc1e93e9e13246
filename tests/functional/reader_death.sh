#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# 200 readers and controllers killed by SIGKILL at random moments: no record is read twice
# or lost, the session records on, nothing is left behind.
# long
. tests/functional/lib.sh

RANDOM=31337
cells=/run/cells
kills=0

# killed MS COMMAND...: within so many milliseconds
killed() {
	local victim within=$1
	shift
	"$@" >/dev/null 2>&1 &
	victim=$!
	sleep "$(printf '0.%03d' $((RANDOM % within)))"
	kill -KILL $victim 2>/dev/null || return 0
	wait $victim 2>/dev/null
	[ $? = 137 ] && kills=$((kills + 1))
}

ktrc-ctl start --mode=stream --memory=1M --packet=4K || fail "start: $?"
nice -n 19 touch_pages bursts 1000000000 >/dev/null &
bursts=$!
round=0
until [ $kills -ge 200 ]; do
	killed 50 consume $cells
	killed 50 consume $cells
	case $((round++ % 5)) in
	0) killed 40 ktrc-ctl stats ;;
	1) killed 40 ktrc-read --session=default ;;
	2) killed 60 ktrc-ctl start --session=other --memory=1M --events=fault.light ;;
	3) killed 60 ktrc-ctl stop --session=other ;;
	4) killed 60 ktrc-ctl reset --session=other ;;
	esac
done
ktrc-ctl reset --session=other >/dev/null 2>&1

ktrc-ctl status --session=default --format=json | jq -e '.sessions[0].state == "running"' >/dev/null ||
	fail "it does not record any more: $(ktrc-ctl status)"
kill $bursts
wait $bursts
ktrc-ctl stop || fail "stop: $?"
consume $cells | sort >/run/read || fail "consume: $?"
ktrc-ctl stats --session=default --format=json >/run/stats || fail "stats: $?"
jq -r '.counters[] | select(.cpu != null) | "\(.cpu) \(.event_id) \(.written)"' /run/stats |
	sort >/run/written
expect "records read" "$(cat /run/read)" "$(cat /run/written)"
all_accounted /run/stats
note "$kills killed, $(jq '[.counters[].hits] | add' /run/stats) hits"
ktrc-ctl reset || fail "reset: $?"
! grep -F '[ktrc]' /proc/vmallocinfo || fail "memory is left over"
rmmod ktrc || fail "the module is still in use"
