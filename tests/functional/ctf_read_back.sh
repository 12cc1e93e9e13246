#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# babeltrace2 reads a saved trace without a warning and sees what ktrc-read sees:
# the same records, CPUs, ticks and fields, dictionary records included.
# guest: plain
# guest: tsc
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

# both: "ticks cpu event field=value..."
from_babeltrace() {
	sed -E 's/^\[0*([0-9]+)\] \([^)]*\) [^ ]+ ([a-z_.]+): \{ cpu_id = ([0-9]+) \}, \{ (.*) \}$/\1 \3 \2 \4/
		s/ = /=/g; s/, / /g; s/ pad=0//g; s/"//g
		s/\( ([a-z]+) : container=[0-9]+ \)/\1/g; s/page=0x[0-9A-F]+/\L&/'
}

from_ktrc() {
	sed -E 's/^[^ ]+ ([0-9]+) ([0-9]+) [0-9]+ "[^"]*" ([a-z_.]+): /\1 \2 \3 /; /^#/d
		s/ dur_ns=[0-9]+//; s/ (cgroup|gfp_flags)="[^"]*"//; s/"//g'
}

ktrc-ctl start --events=fault,fault.light --memory=128K --packet=4K || fail "start: $?"
for mode in read write pread; do
	touch_pages $mode 701 >/dev/null
	touch_pages $mode 701 >/dev/null &
done
wait
ktrc-ctl stop || fail "stop: $?"
ktrc-read --save "$tmp/trace" || fail "save: $?"
babeltrace2 --clock-cycles "$tmp/trace" 2>"$tmp/complaints" >"$tmp/text" || fail "babeltrace2"
expect "babeltrace2's complaints" "$(cat "$tmp/complaints")" ""
from_babeltrace <"$tmp/text" | sort >"$tmp/theirs"
for what in "$tmp/trace" ""; do # saved, then live
	# shellcheck disable=SC2086
	ktrc-read events --all $what | from_ktrc | sort >"$tmp/ours"
	cmp "$tmp/theirs" "$tmp/ours" || fail "$(diff "$tmp/theirs" "$tmp/ours" | head -4)"
done
[ "$(wc -l <"$tmp/ours")" -ge 5000 ] || fail "only $(wc -l <"$tmp/ours") records"
for event in packet counts task fault fault.light; do
	grep -q " $event " "$tmp/ours" || fail "no $event record"
done
ktrc-ctl reset
