#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `ktrc-read events --follow --top=N` ends after N records while the session goes on. What it did
# not show stays: the next reader shows the rest, and none is lost. One that is interrupted before it has seen that a
# stopped session has no more says that this is not all.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

# first N FORMAT: the next so many records
first() {
	local got=0
	timeout 60 ktrc-read events --follow --no-header --top="$1" --format="$2" >"$tmp/$2" || got=$?
	expect "exit code with --top=$1 --format=$2" "$got" 0
}

ktrc-ctl start -q --mode=stream --memory=16M || fail "start: $?"
touch_pages read 20011 >/dev/null
first 7 text
expect "records with --top=7" "$(wc -l <"$tmp/text")" 7
first 5 json
expect "records of the document with --top=5" "$(jq '.events | length' "$tmp/json")" 5
expect "the session" "$(ktrc-ctl status --format=json | jq -r '.sessions[0].state')" running
ktrc-ctl stop -q || fail "stop: $?"
first 5 json
expect "whether that is cut, of a session that has stopped" "$(jq .is_cut "$tmp/json")" false
ktrc-read events --follow --no-header >>"$tmp/text" 2>"$tmp/err" || fail "the rest: $?: $(cat "$tmp/err")"
# each reader has a calibration of its own: the same ticks need not be the same time
expect "records, each once" "$(cut -d ' ' -f 2- "$tmp/text" | sort -u | wc -l)" \
	"$(ktrc-ctl stats --format=json | jq '[.counters[].written] | add')"
ktrc-ctl reset

# interrupted: a reader of what is left in a session that has stopped, when its first lines are out
interrupted() {
	local reader
	ktrc-ctl start -q --mode=stream --memory=16M || fail "start: $?"
	touch_pages read 20011 >/dev/null
	ktrc-ctl stop -q || fail "stop: $?"
	ktrc-read events --follow --format=ndjson >"$tmp/ndjson" 2>"$tmp/err" &
	reader=$!
	until [ -s "$tmp/ndjson" ]; do
		kill -0 $reader || return
	done
	kill -INT $reader
	wait $reader || fail "interrupted: $?: $(cat "$tmp/err")"
	ktrc-ctl reset -q
	[ "$(tail -n 1 "$tmp/ndjson" | jq .is_cut)" = true ]
}

interrupted || interrupted || interrupted || fail "it was faster"
grep -q "this is not all" "$tmp/err" || fail "it does not say that this is not all: $(cat "$tmp/err")"
