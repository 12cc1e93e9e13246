#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A consumer whose session was deleted, while another took its name, finishes with what it
# has: nothing of the other's gets into its trace.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

ktrc-ctl start -q --mode=stream --memory=4M --packet=4K || fail "start: $?"
touch_pages read 10007 >/dev/null
ktrc-read -q --follow --save "$tmp/trace" 2>"$tmp/err" &
reader=$!
# not before it has all it needs: who attached may still be asking
until compgen -G "$tmp/trace.tmp-*/ktrc/ktrc.json" >/dev/null; do
	kill -0 $reader || fail "the reader: $(cat "$tmp/err")"
	sleep 0.1
done
kill -STOP $reader
touch_pages read 10007 >/dev/null
ktrc-ctl reset || fail "reset: $?"
ktrc-ctl start -q --mode=stream --events=fault.light --memory=1M || fail "start again: $?"
touch_pages read 1009 >/dev/null
kill -CONT $reader
wait $reader || fail "the reader: $?: $(cat "$tmp/err")"

expect "how its session ended" "$(jq -r '.session | .state, .stop_reason' "$tmp/trace/ktrc/ktrc.json" |
	xargs)" "stopped deleted"
expect "events in its counters" \
	"$(jq -r '[.counters_after[].event] | unique | join(" ")' "$tmp/trace/ktrc/ktrc.json")" fault
[ "$(ktrc-read -q events --no-header "$tmp/trace" | grep -c ' fault: ')" -ge 20014 ] ||
	fail "records: $(ktrc-read events --no-header "$tmp/trace" | wc -l)"
ktrc-read check "$tmp/trace" >"$tmp/check" || fail "check: $(cat "$tmp/check")"
expect "the new session" "$(ktrc-ctl status --format=json | jq -r '.sessions[0].state')" running
ktrc-ctl reset
