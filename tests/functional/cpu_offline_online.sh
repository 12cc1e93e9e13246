#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A CPU that is offline when the module is loaded and comes up later is recorded like any
# other, with stacks; going down and up again and again under load, while a second session comes and goes, loses
# nothing, balances, and leaves nothing behind.
# KTRC_CYCLES: how often (200).
# timeout: 900
# long
. tests/functional/lib.sh
. tests/leaks.sh

tmp=$(mktemp -d /run/XXXXXX)
cycles=${KTRC_CYCLES:-200}
cpu=/sys/devices/system/cpu/cpu1/online
trap 'echo 1 >$cpu' EXIT

# another_session: its life
another_session() {
	ktrc-ctl start -q --session=second --events=fault.light:stack=both,throttle --memory=1M &&
		json_events --session=second >"$tmp/second" && ktrc-ctl stop -q --session=second &&
		ktrc-ctl reset -q --session=second
}

# toggle CYCLE: each tenth time beside a session
toggle() {
	local pid=
	[ $(($1 % 10)) != 0 ] || { another_session & pid=$!; }
	echo 0 >$cpu || fail "offline"
	echo 1 >$cpu || fail "online"
	[ -z "$pid" ] || wait $pid || fail "another session: $?"
}

begin_load() {
	bursts=()
	for _ in 1 2; do
		touch_pages bursts 1000000000 >/dev/null &
		bursts+=($!)
	done
	throttle 0-1 0-1
}

end_load() {
	kill "${bursts[@]}"
	wait "${bursts[@]}" 2>/dev/null
	free_throttled
}

rmmod ktrc || fail "rmmod"
echo 0 >$cpu || fail "cannot take CPU 1 offline"
insmod ktrc.ko || fail "insmod"
ktrc-ctl start --events=fault,fault.light,throttle,madvise:stack=both,map,process,numa,reclaim,compaction --memory=4M ||
	fail "start: $?"
taskset -c 0 touch_pages read 1009 >/dev/null
expect "hits of a CPU that is offline" "$(counted 1 hits)" 0
echo 1 >$cpu || fail "cannot bring CPU 1 up"
taskset -c 1 touch_pages read 1009 >/dev/null
[ "$(counted 1 written)" -ge 2018 ] || fail "CPU 1 came up and records $(counted 1 written)"
expect "lost for want of a ring" "$(counted 1 lost_noring)" 0
taskset -c 1 known_stacks deep 101 9 >/dev/null || fail "known_stacks: $?"
json_events --stacks | jq -c 'select(.comm == "known_stacks" and .fields.advice == "MADV_NORMAL") |
	[.cpu, (.user_stack.frames | length >= 9), (.kernel_stack.frames | any(.[]; .function == "__x64_sys_madvise"))]' |
	sort | uniq -c | xargs >"$tmp/stacks"
expect "stacks of CPU 1" "$(cat "$tmp/stacks")" "101 [1,true,true]"
expect "exit code of check" "$(ktrc-read check >/run/said 2>&1; echo $?)" 0

run_cycles toggle "$cycles" "$(leftovers)"
ktrc-ctl stop || fail "stop: $?"
ktrc-read check >/run/said || fail "check: $(cat /run/said)"
expect "lost for want of a ring" "$(counted 1 lost_noring)" 0
ktrc-ctl stats --format=json >/run/stats
all_accounted /run/stats
note "$cycles times, $(jq '[.counters[].hits] | add' /run/stats) hits"
ktrc-ctl reset || fail "reset"
! grep -F '[ktrc]' /proc/vmallocinfo || fail "memory is left over"
