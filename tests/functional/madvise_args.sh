#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each call says what was asked and what came of it: range, advice by its name, also one newer
# than this kernel or known to nobody, errno, how it was given, and whose memory it was: by
# madvise, by process_madvise for each range of another process or its own, by io_uring.
. tests/functional/lib.sh
. tests/sessions.sh

tmp=$(mktemp -d /run/XXXXXX)

ktrc-ctl start -q --session=all --events=madvise || fail "start: $?"
advise odd >"$tmp/want" || fail "advise: $?"
collect all
targets=$(sed 's/.*\(target_pid=[0-9]* \).*/\1/' "$tmp/want" | sort -u)
sed -n 's/.* madvise: //; s/dur=.*\(advice=\)/\1/p' "$tmp/all" | grep -F "$targets" >"$tmp/got"
note "$(wc -l <"$tmp/want") calls"
diff "$tmp/want" "$tmp/got" || fail "not what was asked"
ktrc-ctl reset -q --session=all
