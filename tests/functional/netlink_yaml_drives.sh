#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A client that knows only docs/netlink.yaml, the kernel's own YNL, makes a session with a
# rule and a filter, starts, stops and deletes it, hears of that, and reads schema, counters
# and names; the file is as the kernel's schema of such files wants it.
# host: tests/ynl
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
ynl=$(tests/ynl 2>/dev/null) || skip "this machine's Debian has no source package with YNL"
ask_client "$tmp" spec '^cgroup' python3 tests/functional/prog/ynl_client.py "$ynl" docs/netlink.yaml

fields=$(jq -r '[.events[] | select(.label == "fault").fields[] | "\(.name):\(.width_bits)"] |
	join(" ")' "$tmp/schema")
expect "fields" "$(sed -n 's/^fields //p' "$tmp/said" | sed 's/:[a-z]*\( \|$\)/\1/g')" "$fields"
rows=$(($(getconf _NPROCESSORS_CONF) + 1))
expect "what it was told" "$(grep -vE '^(fields|total) ' "$tmp/said")" \
	"event avail=yes bytes=$(jq '.events[] | select(.label == "fault").bytes' "$tmp/schema") id=1 kind=data name=fault rules=['count', 'kernel', 'major', 'min', 'stack', 'user']
values kernel user gup
session events=2 max-seconds=1000 memory=4194304 mode=stream name=spec names-missed=0 packet-bytes=8192 pid=[1] state=stopped stop-reason=asked
rule event=1 flags=['count', 'user'] min-ns=5 sample=3
all sessions spec
counters $rows rows, balance 0 all pages True durations True buckets 40
cgroup /
deleted, then No such file or directory
notice started spec none lost 0
notice stopped spec asked lost 0
notice gone spec deleted lost 0"
expect "counters" "$(sed -n 's/^total //p' "$tmp/said")" \
	"$(jq -r '[.counters[] | [.hits, .written, .filtered]] | transpose | map(add) | join(" ")' "$tmp/stats")"
expect "the rule that the tools see" "$(jq -r '.sessions[0].events[].rule' "$tmp/status")" "min=5ns:user:count:1/3"
