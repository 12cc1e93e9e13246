#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A cgroup that is removed while a CPU quota keeps it off a CPU is kept off no more: each begin
# has its end, 17 times, and nothing is shown as under way.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
top=/sys/fs/cgroup

begins() {
	ktrc-ctl stats --format=json | jq '[.counters[] | select(.event == "throttle.begin").hits] | add'
}

echo +cpu >$top/cgroup.subtree_control
ktrc-ctl start -q --events=throttle || fail "start: $?"
taskset -c 1 perl -e '1 while 1' &
pid=$!
for _ in {1..17}; do
	before=$(begins)
	mkdir $top/short || fail "mkdir"
	# nothing ends it but the period, which is a second
	echo "1000 1000000" >$top/short/cpu.max
	echo $pid >$top/short/cgroup.procs || fail "cannot move"
	until [ "$(begins)" -gt "$before" ]; do
		sleep 0.02
	done
	echo $pid >$top/cgroup.procs || fail "cannot move back"
	rmdir $top/short || fail "rmdir"
done
kill -9 $pid
wait
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read events --format=ndjson >"$tmp/ktrc" || fail "read: $?"
ktrc-read throttle --format=json >"$tmp/view" || fail "view: $?"
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
expect "begins without end" "$(jq -rs '(map(select(.event == "throttle.begin").fields.cgid) | group_by(.) | map("\(.[0]) \(length)")) -
	(map(select(.event == "throttle").fields.cgid) | group_by(.) | map("\(.[0]) \(length)")) | .[]' "$tmp/ktrc")" ""
cgroups=$(jq -rs 'map(select(.event == "throttle").fields.cgid) | unique | length' "$tmp/ktrc")
expect "cgroups" "$cgroups" 17
expect "under way" "$(jq -c .under_way "$tmp/view")" "[]"
expect "names" "$(jq -r '.quotas[].cgroup' "$tmp/view" | sort -u)" /short
ktrc-ctl reset -q
