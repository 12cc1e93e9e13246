#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a guest whose clock counts instructions, at the first go: the time in which a cgroup was kept off
# its CPU because its quota was used up is cpu.stat's throttled_usec within 1 %.
# guest: icount
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
top=/sys/fs/cgroup

echo +cpu >$top/cgroup.subtree_control
mkdir $top/limit || fail "mkdir"
echo "11000 53000" >$top/limit/cpu.max
ktrc-ctl start -q --events=throttle || fail "start: $?"
in_cgroup $top/limit perl -e "\$SIG{ALRM} = sub { exit }; alarm 5; 1 while 1"
until ktrc-ctl stats --format=json | jq -e '[.counters[] | select(.event == "throttle").hits] ==
	[.counters[] | select(.event == "throttle.begin").hits]' >/dev/null; do
	sleep 0.1
done
ktrc-ctl stop -q || fail "stop: $?"
theirs=$(sed -n 's/^throttled_usec //p' $top/limit/cpu.stat)
ktrc-read events --format=ndjson >"$tmp/ktrc" || fail "read: $?"
read -r ours records <<<"$(jq -rs 'map(select(.event == "throttle").fields.dur_ns) | "\(add / 1000) \(length)"' "$tmp/ktrc")"
note "$records intervals, $ours us; cpu.stat: $theirs us"
[ "$records" -ge 53 ] || fail "only $records intervals"
awk -v a="$ours" -v b="$theirs" 'BEGIN { exit !(a > 0.99 * b && a < 1.01 * b) }' || fail "other times"
ktrc-ctl reset -q
rmdir $top/limit
