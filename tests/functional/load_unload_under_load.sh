#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Load, start, stop, unload, over and over, while every CPU faults: nothing is left
# behind.  KTRC_CYCLES: how often (50).
# timeout: 1500
. tests/functional/lib.sh

cycles=${KTRC_CYCLES:-50}

leftovers() {
	grep -c ktrc /proc/vmallocinfo
	grep -c ktrc /proc/misc
	grep -c handle_mm_fault /sys/kernel/debug/kprobes/list
}

# mappings of the kernel, whoever made them
mappings() {
	wc -l </proc/vmallocinfo
}

rmmod ktrc || fail "rmmod: $?"
before=$(leftovers) mappings_before=$(mappings)
for cpu in 0 1; do
	while :; do taskset -c $cpu touch_pages bursts 5120; done >/dev/null &
done
trap 'kill $(jobs -p); wait' EXIT

for ((i = 0; i < cycles; i++)); do
	insmod ktrc.ko || fail "cycle $i: insmod: $?"
	ktrc-ctl start --events=fault,fault.light --memory=1M 2>/dev/null || fail "cycle $i: start: $?"
	case $((i % 3)) in
	0) ktrc-ctl stop 2>/dev/null || fail "cycle $i: stop: $?" ;;
	1) ktrc-read >/dev/null || fail "cycle $i: read: $?" ;;
	esac
	ktrc-ctl reset 2>/dev/null || fail "cycle $i: reset: $?"
	rmmod ktrc || fail "cycle $i: rmmod: $?"
done
note "$cycles cycles"
expect "left behind" "$(leftovers)" "$before"
more=$(($(mappings) - mappings_before))
[ $more -lt 20 ] || fail "$more more kernel mappings than before"
