#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A snapshot of a running session, a flight recorder or a stream, leaves it running, takes
# nothing from its consumer, changes no counter, and is a whole trace of what it held.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
kprobes=/sys/kernel/debug/kprobes/enabled

written() {
	ktrc-ctl stats --format=json | jq '[.counters[].written] | add'
}

# snapshot NAME: while nothing can happen to the session
snapshot() {
	echo 0 >$kprobes
	control state >"$tmp/before"
	ktrc-ctl snapshot -q "$tmp/$1" || fail "snapshot $1: $?"
	control state >"$tmp/after"
	cmp -s "$tmp/before" "$tmp/after" || fail "$1: sessions or counters have changed"
	expect "$1: state" "$(ktrc-ctl status --format=json | jq -r '.sessions[0].state')" running
	written >"$tmp/written.$1"
	echo 1 >$kprobes
}

# is_whole NAME: a snapshot has all that had been written
is_whole() {
	expect "$1: records" "$(ktrc-read events -q --no-header "$tmp/$1" | wc -l)" "$(<"$tmp/written.$1")"
	expect "$1: packets that CTF readers miss" \
		"$(babeltrace2 "$tmp/$1" 2>&1 >/dev/null | grep -ci warning)" 0
}

ktrc-ctl start -q --memory=16M || fail "start: $?"
touch_pages read 10007 >/dev/null
snapshot flight
touch_pages read 1009 >/dev/null
first=$(ktrc-read events -q --no-header "$tmp/flight" | wc -l)
snapshot flight.later
second=$(ktrc-read events -q --no-header "$tmp/flight.later" | wc -l)
[ "$second" -ge $((first + 1009)) ] || fail "recording did not go on: $first, then $second"
ktrc-ctl snapshot -q "$tmp/flight" 2>"$tmp/err"
expect "exit code when the directory exists" "$? $(grep -c 'does not exist yet' "$tmp/err")" "1 1"
ktrc-ctl stop -q || fail "stop: $?"
ktrc-ctl reset
is_whole flight
is_whole flight.later

# little to do: a stream that nobody consumes for 30 seconds is stopped
ktrc-ctl start -q --mode=stream --memory=16M || fail "start: $?"
touch_pages read 503 >/dev/null
snapshot stream
snapshot stream.again
ktrc-ctl stop -q || fail "stop: $?"
is_whole stream
is_whole stream.again
consume "$tmp/cells" >"$tmp/read" || fail "consume: $?"
expect "what the consumer got" "$(awk '{ n += $3 } END { print n }' "$tmp/read")" "$(written)"

# under the hands of a consumer
ktrc-ctl start -q --mode=stream --memory=1M || fail "start: $?"
rm "$tmp/cells"
consume "$tmp/cells" >"$tmp/read" &
reader=$!
touch_pages bursts 1000000000 >/dev/null &
load=$!
for turn in 1 2 3; do
	ktrc-ctl snapshot -q "$tmp/busy.$turn" || fail "snapshot under load: $?"
	ktrc-read check -q "$tmp/busy.$turn" >"$tmp/check" || fail "check: $(cat "$tmp/check")"
done
kill $load || fail "the load had ended"
ktrc-ctl stop -q || fail "stop: $?"
wait $reader || fail "consume: $?"
expect "what the busy consumer got" "$(awk '{ n += $3 } END { print n }' "$tmp/read")" "$(written)"
ktrc-ctl reset
