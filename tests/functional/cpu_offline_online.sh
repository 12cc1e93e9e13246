#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A CPU that is offline when the module is loaded and comes up later is recorded like any
# other, with stacks. Each but the first goes down and up again and again under load, while one session is read, another
# one followed and a third one comes and goes: no CPU is without a ring, what is followed or comes and goes loses nothing,
# and all that is followed is read; the books balance, and nothing is left behind.
# KTRC_CYCLES: how often (200).
# guest: four
# timeout: 1200
# long
. tests/functional/lib.sh
. tests/leaks.sh

tmp=$(mktemp -d /run/XXXXXX)
cycles=${KTRC_CYCLES:-200}
cpus=/sys/devices/system/cpu
trap 'echo 1 | tee $cpus/cpu[123]/online >/dev/null' EXIT

# bring UP CPU: 1, or 0 for down
bring() {
	echo "$1" >$cpus/cpu"$2"/online || fail "CPU $2: cannot become $1"
}

# nothing_lost FILE: in this output of `ktrc-ctl stats --format=json`
nothing_lost() {
	all_accounted "$1"
	expect "lost" "$(jq '[.counters[] | .hits - .written - .filtered] | add' "$1")" 0
}

# third_session: its life, and what is read of the first one meanwhile
third_session() {
	in_cgroup $group ktrc-ctl start -q --session=third --events=fault.light:stack=both,throttle \
		--packet=4K --memory=128K &&
		ktrc-read check >"$tmp/check" 2>&1 &&
		json_events --session=third >"$tmp/third" && [ -s "$tmp/third" ] && ktrc-ctl stop -q --session=third &&
		ktrc-ctl stats --session=third --format=json >"$tmp/stats" && nothing_lost "$tmp/stats" &&
		ktrc-ctl reset -q --session=third
}

# third_sessions: one after the other, as long as there is load
third_sessions() {
	while [ -e "$tmp/load" ]; do
		third_session || return
		echo >>"$tmp/thirds"
	done
}

toggle() {
	bring 0 $(($1 % 3 + 1))
	bring 1 $(($1 % 3 + 1))
}

begin_load() {
	bursts=()
	for _ in 1 2 3; do
		touch_pages bursts 1000000000 >/dev/null &
		bursts+=($!)
	done
	throttle 0-3 0-3 0-3
	touch "$tmp/load"
	third_sessions &
	third=$!
}

end_load() {
	rm "$tmp/load"
	wait $third || fail "the third session, or a check of the first: $?; the last check: $(cat "$tmp/check")"
	kill "${bursts[@]}"
	wait "${bursts[@]}" 2>/dev/null
	free_throttled
}

rmmod ktrc || fail "rmmod"
bring 0 1
insmod ktrc.ko || fail "insmod"
ktrc-ctl start --events=fault,fault.light,throttle,madvise:stack=both,map,process,numa,reclaim,compaction --memory=4M ||
	fail "start: $?"
taskset -c 0 touch_pages read 1009 >/dev/null
expect "hits of a CPU that is offline" "$(counted 1 hits)" 0
bring 1 1
taskset -c 1 touch_pages read 1009 >/dev/null
[ "$(counted 1 written)" -ge 2018 ] || fail "CPU 1 came up and records $(counted 1 written)"
expect "lost for want of a ring" "$(counted 1 lost_noring)" 0
taskset -c 1 known_stacks deep 101 9 >/dev/null || fail "known_stacks: $?"
json_events --stacks | jq -c 'select(.comm == "known_stacks" and .fields.advice == "MADV_NORMAL") |
	[.cpu, (.user_stack.frames | length >= 9), (.kernel_stack.frames | any(.[]; .function == "__x64_sys_madvise"))]' |
	sort | uniq -c | xargs >"$tmp/stacks"
expect "stacks of CPU 1" "$(cat "$tmp/stacks")" "101 [1,true,true]"
expect "exit code of check" "$(ktrc-read check >/run/said 2>&1; echo $?)" 0

ktrc-ctl start -q --session=followed --mode=stream --events=throttle,process --packet=4K --memory=256K || fail "start: $?"
json_events --session=followed --follow 2>"$tmp/said" | jq .cpu |
	awk '{ cpus[$1] } END { print NR " of " length(cpus) " CPUs" }' >"$tmp/followed" &
follower=$!
run_cycles toggle "$cycles" "$(leftovers)"
ktrc-ctl stop -q --session=followed || fail "stop: $?"
wait $follower || fail "the follower: $?: $(<"$tmp/said")"
ktrc-ctl stats --session=followed --format=json >/run/stats || fail "stats: $?"
nothing_lost /run/stats
expect "records that were followed" "$(<"$tmp/followed")" "$(jq '[.counters[].written] | add' /run/stats) of 4 CPUs"
ktrc-ctl reset -q --session=followed || fail "reset: $?"
ktrc-ctl stop || fail "stop: $?"
ktrc-read check >/run/said || fail "check: $(cat /run/said)"
ktrc-ctl stats --format=json >/run/stats || fail "stats: $?"
all_accounted /run/stats
expect "lost for want of a ring" "$(jq '[.counters[].lost_noring] | add' /run/stats)" 0
thirds=$(wc -l <"$tmp/thirds")
[ $((50 * thirds)) -ge "$cycles" ] || fail "only $thirds third sessions"
note "$cycles times; $(<"$tmp/followed") followed, $thirds third sessions; $(jq '[.counters[].hits] | add' /run/stats) hits"
ktrc-ctl reset || fail "reset"
! grep -F '[ktrc]' /proc/vmallocinfo || fail "memory is left over"
