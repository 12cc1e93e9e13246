#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Who follows a view and cannot go on, here for want of memory for the ring of a CPU that comes up, prints what was
# counted until then, as its records were consumed; says that this is not all, and why, and fails.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
cpu=/sys/devices/system/cpu/cpu1/online
trap 'echo 1 >$cpu' EXIT

# no ring for it yet: the module learns of a CPU when that is up
rmmod ktrc || fail "rmmod"
echo 0 >$cpu || fail "offline"
insmod ktrc.ko || fail "insmod"
ktrc-ctl start -q --mode=stream --events=fault --memory=32M || fail "start: $?"
ktrc-read faults --follow --format=json >"$tmp/view" 2>"$tmp/err" &
reader=$!
touch_pages read 10007 >"$tmp/touched" || fail "touch_pages: $?"
sleep 3 # it looks ten times a second at least
kb=$(sed -n 's/^VmSize:[^0-9]*\([0-9]*\).*/\1/p' /proc/$reader/status)
prlimit --pid $reader --as=$(((kb + 1024) * 1024)) || fail "prlimit"
echo 1 >$cpu || fail "online"
wait $reader
expect "exit code" $? 1
note "$(cat "$tmp/err")"
grep -q "CPU 1: .*Cannot allocate memory" "$tmp/err" || fail "it does not say why"
grep -q "this is not all" "$tmp/err" || fail "it does not say that this is not all"
expect "is_cut" "$(jq .is_cut "$tmp/view")" true
[ "$(jq '[.processes[] | select(.comm == "touch_pages").faults] | add' "$tmp/view")" -ge 10007 ] ||
	fail "the view has not what was counted: $(head -c 500 "$tmp/view")"
ktrc-ctl stop -q || fail "stop: $?"
ktrc-ctl reset -q
