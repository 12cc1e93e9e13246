#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module is unloaded while tasks wait inside each function that it hooks: a hundred inside
# the handler of a page fault that advice raised, one in the reclaim of a memory cgroup. They go
# on as if it had never been, and nothing is left behind. KTRC_CYCLES: how often (20).
# timeout: 1500
# long
. tests/functional/lib.sh
. tests/leaks.sh
. tests/slow_swap.sh

tmp=$(mktemp -d /run/XXXXXX)
cycles=${KTRC_CYCLES:-20}
blocked=100
cgroup=/sys/fs/cgroup/tight
stuck=

# get_stuck: a task of which reclaim swaps out a page each 60 ms
get_stuck() {
	bash -c 'echo $$ >"$0"/cgroup.procs; exec perl -e "\$x = q(x) x 40e6"' $cgroup &
	stuck=$!
	until is_in_reclaim "$stuck"; do
		[ -d /proc/$stuck ] || fail "never stuck"
		sleep 0.05
	done
}

get_free() {
	kill -KILL "$stuck"
	wait "$stuck"
	stuck=
}

# block: sets blocker to a process with tasks inside madvise, and there inside the handler of a page fault
block() {
	mkfifo "$tmp/go" "$tmp/said"
	blocked $blocked populate <"$tmp/go" >"$tmp/said" &
	blocker=$!
	exec {go}>"$tmp/go"
	read -r _ <"$tmp/said" || fail "blocked: nothing is"
	rm "$tmp/go" "$tmp/said"
}

release() {
	echo >&"$go"
	exec {go}>&-
	wait "$blocker" || fail "blocked: $?"
}

cycle() {
	insmod ktrc.ko || fail "insmod: $?"
	ktrc-ctl start -q --events=fault,fault.light,reclaim,madvise --memory=1M || fail "start: $?"
	if [ -n "$stuck" ] && ! is_in_reclaim "$stuck"; then
		get_free
	fi
	[ -n "$stuck" ] || get_stuck
	block
	expect "tasks inside the handler" \
		"$(grep -lE 'handle_userfault' /proc/$blocker/task/*/stack | wc -l)" $blocked
	expect "tasks inside madvise" "$(grep -l 'do_madvise' /proc/$blocker/task/*/stack | wc -l)" $blocked
	ktrc-ctl reset -q || fail "reset: $?"
	if is_in_reclaim "$stuck"; then
		in_reclaim=$((in_reclaim + 1))
	fi
	rmmod ktrc || fail "rmmod: $?"
	release
}

echo never >/sys/kernel/mm/transparent_hugepage/enabled
rmmod ktrc || fail "rmmod: $?"
slow_swap
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir $cgroup
echo 8M >$cgroup/memory.high
in_reclaim=0
run_cycles cycle "$cycles"
get_free
rmdir $cgroup
no_swap
note "$blocked tasks inside the handler each time; $in_reclaim times one in reclaim"
[ $in_reclaim -ge "$cycles" ] || fail "seldom in reclaim"
