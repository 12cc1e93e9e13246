#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# For each way to control ktrc the kernel's first allocation or copy fails, then the second, and
# so on: the call says so, what was there before is there still, nothing is left behind.  On
# kernels with fault injection only.
# timeout: 900
. tests/functional/lib.sh

# Functions that allocate: who calls them first is who wanted the memory.
allocators='^(dump_stack|warn_alloc|should_|kasan|__kasan|(__|___)?(alloc|get_free|kmalloc|kmem_cache|slab|vmalloc|get_vm_area)'
allocators+='|allocate_slab|new_slab|vzalloc|pcpu_|show_mem)'

# The kernel says so when its own allocations fail; ktrc's come without a word.  Nothing else
# may be said.
quiet() {
	dmesg | grep 'begin fail_nth$' >/dev/null || return
	! dmesg | sed '1,/begin fail_nth$/d' | grep -E 'WARNING:|BUG|KASAN|possible (circular|recursive)|suspicious RCU|sleeping function|kmemleak: [0-9]' || return
	! dmesg | sed '1,/begin fail_nth$/d;s/^\[[^]]*\] //' | awk -v allocators="$allocators" '
		/^Call Trace:/ { open = 1; next }
		open && /^ [^?<]/ && $1 !~ allocators { print; open = 0 }' | sort | uniq -c | tee /run/told | grep -F '[ktrc]'
}

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

dmesg -n 1
fail_nth >/run/said || fail "$(cat /run/said)"
quiet || fail "the kernel says something of ktrc"
while read -r line; do
	note "$line"
done </run/told
dmesg -C
echo "<4>begin fail_nth" >/dev/kmsg
dmesg -n 5
while IFS= read -r line; do
	note "$line"
done </run/said
expect "ways" "$(wc -l </run/said)" 24
# neither takes an argument, and what the kernel allocates to take hooks away a worker asks for
! grep ': 0 of' /run/said | grep -vE '^(stop|close bound): ' || fail "a way in which nothing can fail"
for name in kept new; do
	ktrc-ctl reset --session=$name 2>/dev/null
done
! grep -F '[ktrc]' /proc/vmallocinfo || fail "memory is left over"
! grep . /sys/kernel/debug/kprobes/list || fail "a hook is left"
