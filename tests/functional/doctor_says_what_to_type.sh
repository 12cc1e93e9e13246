#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `doctor` says how a missing module gets there: load the one that is installed, also for a user
# whose PATH leads to no sbin; build one, with headers if those are missing. It names who may read.
. tests/functional/lib.sh

modules=/lib/modules/$(uname -r)
group=4711

# says CODE LINE COMMAND...: that exit code, and a line that is this regular expression
says() {
	local code=$1 line=$2 got=0
	shift 2
	"$@" >/run/said 2>&1 || got=$?
	[ "$got" = "$code" ] || fail "$*: exit code $got: $(cat /run/said)"
	grep -qE "^$line" /run/said || fail "$*: no line '$line': $(cat /run/said)"
}

as_nobody() {
	PATH=$PWD/userspace:/usr/bin:/bin setpriv --reuid=65534 --clear-groups --inh-caps=-all "$@"
}

rmmod ktrc || fail "rmmod: $?"
mount -t tmpfs none "$modules" || fail "mount"
says 3 "next +sudo apt-get install linux-headers-$(uname -r); .*sudo make dkms-install" ktrc-ctl doctor
mkdir "$modules/build"
says 3 "next +in ktrc's sources: sudo make dkms-install" ktrc-ctl doctor
says 4 "ok +signature +no module is installed" as_nobody ktrc-ctl doctor

cp ktrc.ko "$modules/"
depmod 2>/dev/null || fail "depmod: $?"
says 3 "next +sudo modprobe ktrc" ktrc-ctl doctor
says 4 "ok +signature +the installed module is not signed" as_nobody ktrc-ctl doctor
! grep -q "insmod" /run/said || fail "insmod, though one is installed: $(cat /run/said)"

modprobe ktrc || fail "modprobe: $?"
chown 0:$group /dev/ktrc
chmod 0640 /dev/ktrc
says 0 "ok +device .*root:$group 0640; .*owner and group, .*CAP_PERFMON" ktrc-ctl doctor
says 4 "WRONG +device .*root:$group 0640.*Permission denied" as_nobody ktrc-ctl doctor
umount "$modules"
