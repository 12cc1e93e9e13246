#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A client that shares no code with the tools, written with another netlink library, makes a
# session with a filter, starts, stops and deletes it, hears of that, and reads schema,
# counters and names; the tools see the same.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
ask_client "$tmp" independent '^counters [0-9]' mnl_client

fields=$(jq -r '[.events[] | select(.label == "fault").fields[] | "\(.name):\(.width_bits)"] |
	join(" ")' "$tmp/schema")
bytes=$(jq '.events[] | select(.label == "fault").bytes' "$tmp/schema")
expect "what it was told" "$(grep -v '^counters [0-9]' "$tmp/said")" \
	"session independent state 2 reason 1 pid 1 max 1000 events 2
rule event 1 flags 4 min 1 sample 1
fault bytes $bytes fields $fields
cgroup 1 /
counters balance 1 enough 1 lost 0
deleted, then: No such file or directory
notice 1 of independent lost 0
notice 2 of independent lost 0
notice 4 of independent lost 0"
expect "counters" "$(sed -n 's/^counters \([0-9]\)/\1/p' "$tmp/said")" \
	"$(jq -r '[.counters[] | [.hits, .written, .filtered]] | transpose | map(add) | join(" ")' \
		"$tmp/stats")"
expect "the rule that the tools see" \
	"$(jq -r '.sessions[0].events[].rule' "$tmp/status")" "min=1ns:user:1/1"
expect "its process that they see" \
	"$(jq -c '.sessions[0].filters.pids' "$tmp/status")" "[$client]"
