#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The wall clock is set forward and back while a session records: times of records never
# run back, the books balance, and each reading of the clocks in the trace is what it was then.
# guest: plain
# guest: tsc
# long
. tests/functional/lib.sh

ktrc-ctl start --memory=8M --packet=4K || fail "start: $?"
for jump in '+1 day' '-1 day' '+10 years' '-10 years' '+3 seconds' '-3 seconds'; do
	taskset -c 0 touch_pages read 1009 >/dev/null
	taskset -c 1 touch_pages read 1009 >/dev/null
	date -s "$jump" >/dev/null || fail "date"
done
taskset -c 0 touch_pages read 1009 >/dev/null
ktrc-ctl stop || fail "stop: $?"

ktrc-read check || fail "check: $?"
ktrc-read --save=/run/trace || fail "save: $?"
babeltrace2 --clock-cycles /run/trace >/run/text 2>/run/complaints || fail "babeltrace2"
[ ! -s /run/complaints ] || fail "babeltrace2 complains: $(cat /run/complaints)"
json_events --all /run/trace >/run/events || fail "events: $?"
[ "$(grep -c '"event":"fault"' /run/events)" -ge 13117 ] ||
	fail "only $(grep -c '"event":"fault"' /run/events) faults"
jq -e -s 'group_by(.cpu) | all([.[].ticks] | . == sort)' /run/events >/dev/null ||
	fail "times run back"
# the calibrations show the jumps: real - mono of two packets differs by years
jq -s '[.[] | select(.event == "packet") | .fields.real_ns - .fields.mono_ns | . / 1e9 | round] | max - min' \
	/run/events >/run/span
[ "$(cat /run/span)" -gt 300000000 ] || fail "no calibration saw the jumps: $(cat /run/span) s"
ktrc-ctl reset
