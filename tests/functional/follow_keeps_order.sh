#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Who follows sees the records of all CPUs by rising time, each once, however they come.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

ktrc-ctl start -q --mode=stream --events=fault --memory=16M || fail "start: $?"
ktrc-read events --follow --format=ndjson >"$tmp/shown" &
reader=$!
for cpu in 0 1; do
	for ((i = 0; i < 40; i++)); do taskset -c $cpu touch_pages read 211; done >/dev/null &
	loads[cpu]=$!
done
wait "${loads[@]}"
ktrc-ctl stop -q || fail "stop: $?"
wait $reader || fail "follow: $?"
ktrc-ctl stats --format=json >"$tmp/stats" || fail "stats: $?"
expect "records" "$(grep -c '"event":"fault"' "$tmp/shown")" "$(jq '[.counters[].written] | add' "$tmp/stats")"
# in it, local time with nanoseconds; it does not change over to summer time meanwhile
grep -o '"time":"[^"]*"' "$tmp/shown" | LC_ALL=C sort -c 2>"$tmp/first" || fail "time runs back: $(cat "$tmp/first")"
note "$(wc -l <"$tmp/shown") records, of CPU 1 $(grep -c '"cpu":1' "$tmp/shown")"
ktrc-ctl reset -q
