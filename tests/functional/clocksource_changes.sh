#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A session made while the kernel had another clock source is refused to start, and so is one for a hook that another
# session still uses by that; a new one goes by the new clock, which is held against the kernel's before it is used: one that
# does not run at its rate fails the start, which says so.
# guest: tsc
# host: make -s -j4 -C tests/functional broken
. tests/functional/lib.sh

source=/sys/devices/system/clocksource/clocksource0/current_clocksource
trap 'echo tsc >$source' EXIT

change() {
	echo "$1" >$source
	expect "clock source" "$(<$source)" "$1"
}

# refused WORDS COMMAND...: they are in what it says
refused() {
	local words=$1 status=0
	shift
	"$@" 2>/run/said || status=$?
	[ $status != 0 ] || fail "$*: not refused, wanted: $words"
	grep -q "$words" /run/said || fail "$*: $(cat /run/said)"
}

# expect_clock KIND: of the session "default"
expect_clock() {
	ktrc-ctl snapshot -q /run/trace || fail "snapshot: $?"
	expect "clock" "$(jq -r .clock.kind /run/trace/ktrc/ktrc.json)" "$1"
	rm -r /run/trace
}

# loaded MODULE: while the kernel's clock is no time stamp counter
loaded() {
	rmmod ktrc || fail "rmmod: $?"
	change acpi_pm
	insmod "$1" || fail "insmod $1: $?"
}

loaded ktrc.ko
control new || fail "new: $?"
change tsc
refused "clock source changed" control start default
ktrc-ctl reset

change acpi_pm
ktrc-ctl start --events=fault || fail "start by acpi_pm: $?"
expect_clock mono
change tsc
refused "still uses the clock" ktrc-ctl start --session=second --events=fault
ktrc-ctl reset

ktrc-ctl start --events=fault,fault.light || fail "start by tsc: $?"
expect_clock tsc
touch_pages read 1009 >/dev/null
ktrc-ctl stop || fail "stop: $?"
ktrc-read check || fail "check: $?"
ktrc-ctl reset

loaded build/functional/broken-tscrate/ktrc.ko
ktrc-ctl start --events=fault || fail "start by acpi_pm: $?"
ktrc-ctl reset
change tsc
refused "the clock does not run at its rate" ktrc-ctl start --events=fault
refused "no session" ktrc-ctl status
