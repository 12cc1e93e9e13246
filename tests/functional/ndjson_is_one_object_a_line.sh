#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What --format=ndjson prints is objects, each in one line of its own, of each verb and view; the last
# of a document's says of which, with loss and overhead.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

# lines LEAST COMMAND...: prints at least so many objects, one a line
lines() {
	local least=$1 nr
	shift
	"$@" --format=ndjson >"$tmp/out" 2>"$tmp/err" || fail "$*: $?: $(cat "$tmp/err")"
	nr=$(jq -R 'fromjson | objects | 1' "$tmp/out" 2>"$tmp/err" | wc -l)
	[ ! -s "$tmp/err" ] || fail "$*: $(cat "$tmp/err"): $(head -3 "$tmp/out")"
	expect "$*: objects, lines" "$nr" "$(wc -l <"$tmp/out")"
	[ "$nr" -ge "$least" ] || fail "$*: only $nr objects"
}

# ends DOCUMENT: what was printed last is its end
ends() {
	expect "$1" "$(tail -n 1 "$tmp/out" | jq -r '[.of, (.lost | type), .overhead.is_estimate] | join(" ")')" "$1 number true"
}

ktrc-ctl start -q --events=fault --memory=4M || fail "start: $?"
ktrc-ctl start -q --events=fault.light --memory=4M --session=other || fail "start: $?"
touch_pages read 1009 >/dev/null
lines 8 ktrc-ctl list
lines 2 ktrc-ctl status
jq -se 'map(.session) == ["default", "other"]' "$tmp/out" >/dev/null || fail "status: $(cat "$tmp/out")"
lines 1 ktrc-ctl status --session=other
lines 3 ktrc-ctl stats
ends ktrc.stats/1
lines 2 ktrc-read summary
ends ktrc.summary/1
lines 2 ktrc-read faults
ends ktrc.faults/1
lines 1001 ktrc-read events
ends ktrc.events/1
lines 3 ktrc-read check
ends ktrc.check/1
lines 2 bash -c 'exec ktrc-ctl run -q "$@" -- true' run
ends ktrc.summary/1
ktrc-ctl reset
ktrc-ctl reset --session=other
