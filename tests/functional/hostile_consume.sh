#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Whatever a consumer claims to have read, while both CPUs write: wrong claims are
# refused, right ones move nothing but its own position, and the books balance.
. tests/functional/lib.sh

ktrc-ctl start --events=fault,fault.light --mode=stream --memory=512K --packet=4K ||
	fail "start: $?"
storm
nice -n 19 hostile_consume 100000 || fail "hostile_consume: $?"
calm
ktrc-ctl stop || fail "stop: $?"

ktrc-read check --format=json >/tmp/check || fail "check: $?: $(cat /tmp/check)"
jq -e '[.books[] | .unbalanced_hits, .unbalanced_written] | all(. == 0)' /tmp/check >/dev/null ||
	fail "books do not balance: $(cat /tmp/check)"
note "$(jq -r '.books | "\(map(.hits) | add) hits, \(map(.lost) | add) lost"' /tmp/check)"
jq -e '.books | map(select(.cpu != null)) | all(.hits > 1000 and .written > 1000)' /tmp/check \
	>/dev/null || fail "no storm on one of the CPUs"
ktrc-ctl reset
