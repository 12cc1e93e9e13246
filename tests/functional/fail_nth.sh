#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# For each way to control ktrc the kernel's first allocation or copy fails, then the second, and
# so on: the call says so, what was there before is there still, nothing is left behind.  On
# kernels with fault injection only.
# timeout: 900
. tests/functional/lib.sh

injection=/sys/kernel/debug
[ -d $injection/failslab ] || skip "this kernel injects no faults"
for kind in failslab fail_page_alloc fail_usercopy; do
	echo 0 >$injection/$kind/verbose
done
for kind in failslab fail_page_alloc; do
	echo N >$injection/$kind/ignore-gfp-wait
done
echo 0 >$injection/fail_page_alloc/min-order
echo N >$injection/fail_page_alloc/ignore-gfp-highmem

# the kernel makes one allocation for each call in flight
rmmod ktrc
insmod ktrc.ko max_in_flight=8 || fail "insmod: $?"

fail_nth >/run/said || fail "$(cat /run/said)"
while IFS= read -r line; do
	note "$line"
done </run/said
expect "ways" "$(wc -l </run/said)" 20
# a stop takes no memory and no argument
! grep ': 0 of' /run/said | grep -v '^stop: ' || fail "a way in which nothing can fail"
for name in kept new; do
	ktrc-ctl reset --session=$name 2>/dev/null
done
! grep -F '[ktrc]' /proc/vmallocinfo || fail "memory is left over"
! grep . /sys/kernel/debug/kprobes/list || fail "a hook is left"
