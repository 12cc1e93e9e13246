#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A module whose ring, in either mode, or clock does not do what it promises, or whose writers leave preemption off, does
# not load, and says why in one line; one that does has tried itself in less than 50 ms a CPU, also by interrupts that each CPU
# got from another one; a CPU that is kept busy is passed over. A hook that does not fire, of a page fault or of
# munmap, fails the start, which says so.
# guest: plain
# guest: icount
# guest: icount_pair
# host: make -s -j4 -C tests/functional broken
. tests/functional/lib.sh

rmmod ktrc || fail "rmmod: $?"
declare -A why=([ring]="a record is.*" [flight]=".*" [clock]="the clock runs back"
	[rate]="the clock does not run at its rate" [preempt]="a writer leaves preemption in another state")
for kind in "${!why[@]}"; do
	echo "<6>begin $kind" >/dev/kmsg
	insmod build/functional/broken-"$kind"/ktrc.ko 2>/run/said && fail "a broken $kind loads"
	grep -q "Input/output error" /run/said || fail "insmod: $(cat /run/said)"
	dmesg | sed "1,/begin $kind\$/d" | grep 'ktrc:' >/run/lines
	expect "lines of a broken $kind" "$(wc -l </run/lines)" 1
	grep -q "ktrc: self-test: CPU [0-9]*: ${why[$kind]}; not loaded\$" /run/lines || fail "$(cat /run/lines)"
	note "$(sed 's/.*ktrc: //' /run/lines)"
	[ ! -e /dev/ktrc ] || fail "a broken $kind left its device"
done

# no_start KIND EVENT OTHER: that event of the module is not recorded, the other one is
no_start() {
	local status=0
	insmod "build/functional/broken-$1/ktrc.ko" || fail "insmod: $?"
	ktrc-ctl start --events="$2" 2>/run/said || status=$?
	expect "exit code of a start with a hook that does not fire: $(cat /run/said)" $status 5
	grep -q "the hook is attached, but does not fire" /run/said || fail "start: $(cat /run/said)"
	ktrc-ctl start --events="$3" 2>/run/said || fail "start of another event: $(cat /run/said)"
	ktrc-ctl reset || fail "reset: $?"
	rmmod ktrc || fail "rmmod: $?"
}

# a CPU that a task has for itself is passed over, in each mode, and named
busy_cpu() {
	taskset -pc 0 $$ >/dev/null
	let_real_time_run
	spin chrt -f 1 taskset -c 1
	echo "<6>begin busy" >/dev/kmsg
	insmod ktrc.ko || fail "insmod beside a busy CPU: $?"
	kill -KILL "$spinner"
	wait "$spinner" 2>/dev/null
	restrain_real_time
	dmesg | sed "1,/begin busy\$/d" | sed -n 's/.*ktrc: //p' >/run/lines
	expect "lines about a busy CPU" "$(grep -c '^self-test: CPU 1 is too busy for it$' /run/lines)" 2
	expect "other lines" "$(grep -vc 'too busy' /run/lines)" 1
	rmmod ktrc || fail "rmmod: $?"
}

[ "$(nproc)" = 1 ] || busy_cpu
no_start hook fault.light fault
no_start faulthook fault fault.light
no_start maphook map fault.light

# calls: function call interrupts of each CPU
calls() {
	awk '$1 == "CAL:" { for (i = 2; $i + 0 == $i; i++) print $i }' /proc/interrupts
}

calls >/run/before
insmod ktrc.ko || fail "insmod: $?"
calls | paste /run/before - | awk '{ print $2 - $1 }' >/run/calls
[ "$(nproc)" = 1 ] || [ "$(sort -n /run/calls | head -n 1)" -ge 100 ] || fail "interrupts: $(tr '\n' ' ' </run/calls)"
us=$(dmesg | sed -n 's/.*ktrc: abi .* self-test \([0-9]*\) us$/\1/p' | tail -n 1)
note "$us us"
# elsewhere other processes of this machine take part in the time
! grep -q tsc_early_khz /proc/cmdline || [ "$us" -le $((50000 * $(nproc))) ] || fail "$us us"
