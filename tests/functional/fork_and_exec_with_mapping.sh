#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A reader that forks or executes another program: the child has no mapping and no page of
# it, an inherited file stays one reader, and what the last of them leaves is given back.
# long
. tests/functional/lib.sh

ktrc-ctl start --mode=stream --memory=1M --packet=4K || fail "start: $?"
touch_pages read 10007 >/dev/null
fork_exec || fail "fork_exec: $?"
taskset -c 0 touch_pages read 1009 >/dev/null
ktrc-ctl stop || fail "stop: $?"
ktrc-read check >/run/said || fail "check: $(cat /run/said)"
ktrc-ctl reset || fail "reset: $?"
! grep -F '[ktrc]' /proc/vmallocinfo || fail "memory is left over"
rmmod ktrc || fail "the module is still in use"
