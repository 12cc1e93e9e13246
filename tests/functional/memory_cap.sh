#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a small memory cgroup a session that is too large is ENOMEM to its caller, who lives
# and has what he had; one that fits is on the cgroup's account, with the rings of CPUs that
# come up later.  max_mb caps what all sessions take together, with one that was replaced while somebody has it open.
# long
. tests/functional/lib.sh

box=/sys/fs/cgroup/memory_cap
trap 'echo 1 >/sys/devices/system/cpu/cpu1/online' EXIT

charged() {
	cat $box/memory.current
}

rings() {
	grep -cF '[ktrc]' /proc/vmallocinfo
}

rmmod ktrc
echo 0 >/sys/devices/system/cpu/cpu1/online || fail "cannot take CPU 1 offline"
insmod ktrc.ko
mkdir -p $box || fail "mkdir"
echo +memory >/sys/fs/cgroup/cgroup.subtree_control || fail "no memory controller"
echo 24M >$box/memory.max
before=$(rings)

for memory in 256M 64M 30M; do
	in_cgroup $box ktrc-ctl start --memory=$memory 2>/run/said
	expect "--memory=$memory in 24 MiB: exit code" $? 1
	grep -q "not enough memory" /run/said || fail "--memory=$memory: $(cat /run/said)"
	expect "rings after --memory=$memory" "$(rings)" "$before"
	ktrc-ctl status >/dev/null 2>&1
	expect "a session is left of --memory=$memory: exit code" $? 3
done
grep -q '^oom_kill 0$' $box/memory.events || fail "killed: $(cat $box/memory.events)"

in_cgroup $box ktrc-ctl start --memory=6M || fail "6 MiB do not fit: $?"
[ "$(charged)" -ge $((6 << 20)) ] || fail "6 MiB for one CPU: only $(charged) bytes charged"
echo 1 >/sys/devices/system/cpu/cpu1/online || fail "cannot bring CPU 1 up"
[ "$(charged)" -ge $((12 << 20)) ] || fail "CPU 1 came up: only $(charged) bytes charged"
ktrc-ctl reset || fail "reset"
expect "rings after reset" "$(rings)" "$before"

ktrc-ctl start --memory=2G 2>/run/said
expect "--memory=2G: exit code" $? 1
grep -q max_mb /run/said || fail "--memory=2G: $(cat /run/said)"
rmmod ktrc && insmod ktrc.ko max_mb=8
{ ktrc-ctl start --session=one --memory=5M && ktrc-ctl stop --session=one; } || fail "5 of 8 MiB: $?"
ktrc-ctl start --session=one --memory=6M || fail "6 of 8 MiB in place of 5: $?"
ktrc-ctl start --session=two --memory=3M 2>/run/said
expect "3 MiB beside 6 of 8: exit code" $? 1
grep -q max_mb /run/said || fail "3 MiB beside 6 of 8: $(cat /run/said)"
ktrc-ctl start --session=two --memory=2M || fail "2 MiB beside 6 of 8: $?"
ktrc-ctl reset --session=two || fail "reset: $?"
ktrc-ctl stop --session=one
hold_map one >/run/held &
holder=$!
until grep -q mapped /run/held; do
	kill -0 $holder || fail "hold_map: $(cat /run/held)"
	sleep 0.1
done
ktrc-ctl start --session=one --memory=5M 2>/run/said
expect "5 of 8 MiB in place of 6 that are still open: exit code" $? 1
grep -q max_mb /run/said || fail "5 of 8 MiB in place of 6 that are still open: $(cat /run/said)"
kill $holder
wait $holder 2>/dev/null
ktrc-ctl start --session=one --memory=5M || fail "5 of 8 MiB in place of 6: $?"
ktrc-ctl reset --session=one || fail "reset: $?"
echo 0 >/sys/devices/system/cpu/cpu1/online
ktrc-ctl start --memory=6M || fail "6 of 8 MiB: $?"
echo 1 >/sys/devices/system/cpu/cpu1/online # 12 MiB: past the cap
taskset -c 1 touch_pages read 1009 >/dev/null
ktrc-ctl stop
[ "$(ktrc-ctl stats --format=json | jq '[.counters[] | select(.cpu == 1) | .lost_noring] | add')" -ge 1009 ] ||
	fail "CPU 1 got a ring beyond the cap: $(ktrc-ctl stats)"
ktrc-ctl reset
