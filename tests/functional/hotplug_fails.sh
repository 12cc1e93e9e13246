#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A CPU fails to come up, or to go down, at each step of the kernel's that can fail: the session
# goes on recording on those that are there, and on this one when it has come up at last; its books
# balance and nothing is left behind.
# long
. tests/functional/lib.sh

dir=/sys/devices/system/cpu/cpu1
trap 'echo -1 >$dir/hotplug/fail; echo 1 >$dir/online' EXIT

# fails_at STATE ONLINE: the CPU stays as it is; false where there is nothing that can fail
fails_at() {
	local failed=1
	echo "$1" >$dir/hotplug/fail || return
	echo "$2" >$dir/online || failed=0
	echo -1 >$dir/hotplug/fail
	[ $failed = 0 ] || echo $((1 - $2)) >$dir/online || fail "state $1 is not taken back"
	expect "online after state $1" "$(<$dir/online)" $((1 - $2))
	return $failed
} 2>/dev/null

# fail_everywhere ONLINE: sets steps
fail_everywhere() {
	local state name
	steps=0
	while IFS=': ' read -r state name; do
		fails_at "$state" "$1" || continue
		steps=$((steps + 1))
		[[ $name != *ktrc* ]] || own=$((own + 1))
	done </sys/devices/system/cpu/hotplug/states
	[ $steps -ge 10 ] || fail "only $steps steps can fail"
}

echo 0 >$dir/online || fail "cannot take CPU 1 offline"
ktrc-ctl start -q --events=fault,fault.light --memory=4M || fail "start: $?"
storm 0
own=0
fail_everywhere 1
note "$steps steps up failed"
[ $own -ge 1 ] || fail "ktrc's own step is not among them"
# it was up for a moment where there was nothing to fail
before=$(counted 1 hits)
echo 1 >$dir/online || fail "cannot bring CPU 1 up"
taskset -c 1 touch_pages read 1009 >/dev/null
[ "$(counted 1 hits)" -ge $((before + 2018)) ] || fail "CPU 1 came up and has $(counted 1 hits) hits"
fail_everywhere 0
note "$steps steps down failed"
calm
ktrc-ctl stop -q || fail "stop: $?"
expect "lost for want of a ring" "$(counted 1 lost_noring)" 0
ktrc-ctl stats --format=json >/run/stats
all_accounted /run/stats
ktrc-read check >/run/said || fail "check: $(cat /run/said)"
ktrc-ctl reset -q || fail "reset: $?"
! grep -F '[ktrc]' /proc/vmallocinfo || fail "memory is left over"
