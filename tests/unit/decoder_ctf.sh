#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# decoder_ctf.sh DECODER_TEST KTRC_READ: babeltrace2 reads a saved trace without a
# complaint and sees what ktrc-read sees: records, CPUs, ticks and fields.
set -euo pipefail
decoder_test=$1 ktrc_read=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# "ticks cpu event field=value..." from babeltrace2's text
from_babeltrace() {
	sed -E 's/^\[0*([0-9]+)\] \([^)]*\) [^ ]+ ([a-z_.]+): \{ cpu_id = ([0-9]+) \}, \{ (.*) \}$/\1 \3 \2 \4/
		s/ = /=/g; s/, / /g; s/\( "([a-z]+)" : container=[0-9]+ \)/\1/g; s/ pad=0//g' |
		sed -E ':again; s/(page=0x[0-9a-f]*)([A-F])/\1\L\2/; t again'
}

# the same from ktrc-read's: without wall-clock time and task, and derived fields
from_ktrc() {
	sed -E 's/^[^ ]+ ([0-9]+) ([0-9]+) [0-9]+ "[^"]*" ([a-z_.]+): /\1 \2 \3 /; s/ [a-z]+_ns=[0-9]+$//'
}

"$decoder_test" "$dir/trace"
babeltrace2 --clock-cycles "$dir/trace" >"$dir/bt" 2>"$dir/complaints"
if [ -s "$dir/complaints" ]; then
	cat "$dir/complaints" >&2
	echo "not ok 1 - babeltrace2 reads a saved trace without a complaint"
	exit 1
fi
echo "ok 1 - babeltrace2 reads a saved trace without a complaint"
from_babeltrace <"$dir/bt" | sort >"$dir/a"
"$ktrc_read" events --all --no-header "$dir/trace" | from_ktrc | sort >"$dir/b"
if ! diff "$dir/a" "$dir/b" | head -5 >&2 || [ "$(wc -l <"$dir/b")" -lt 10006 ]; then
	echo "not ok 2 - and sees the same records, CPUs, ticks and fields"
	exit 1
fi
echo "ok 2 - and sees the same records, CPUs, ticks and fields"
echo 1..2
