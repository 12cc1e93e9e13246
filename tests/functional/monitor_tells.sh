#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `monitor` tells of each start, stop with its reason, loss with its number and end of a
# session, a line each, as text and as NDJSON.  `reset` is one step, which no stop can come in
# between.  Ctrl-C and a closed pipe end it quietly.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
# job control gives them back the SIGINT that a script's background jobs ignore
set -m
ktrc-ctl monitor >"$tmp/text" 2>"$tmp/note" &
text=$!
ktrc-ctl monitor -q --format=ndjson >"$tmp/json" 2>"$tmp/err" &
json=$!
ktrc-ctl monitor -q --session=b >"$tmp/one" 2>>"$tmp/err" &
one=$!
set +m

# listeners: of the group of the family
listeners() {
	awk 'NR > 1 && $2 == 16 && $4 != "00000000" { n++ } END { print n + 0 }' /proc/net/netlink
}
until [ "$(listeners)" -ge 3 ]; do
	sleep 0.1
done

# told FILTER NUMBER: waits until so many notices match
told() {
	for _ in {1..100}; do
		[ "$(jq -c "select($1)" "$tmp/json" | wc -l)" -ge "$2" ] && return
		sleep 0.1
	done
	fail "not told: $1: $(cat "$tmp/json")"
}

ktrc-ctl start -q --session=a --memory=1M || fail "start: $?"
ktrc-ctl stop -q --session=a || fail "stop: $?"
ktrc-ctl start -q --session=b --mode=stream --memory=512K || fail "start: $?"
touch_pages storm 40960 >/dev/null # more than there is room for
told '.notice == "loss" and .session == "b"' 1
ktrc-ctl stop -q --session=b || fail "stop: $?"
lost=$(ktrc-ctl status --session=b --format=json | jq '.sessions[0].lost')
ktrc-ctl reset --session=b || fail "reset: $?"
ktrc-ctl start -q --session=c --memory=1M --max-time=1s || fail "start: $?"
told '.notice == "stopped" and .session == "c"' 1
ktrc-ctl reset --session=a
ktrc-ctl reset --session=c
ktrc-ctl start -q --session=d --memory=1M || fail "start: $?"
ktrc-ctl reset --session=d || fail "reset: $?"
told '.notice == "gone"' 4

kill -INT $text $json $one
wait $text
expect "exit code after Ctrl-C" $? 0
wait $json $one
expect "what else it said" "$(cat "$tmp/err")" ""
expect "the note" "$(wc -l <"$tmp/note")" 1
expect "without the losses" "$(jq -r 'select(.notice != "loss") |
	"\(.session) \(.notice) \(.stop_reason)"' "$tmp/json" | xargs -d '\n' | sed 's/ $//')" \
	"a started none a stopped asked b started none b stopped asked b gone deleted \
c started none c stopped max_time a gone deleted c gone deleted \
d started none d stopped deleted d gone deleted"
[ "$lost" -gt 0 ] || fail "nothing lost"
expect "lost when it stopped and when it was gone" "$(jq -s -c '[.[] | select(.session == "b" and
	(.notice == "stopped" or .notice == "gone")).lost]' "$tmp/json")" "[$lost,$lost]"
expect "losses grow" "$(jq -s --argjson lost "$lost" '[.[] | select(.notice == "loss").lost] |
	. == unique and .[0] > 0 and .[-1] <= $lost' "$tmp/json")" true
expect "lines of text" "$(wc -l <"$tmp/text")" "$(wc -l <"$tmp/json")"
grep -qE "^[0-9T:.+-]+  b: gone, $lost hits lost so far$" "$tmp/text" || fail "$(cat "$tmp/text")"
grep -q "  c: stopped (max_time)$" "$tmp/text" || fail "$(cat "$tmp/text")"
expect "of one session" "$(grep -cv '  b: ' "$tmp/one") $(wc -l <"$tmp/one")" \
	"0 $(grep -c '  b: ' "$tmp/text")"

{ ktrc-ctl monitor -q 2>"$tmp/err" && echo $? >"$tmp/code"; } | true
expect "after the reader of the pipe has gone" "$(cat "$tmp/err" "$tmp/code")" 0
ktrc-ctl monitor --format=json 2>"$tmp/err"
expect "exit code of --format=json" "$? $(grep -c ndjson "$tmp/err")" "2 1"
