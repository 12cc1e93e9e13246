#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A cgroup that is removed while a CPU quota keeps it off a CPU is kept off no more, nor is one whose cpu
# controller is switched off: each begin has its end, 17 and 5 times, and nothing is shown as under way.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
top=/sys/fs/cgroup

begins() {
	ktrc-ctl stats --format=json | jq '[.counters[] | select(.event == "throttle.begin").hits] | add'
}

# is_kept_off AT_LEAST CGROUP: gives it a quota that is used up at once, and waits until so many are kept off
is_kept_off() {
	local before
	before=$(begins)
	# nothing ends it but the period, which is a second
	echo "1000 1000000" >"$2/cpu.max"
	until [ "$(begins)" -ge $((before + $1)) ]; do
		sleep 0.02
	done
}

# ends CGID: intervals that are over
ends() {
	json_events | jq -s --argjson cgid "$1" 'map(select(.event == "throttle" and .fields.cgid == $cgid)) | length'
}

echo +cpu >$top/cgroup.subtree_control
ktrc-ctl start -q --events=throttle || fail "start: $?"
spin taskset -c 1
pid=$spinner
for _ in {1..17}; do
	mkdir $top/short || fail "mkdir"
	echo $pid >$top/short/cgroup.procs || fail "cannot move"
	is_kept_off 1 $top/short
	echo $pid >$top/cgroup.procs || fail "cannot move back"
	rmdir $top/short || fail "rmdir"
done
for _ in {1..5}; do
	mkdir $top/upper || fail "mkdir"
	echo +cpu >$top/upper/cgroup.subtree_control
	mkdir $top/upper/below || fail "mkdir"
	echo $pid >$top/upper/below/cgroup.procs || fail "cannot move"
	cgid=$(stat -c %i $top/upper/below)
	is_kept_off 2 $top/upper
	ended=$(ends "$cgid")
	echo -cpu >$top/upper/cgroup.subtree_control
	sleep 0.4
	[ "$(ends "$cgid")" -gt "$ended" ] || fail "kept off without a cpu controller"
	echo $pid >$top/cgroup.procs || fail "cannot move back"
	rmdir $top/upper/below $top/upper || fail "rmdir"
done
kill -9 $pid
wait
ktrc-ctl stop -q || fail "stop: $?"
json_events >"$tmp/ktrc" || fail "read: $?"
ktrc-read throttle --format=json >"$tmp/view" || fail "view: $?"
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
expect "begins without end" "$(jq -rs '(map(select(.event == "throttle.begin").fields.cgid) | group_by(.) | map("\(.[0]) \(length)")) -
	(map(select(.event == "throttle").fields.cgid) | group_by(.) | map("\(.[0]) \(length)")) | .[]' "$tmp/ktrc")" ""
cgroups=$(jq -rs 'map(select(.event == "throttle").fields.cgid) | unique | length' "$tmp/ktrc")
expect "cgroups" "$cgroups" 27
expect "under way" "$(jq -c .under_way "$tmp/view")" "[]"
expect "names" "$(jq -r '.quotas[].cgroup' "$tmp/view" | sort -u)" "/short
/upper"
ktrc-ctl reset -q
