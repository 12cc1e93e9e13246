#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A module that was stripped of each symbol that the kernel does not need records all that any other does.
. tests/functional/lib.sh

families=fault,fault.light,madvise,reclaim,compaction,throttle,map,process,numa

rmmod ktrc || fail "rmmod: $?"
strip --strip-unneeded -o /run/ktrc.ko ktrc.ko || fail "strip: $?"
[ "$(nm /run/ktrc.ko | wc -l)" -lt "$(nm ktrc.ko | wc -l)" ] || fail "nothing was stripped"
insmod /run/ktrc.ko || fail "insmod: $?"
ktrc-ctl start -q --events=$families || fail "start: $?"
touch_pages read 100 >/dev/null || fail "touch_pages: $?"
ktrc-ctl stop -q || fail "stop: $?"
hits=$(ktrc-ctl stats --format=json | jq '[.counters[] | select(.event == "fault").hits] | add')
[ "$hits" -ge 100 ] || fail "$hits faults"
ktrc-ctl reset -q
