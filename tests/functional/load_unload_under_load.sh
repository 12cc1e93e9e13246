#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Load, start, each other time with every hook there is and with stacks, stop or read, unload, over and over, while
# every CPU faults and cgroups are throttled: nothing is left behind.  KTRC_CYCLES: how often (50).
# guest: turns
# timeout: 2400
. tests/functional/lib.sh
. tests/leaks.sh

tmp=$(mktemp -d /run/XXXXXX)

# cycle NR: what is done is done each other time, or what is left by it would not show
cycle() {
	local events=fault,fault.light
	[ $(($1 % 2)) != 0 ] || events+=:stack=both,madvise,reclaim,compaction,throttle,numa,map,process
	insmod ktrc.ko || fail "cycle $1: insmod: $?"
	in_cgroup $group ktrc-ctl start --events="$events" --memory=1M 2>/dev/null || fail "cycle $1: start: $?"
	case $(($1 % 4)) in
	0 | 3) ktrc-ctl stop 2>/dev/null || fail "cycle $1: stop: $?" ;;
	*) ktrc-read >/dev/null || fail "cycle $1: read: $?" ;;
	esac
	ktrc-ctl reset 2>/dev/null || fail "cycle $1: reset: $?"
	rmmod ktrc || fail "cycle $1: rmmod: $?"
}

begin_load() {
	local cpu
	throttle 0 1
	for cpu in 0 1; do
		while :; do taskset -c $cpu touch_pages bursts 5120; done >/dev/null &
		bursts+=($!)
	done
}

end_load() {
	kill "${bursts[@]}"
	wait "${bursts[@]}"
	bursts=()
	free_throttled
}

bursts=()
rmmod ktrc || fail "rmmod: $?"
trap '[ ${#bursts[@]} = 0 ] || end_load' EXIT
run_cycles cycle "${KTRC_CYCLES:-50}"
