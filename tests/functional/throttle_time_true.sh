#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a guest whose clock counts instructions, at the first go: the time in which a cgroup was kept off
# its CPU because its quota was used up is cpu.stat's throttled_usec within 1 %, also where it was kept off by
# another quota as well.
# guest: icount
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
top=/sys/fs/cgroup

# stat_of CGROUP KEY
stat_of() {
	sed -n "s/^$2 //p" "$top/$1/cpu.stat"
}

# record CGROUP...: a task in each uses up what it gets for five seconds
record() {
	local cgroup
	ktrc-ctl start -q --events=throttle || fail "start: $?"
	for cgroup; do
		in_cgroup "$top/$cgroup" perl -e "\$SIG{ALRM} = sub { exit }; alarm 5; 1 while 1" &
	done
	wait
	until ktrc-ctl stats --format=json | jq -e '([.counters[] | select(.event == "throttle").hits] | add) ==
		([.counters[] | select(.event == "throttle.begin").hits] | add)' >/dev/null; do
		sleep 0.1
	done
	ktrc-ctl stop -q || fail "stop: $?"
	json_events >"$tmp/ktrc" || fail "read: $?"
	ktrc-read throttle --format=json >"$tmp/view" || fail "view: $?"
	ktrc-ctl reset -q
}

# is_true CGROUP BEFORE: the time that its own quota took since then, of records and in the view
is_true() {
	local theirs ours in_view records
	theirs=$(($(stat_of "$1" throttled_usec) - $2))
	read -r ours records <<<"$(jq -rs --arg cgroup "/$1" 'map(select(.event == "throttle" and .fields.cgroup == $cgroup).fields |
		.dur_ns * .own_ppm / 1e6) | "\(add / 1000 | floor) \(length)"' "$tmp/ktrc")"
	in_view=$(jq --arg cgroup "/$1" '.quotas[] | select(.cgroup == $cgroup).total_ns / 1000 | floor' "$tmp/view")
	note "$1: $records intervals, $ours us, in the view $in_view us; cpu.stat: $theirs us"
	[ "$records" -ge 53 ] || fail "only $records intervals"
	awk -v a="$ours" -v b="$theirs" -v c="$in_view" 'BEGIN { exit !(a > 0.99 * b && a < 1.01 * b && c > 0.99 * b && c < 1.01 * b) }' ||
		fail "other times"
}

echo +cpu >$top/cgroup.subtree_control
mkdir $top/limit || fail "mkdir"
echo "11000 53000" >$top/limit/cpu.max
record limit
expect "own" "$(jq -r 'select(.event == "throttle").fields.own_ppm' "$tmp/ktrc" | sort -u)" 1000000
is_true limit 0

# both quotas at once: the child's runs out while its parent's has, and the other way round
echo +cpu >$top/limit/cgroup.subtree_control
mkdir $top/limit/child $top/limit/other || fail "mkdir"
echo "30000 53000" >$top/limit/cpu.max
echo "5000 31000" >$top/limit/child/cpu.max
before=$(stat_of limit throttled_usec)
record limit/child limit/other
is_true limit "$before"
is_true limit/child 0
both=$(jq -s 'map(select(.event == "throttle" and .fields.nr_quotas == 2)) | length' "$tmp/ktrc")
note "$both intervals of both"
[ "$both" -ge 11 ] || fail "only $both intervals of both"
rmdir $top/limit/child $top/limit/other $top/limit
