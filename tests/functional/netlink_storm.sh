#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A hundred thousand malformed netlink messages, of every command, attribute and length: each
# is refused, sessions and counters stay as they are, the kernel does not complain, and the
# module goes on.
# long
. tests/functional/lib.sh
. tests/sessions.sh

tmp=$(mktemp -d /run/XXXXXX)
ktrc-ctl start -q --memory=1M --events=fault:min=1us,reclaim --pid=1 || fail "start: $?"
ktrc-ctl stop -q || fail "stop: $?"
ktrc-ctl start -q --session=running --memory=4M || fail "start: $?"
bad_netlink_storm 100000 >"$tmp/said" || fail "$(cat "$tmp/said")"
note "$(cat "$tmp/said")"

where=$(touch_pages read 1009) || fail "touch_pages: $?"
ktrc-ctl stop -q --session=running || fail "stop: $?"
hits=$(ktrc-ctl stats --session=running --format=json | jq '[.counters[].hits] | add')
[ "$hits" -ge 1009 ] || fail "of $where only $hits hits are counted"
ktrc-ctl reset --session=running
ktrc-ctl reset
