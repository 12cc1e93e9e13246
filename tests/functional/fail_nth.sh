#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# For each way to control ktrc the kernel's first allocation or copy fails, then the second, and
# so on: the call says so, what was there before is there still, each byte of a recording too, nothing is told of it, nothing
# is left behind, not even of the cgroup that paid for it, and a session that records goes on.  On kernels with fault injection only.
# KTRC_WAYS: those alone, with commas between them; KTRC_PLACES: only from the first to the last of these numbers.
# timeout: 1800
. tests/functional/lib.sh
. tests/leaks.sh
. tests/fail_nth.sh

ways=("${few[@]}")
[ "${KTRC_LONG:-0}" = 0 ] || ways+=("${more[@]}")
[ -z "${KTRC_WAYS:-}" ] || IFS=, read -ra ways <<<"$KTRC_WAYS"
fail_each "${ways[@]}"
# 1,064 as a rule; fewer if no page failed, or no object did
places=$(grep -E "^($(IFS='|' && echo "${few[*]}")): " /run/said | sed 's/.* of \([0-9]*\) failed.*/\1/' | paste -sd +)
[ -n "${KTRC_WAYS:-}${KTRC_PLACES:-}" ] || [ $((places)) -ge 950 ] || fail "only $((places)) places at which something could fail"
