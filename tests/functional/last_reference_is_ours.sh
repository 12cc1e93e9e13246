#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Of a file that a process had mapped the last reference may be ktrc's, once that has ended: it is given back by a
# worker of ktrc's own, and not in the queue of all kernel threads, which a file system could stop.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
events=/sys/kernel/tracing
pids=()

# mapper FILE: maps it, closes it, and is there until it is killed; it ends before a worker runs on its CPU
mapper() {
	# shellcheck disable=SC2016 # perl's: mmap(2)
	chrt -f 1 taskset -c 0 perl -e 'open F, "<", shift or die $!; (syscall 9, 0, 4096, 1, 2, fileno F, 0) > 0 or die $!; close F;
		open F, ">", shift; close F; sleep' "$1" "$1.mapped" &
	pids+=($!)
}

# workers EVENT: how often one came there
workers() {
	awk -v where=": $1: " 'index($0, where) && /kworker/ { n++ } END { print n + 0 }' $events/trace
}

printf '%s\n' 'p:ktrc_test/file __fput_sync' 'p:ktrc_test/queue delayed_fput' >$events/kprobe_events || fail "kprobe_events"
trap 'restrain_real_time; echo 0 >$events/events/ktrc_test/enable; echo >$events/kprobe_events' EXIT
let_real_time_run
for i in {1..20}; do
	echo "$i" >"$tmp/$i"
	mapper "$tmp/$i"
done
for i in {1..20}; do
	until [ -e "$tmp/$i.mapped" ]; do
		sleep 0.1
	done
done
echo 1 >$events/events/ktrc_test/enable
ktrc-ctl start -q --events=map || fail "start: $?"
kill "${pids[@]}"
wait "${pids[@]}" 2>/dev/null
ktrc-ctl stop -q || fail "stop: $?"
ktrc-ctl reset -q || fail "reset: $?"
rmmod ktrc || fail "rmmod: $?"
note "$(workers file) files end in a kernel thread, the queue is worked off $(workers queue) times"
[ "$(workers file)" -ge 20 ] || fail "not all of the last references were ours"
expect "times that the queue of all is used" "$(workers queue)" 0
