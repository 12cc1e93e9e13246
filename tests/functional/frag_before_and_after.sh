#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `frag` shows free blocks by zone and order at a session's start and at its stop as
# /proc/buddyinfo did, and the fragmentation index as the kernel computes it, when memory lies in
# pieces too; of a saved trace the same; of a session whose start nobody kept it says so.
# guest: small
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
index=/sys/kernel/debug/extfrag/extfrag_index

# witness FILE: "node zone order blocks index" of each, the index in thousandths
witness() {
	paste -d ' ' /proc/buddyinfo <(sed 's/.*zone *[^ ]* *//' $index) | awk '{ n = (NF - 4) / 2
		for (i = 0; i < n; i++) { split($(5 + n + i), f, "."); print $2 + 0, $4, i, $(5 + i), f[1] * 1000 + f[2] } }' >"$1"
}

# still BEFORE AFTER: what did not change meanwhile
still() {
	comm -12 <(sort "$1") <(sort "$2")
}

# calm: waits until the tools are in memory again and what is free moves no more
calm() {
	local i
	for ((i = 0; i < 100; i++)); do
		ktrc-ctl --help >/dev/null || fail "help: $?"
		witness "$tmp/calm.1"
		sleep 0.2
		witness "$tmp/calm.2"
		[ "$(still "$tmp/calm.1" "$tmp/calm.2" | wc -l)" -lt 20 ] || return 0
	done
	fail "what is free does not stand still"
}

# in_view WHEN: the same of the view
in_view() {
	jq -r ".rows[] | \"\\(.node) \\(.zone) \\(.order) \\(.$1) \\(.index_$1)\"" "$tmp/view"
}

# other ROWS WHEN: rows that the view has not, but for a few blocks that came and went meanwhile
other() {
	awk 'NR == FNR { blocks[$1, $2, $3] = $4; index_[$1, $2, $3] = $5; next }
		{ off = $4 - blocks[$1, $2, $3] }
		off * off > 16 || (!off && index_[$1, $2, $3] != $5)' <(in_view "$2") "$1"
}

# most of what is free lies in pieces; what does not is taken as huge pages, and none is made
echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
echo never >/sys/kernel/mm/transparent_hugepage/defrag
available=$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
mkfifo "$tmp/go"
calm
witness "$tmp/start.1"
ktrc-ctl start -q --events=reclaim --memory=2M || fail "start: $?"
witness "$tmp/start.2"
fragment $((available - 16)) <"$tmp/go" >"$tmp/said" &
exec {go}>"$tmp/go"
echo 11 >&"$go"
until grep -qx 11 "$tmp/said"; do
	kill -0 $! || fail "no fragments"
	sleep 0.1
done
calm
witness "$tmp/stop.1"
ktrc-ctl stop -q || fail "stop: $?"
witness "$tmp/stop.2"
exec {go}>&-
wait

ktrc-read frag --format=json >"$tmp/view" || fail "frag: $?"
ktrc-read frag | head -n 30
still "$tmp/start.1" "$tmp/start.2" >"$tmp/start"
still "$tmp/stop.1" "$tmp/stop.2" >"$tmp/stop"
note "$(wc -l <"$tmp/start") of $(wc -l <"$tmp/start.1") rows stood still at the start, $(wc -l <"$tmp/stop") at the stop"
[ "$(wc -l <"$tmp/start")" -ge 11 ] || fail "too few"
[ "$(wc -l <"$tmp/stop")" -ge 11 ] || fail "too few"
expect "at the start" "$(other "$tmp/start" before)" ""
expect "at the stop" "$(other "$tmp/stop" after)" ""
expect "rows" "$(jq '.rows | length' "$tmp/view")" "$(wc -l <"$tmp/start.1")"
jq -e '.rows | all(.delta == .after - .before)' "$tmp/view" >/dev/null || fail "delta"
note "$(jq '[.rows[] | select(.index_before < 0 and .index_after > 500)] | length' "$tmp/view") orders came to lie in pieces"
/usr/bin/python3 -W ignore -m jsonschema -i "$tmp/view" docs/schemas/ktrc.frag-1.json ||
	fail "its JSON is not as docs/schemas says"

ktrc-read -q --save "$tmp/trace" || fail "save: $?"
expect "saved" "$(ktrc-read frag --format=json "$tmp/trace" | jq -c .rows)" "$(jq -c .rows "$tmp/view")"
rm /run/ktrc/default.json
ktrc-read frag 2>"$tmp/err"
expect "without a base: exit" $? 3
grep -q 'nothing to show: not known at the start' "$tmp/err" || fail "without a base: $(cat "$tmp/err")"
ktrc-ctl reset -q
