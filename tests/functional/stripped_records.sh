#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A module that was stripped of each symbol that the kernel does not need can record each family, and has the faults.
. tests/functional/lib.sh

rmmod ktrc || fail "rmmod: $?"
strip --strip-unneeded -o /run/ktrc.ko ktrc.ko || fail "strip: $?"
[ "$(nm /run/ktrc.ko | wc -l)" -lt "$(nm ktrc.ko | wc -l)" ] || fail "nothing was stripped"
insmod /run/ktrc.ko || fail "insmod: $?"
ktrc-ctl start -q --events=fault,fault.light,madvise,reclaim,compaction,throttle,map,process,numa || fail "start: $?"
touch_pages read 100 >/dev/null || fail "touch_pages: $?"
ktrc-ctl stop -q || fail "stop: $?"
ktrc-ctl stats --format=json >/run/stats || fail "stats: $?"
all_accounted /run/stats
written=$(jq '[.counters[] | select(.event == "fault").written] | add' /run/stats)
[ "$written" -ge 100 ] || fail "$written faults"
ktrc-ctl reset -q
