#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A session with a maximum time stops by itself, not before and at most two seconds later,
# says why, and keeps its data; a new start gives it the same time again.  `run` ends with
# it.
# long
. tests/functional/lib.sh
. tests/sessions.sh

tmp=$(mktemp -d /run/XXXXXX)

state() {
	ktrc-ctl status --session=timed --format=json |
		jq -r '.sessions[0] | .state, .stop_reason, .filters.max_seconds' | xargs
}

# stops: it does, in its time
stops() {
	local now ms
	while now=$(state) || true; [ "$now" != "stopped max_time 3" ]; do
		[ "$now" = "running none 3" ] || fail "state: $now"
		sleep 0.1
	done
	ms=$(ktrc-ctl status --session=timed --format=json |
		jq '.sessions[0].recorded_ns / 1000000 | floor')
	note "$1: after $ms ms"
	if [ "$ms" -lt 3000 ] || [ "$ms" -ge 5000 ]; then
		fail "$1: recorded $ms ms"
	fi
}

ktrc-ctl start -q --session=other --memory=4M || fail "start: $?"
# all that takes time on a slow machine is done before the three seconds begin
mkfifo "$tmp/go"
(read -r <"$tmp/go" && exec touch_pages read 1009) >"$tmp/where" &
ktrc-ctl start -q --session=timed --max-time=3s --memory=4M || fail "start: $?"
echo >"$tmp/go"
wait $! || fail "touch_pages: $?"
where=$(<"$tmp/where")
stops "first time"
[[ $(ktrc-ctl status --session=timed) == *"maximum time was over"* ]] || fail "status: why?"
expect "the other" "$(ktrc-ctl status --session=other --format=json |
	jq -r '.sessions[0].state')" running
ktrc-read events -q --no-header --session=timed >"$tmp/timed" || fail "read: $?"
balanced timed
expect "records" "$(in_range timed fault "$where")" 1009
ktrc-ctl stop -q --session=timed 2>/dev/null
expect "exit code of a stop after that" $? 3
again=$(control start timed) || fail "start again: $again"
stops "again"
ktrc-ctl reset --session=timed && ktrc-ctl reset --session=other

SECONDS=0
ktrc-ctl run -q --max-time=1s 60s >/dev/null 2>&1
[ $SECONDS -lt 30 ] || fail "run went on for $SECONDS s"
