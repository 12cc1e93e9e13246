#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `ktrc-read check` of a session that records: whatever is overwritten or consumed
# while the rings are copied, the books balance.  Once stopped, it counted as many faults as the kernel, within 0.1 %.
. tests/functional/lib.sh

# checks NR MODE; $shown: those with records before the last packet, so with something to check
checks() {
	local i
	shown=0
	for ((i = 1; i <= $1; i++)); do
		ktrc-read check >/run/check || fail "$2, check $i: $?: $(cat /run/check)"
		grep -q "books balance (as of each CPU's newest packet)" /run/check ||
			fail "$2, check $i: $(cat /run/check)"
		! awk '$1 ~ /^fault/ { read += $7 } END { exit read > 0 }' /run/check ||
			continue
		shown=$((shown + 1))
	done
	note "$shown of $1 checks in $2 mode held records"
}

ktrc-ctl start -q --memory=128K --packet=16K || fail "start: $?"
storm 0 1 0 1
checks 25 flight
[ $shown -ge 20 ] || fail "only $shown checks had anything to check"
calm
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read check --format=json >/run/check || fail "check of the stopped session: $?"
jq -e '.total | .is_final and .overwritten > 10000' /run/check >/dev/null ||
	fail "stopped: $(cat /run/check)"
jq -e '.total.pgfault | .vmstat > 100000 and .covered_percent >= 99.9 and .covered_percent <= 100.1' /run/check >/dev/null ||
	fail "pgfault: $(cat /run/check)"

ktrc-ctl start -q --events=fault,fault.light --mode=stream --memory=128K --packet=4K ||
	fail "start: $?"
storm 0 1 0 1
ktrc-read faults --follow >/dev/null &
checks 15 stream
calm
ktrc-ctl stop -q || fail "stop: $?"
wait || fail "follow: $?"
ktrc-read check >/run/check || fail "check of the stopped stream: $(cat /run/check)"
ktrc-ctl reset
