#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A load that fails when all but the device is there: who asks for a session meanwhile gets none, is told why, and nothing
# of the module is left behind.
# host: make -s -j4 -C tests/functional broken
. tests/functional/lib.sh
. tests/leaks.sh

rmmod ktrc || fail "rmmod: $?"
before=$(leftovers)
insmod build/functional/broken-device/ktrc.ko 2>/run/said &
loading=$!
asked=0
while kill -0 $loading 2>/dev/null; do
	! ktrc-ctl start --events=fault 2>/run/why || fail "a session of a module that is not loaded"
	if grep -qx 'ktrc-ctl: session default: the module is not loaded yet; start again' /run/why; then
		asked=$((asked + 1))
	fi
done
! wait $loading || fail "it loads"
grep -q "Address already in use" /run/said || fail "insmod: $(</run/said)"
note "asked $asked times for a session"
[ $asked -gt 0 ] || fail "nobody asked while it was loaded: $(</run/why)"
touch_pages read 503 >/dev/null
expect "left behind" "$(leftovers)" "$before"
[ ! -d /sys/module/ktrc ] || fail "the module is there"
! grep -F '[ktrc]' /proc/vmallocinfo || fail "memory is left over"
