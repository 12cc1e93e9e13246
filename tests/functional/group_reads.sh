#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# With the device as the udev rule makes it (0640), a member of its group with CAP_PERFMON starts,
# reads and stops as root does; without the group or without the capability it is told which is missing.
# To listen to notices takes CAP_SYS_ADMIN.
. tests/functional/lib.sh

group=4711

as() { # GROUP CAPABILITY COMMAND...
	local gid=$1 cap=$2
	shift 2
	setpriv --reuid=65534 --regid="$gid" --clear-groups --inh-caps="$cap" --ambient-caps="$cap" \
		--bounding-set="$cap" "$@" >/run/said 2>&1
}

refused() { # HINT COMMAND...: exit code 4 and that hint
	local hint=$1 got=0
	shift
	"$@" || got=$?
	expect "exit code of: $*" "$got" 4
	grep -q "^hint: .*$hint" /run/said || fail "no hint of $hint: $(cat /run/said)"
}

granted() {
	"$@" || fail "$*: exit code $?: $(cat /run/said)"
}

{ chown 0:$group /dev/ktrc && chmod 0640 /dev/ktrc; } || fail "cannot prepare the device"

granted as $group -all,+perfmon ktrc-ctl start --events=fault
touch_pages read 1009 >/dev/null
granted as $group -all,+perfmon ktrc-read faults
grep -q 'touch_pages' /run/said || fail "no faults of touch_pages: $(cat /run/said)"
granted as $group -all,+perfmon ktrc-ctl doctor

refused 'usermod -aG ktrc' as 65534 -all,+perfmon ktrc-read
refused CAP_PERFMON as $group -all ktrc-read
refused CAP_PERFMON as $group -all ktrc-ctl stop
refused CAP_SYS_ADMIN as $group -all,+perfmon timeout 20 ktrc-ctl monitor
granted as $group -all,+perfmon ktrc-ctl stop
granted as $group -all,+perfmon ktrc-ctl reset
