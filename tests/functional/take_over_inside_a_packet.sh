#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A consumer that reads a stream as docs/abi.md says takes over from one that was interrupted
# inside a packet: each record is read by exactly one of them.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

# interrupt: some records are shown, and the rest of the open packets is left
interrupt() {
	local reader
	ktrc-read -q events --follow --no-header >"$tmp/shown" &
	reader=$!
	until [ "$(wc -l <"$tmp/shown")" -ge 1009 ]; do
		kill -0 $reader || fail "$consumer: it has ended"
		sleep 0.1
	done
	kill -INT $reader
	wait $reader
	shown=$(wc -l <"$tmp/shown")
}

for consumer in take_over "consume $tmp/cells"; do
	ktrc-ctl start -q --mode=stream --memory=8M --packet=1M || fail "start: $?"
	touch_pages read 1009 >/dev/null
	interrupt
	$consumer >"$tmp/read" 2>"$tmp/err" &
	reader=$!
	until ktrc-ctl status --format=json | jq -e '.sessions[0].has_consumer' >/dev/null; do
		kill -0 $reader || fail "$consumer: $(cat "$tmp/err")"
		sleep 0.1
	done
	touch_pages read 1009 >/dev/null
	sleep 0.5 # some rounds while the packets are open
	ktrc-ctl stop -q || fail "stop: $?"
	wait $reader || fail "$consumer: $?: $(cat "$tmp/err")"
	read=$(awk '{ n += $NF } END { print n }' "$tmp/read")
	written=$(ktrc-ctl stats --format=json | jq '[.counters[].written] | add')
	note "$consumer: $shown shown, $read read"
	expect "$consumer: records shown and read, written" $((shown + read)) "$written"
	ktrc-ctl reset
done
