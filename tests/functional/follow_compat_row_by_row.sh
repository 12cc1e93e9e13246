#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Who follows in the words of another tool gets each row as it comes, into a pipe as well, under one heading, with times since
# the first: in all as many as there are records of zones.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

# compact: until there are more rows, but for the heading
compact() {
	local before=$rows
	echo 1 >/proc/sys/vm/compact_memory || fail "compact_memory"
	for ((i = 0; i < 200; i++)); do
		rows=$(grep -vc '^TIME' "$tmp/rows")
		[ "$rows" -le "$before" ] || return 0
		kill -0 "$reader" || fail "the reader ended"
		sleep 0.1
	done
	fail "no row while it follows"
}

rows=0
ktrc-ctl start -q --mode=stream --events=compaction --memory=8M || fail "start: $?"
ktrc-read compaction --compat=compactsnoop --timestamp --follow 2>"$tmp/err" | cat >"$tmp/rows" &
for ((i = 0; i < 100; i++)); do
	reader=$(pgrep -x ktrc-read) && break
	sleep 0.1
done
compact
compact
ktrc-ctl stop -q || fail "stop: $?"
wait
expect "headings" "$(grep -c '^TIME' "$tmp/rows")" 1
expect "rows" "$(grep -vc '^TIME' "$tmp/rows")" \
	"$(ktrc-ctl stats --format=json | jq '[.counters[] | select(.event == "compaction.zone").written] | add')"
expect "time of the first" "$(sed -n '2s/ .*//p' "$tmp/rows")" 0.000000000
sed 1d "$tmp/rows" | cut -d' ' -f1 | sort -cn || fail "times run back"
expect "stderr" "$(cat "$tmp/err")" ""
note "$rows rows"
ktrc-ctl reset -q
