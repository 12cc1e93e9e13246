#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A load that fails when all but the device is there: who asks for a session meanwhile, or for a list, gets none and is told
# why, and nothing of the module is left behind.
# host: make -s -j4 -C tests/functional broken
. tests/functional/lib.sh
. tests/leaks.sh

rmmod ktrc || fail "rmmod: $?"
before=$(leftovers)
ask_early >/run/early 2>&1 &
asking=$!
! insmod build/functional/broken-device/ktrc.ko 2>/run/said || fail "it loads"
grep -q "Address already in use" /run/said || fail "insmod: $(</run/said)"
wait $asking || fail "it gets $(</run/early)"
note "refused: $(</run/early)"
grep -qx '[1-9][0-9]* sessions, [1-9][0-9]* dumps' /run/early || fail "nobody asked"
touch_pages read 503 >/dev/null
expect "left behind" "$(leftovers)" "$before"
[ ! -d /sys/module/ktrc ] || fail "the module is there"
insmod ktrc.ko || fail "insmod after that: $?"
ktrc-ctl start -q --events=fault || fail "start after that: $?"
ktrc-ctl reset -q || fail "reset after that: $?"
