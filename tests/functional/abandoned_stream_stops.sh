#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A stream that nobody consumes for 30 s stops by itself and says so; what it recorded stays
# readable.  A consumer with nothing to read keeps its stream; one that lets complete packets
# lie does not.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

# of SESSION FILTER
of() {
	ktrc-ctl status --session="$1" --format=json | jq -r ".sessions[0] | $2"
}

# start SESSION OPTION...
start() {
	ktrc-ctl start -q --mode=stream --memory=2M --packet=4K --session="$1" "${@:2}" ||
		fail "start $1: $?"
}

# consumer SESSION: attached to it
consumer() {
	ktrc-read -q events --follow --no-header --session="$1" >"$tmp/$1" &
	until [ "$(of "$1" .has_consumer)" = true ]; do sleep 0.1; done
}

# stops SESSION: by itself, in its time
stops() {
	local ms
	until [ "$(of "$1" .state)" = stopped ]; do
		[ "$(of "$1" '.recorded_ns / 1e9 | floor')" -lt 36 ] || fail "$1 still records"
		sleep 0.2
	done
	ms=$(of "$1" '.recorded_ns / 1e6 | floor')
	note "$1 stopped after $ms ms"
	expect "$1: why it stopped" "$(of "$1" .stop_reason)" no_consumer
	[ "$ms" -ge 30000 ] || fail "$1 stopped after $ms ms"
	ktrc-ctl status --session="$1" >"$tmp/status"
	grep -q 'stopped because nobody consumed it' "$tmp/status" || fail "status: $(cat "$tmp/status")"
}

sleep 1000 &
quiet=$!
start idle --pid=$quiet
consumer idle
idle=$!
start lazy
consumer lazy
lazy=$!
kill -STOP $lazy
start alone
touch_pages read 10007 >/dev/null

stops alone
ktrc-read events --no-header --session=alone >"$tmp/alone" || fail "reading it: $?"
[ "$(grep -c ' fault: ' "$tmp/alone")" -ge 10007 ] || fail "records: $(wc -l <"$tmp/alone")"
stops lazy
[ "$(of idle '.recorded_ns / 1e9 | floor')" -ge 30 ] || fail "idle is too young"
expect "the one with nothing to read" "$(of idle .state)" running
kill -CONT $lazy
wait $lazy
[ "$(grep -c ' fault: ' "$tmp/lazy")" -ge 10007 ] || fail "the lazy one got $(wc -l <"$tmp/lazy")"
kill -INT $idle
wait $idle
kill $quiet
for session in alone lazy idle; do
	ktrc-ctl reset --session=$session
done
