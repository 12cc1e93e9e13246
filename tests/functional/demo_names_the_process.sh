#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The summary names the process that faults, counts its faults as the process itself
# does, all of them in kernel mode, and has lost nothing.
# guest: plain
# guest: tsc
. tests/functional/lib.sh

summary=$(tests/demo/guest 2>/run/demo.err) || fail "demo: $(cat /run/demo.err)"
ktrc-ctl reset 2>/dev/null || fail "reset: $?"
counted=$(sed -n 's/^preadloop itself counted \([0-9]*\) faults$/\1/p' /run/demo.err)

[ "${counted:-0}" -gt 1000 ] || fail "preadloop did not work: '$counted'"
expect "faults of preadloop" "$(awk '$2 == "preadloop" { print $3 }' <<<"$summary")" "$counted"
expect "kernel mode" "$(awk '$2 == "preadloop" { print $5 }' <<<"$summary")" 100.0
expect "faults of quiet" "$(awk '$2 == "quiet" { print $3 }' <<<"$summary")" ""
grep -q "^VERDICT  *fault: preadloop\[" <<<"$summary" || fail "verdict: $summary"
grep -q "^ktrc .*  lost 0\$" <<<"$summary" || fail "loss: $summary"
