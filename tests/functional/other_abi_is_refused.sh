#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A tool of another ABI refuses the module with exit code 7, names both numbers, says what
# to do and changes nothing; but what holds the module it can end.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
other=build/functional/other-abi/userspace/ktrc-ctl
abi=$(modinfo -F abi ktrc.ko)

ktrc-ctl start -q --memory=4M || fail "start: $?"
ktrc-ctl stop -q || fail "stop: $?"
control state >"$tmp/state"
for verb in status list stats stop start "run 1s"; do
	# shellcheck disable=SC2086 # words
	$other $verb >"$tmp/out" 2>"$tmp/err"
	expect "$verb: exit code" $? 7
	[ ! -s "$tmp/out" ] || fail "$verb prints $(cat "$tmp/out")"
	grep -q "module has ABI $abi.* this tool ABI 99 " "$tmp/err" || fail "$verb: $(cat "$tmp/err")"
	grep -q '^hint: ' "$tmp/err" || fail "$verb gives no hint: $(cat "$tmp/err")"
done
expect "sessions and counters" "$(control state)" "$(cat "$tmp/state")"
$other reset 2>"$tmp/err" || fail "reset: $?: $(cat "$tmp/err")"
! ktrc-ctl status >/dev/null 2>&1 || fail "after reset there is the session still"
rmmod ktrc || fail "rmmod"
