#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Consumers of a stream one after the other, each interrupted somewhere in a packet:
# each record that was written is shown, or saved, by exactly one of them.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
seconds=(0.3 0.5 0.4)

# Records as lines, without the wall-clock time, which each reader calibrates anew.
records() {
	cut -d ' ' -f 2-
}

# reader NAME SIGNAL SECONDS ARGUMENT...: that is interrupted so long after it gave the first records
reader() {
	ktrc-read -q --follow "${@:4}" 2>"$tmp/err" &
	until find "$tmp/$1."* \( -name 'cpu_*' -o -name '*.shown' \) -size +0 | grep -q .; do
		kill -0 $! || fail "ktrc-read ${*:4}: $(cat "$tmp/err")"
		sleep 0.1
	done
	sleep "$3"
	kill -"$2" $!
	wait $! || fail "ktrc-read ${*:4}: $?, $(cat "$tmp/err")"
	[ ! -s "$tmp/err" ] || fail "ktrc-read ${*:4}: $(cat "$tmp/err")"
}

# show READER SIGNAL SECONDS
show() {
	reader "$1" "$2" "$3" events --no-header >"$tmp/$1.shown"
	records <"$tmp/$1.shown" >"$tmp/$1.records"
}

# save READER SECONDS
save() {
	reader "$1" INT "$2" --save "$tmp/$1"
}

# judge READER: what it saved
judge() {
	ktrc-read check "$tmp/$1" >"$tmp/check" || fail "trace $1: $(cat "$tmp/check")"
	ktrc-read events --no-header "$tmp/$1" | records >"$tmp/$1.records"
	babeltrace2 "$tmp/$1" 2>"$tmp/complaints" | grep -cE ' fault(\.light)?: ' >"$tmp/theirs"
	! grep -v 'discarded' "$tmp/complaints" || fail "babeltrace2 complains about trace $1"
	expect "babeltrace2's records of trace $1" "$(cat "$tmp/theirs")" \
		"$(wc -l <"$tmp/$1.records")"
}

ktrc-ctl start -q --events=fault,fault.light --mode=stream --memory=128K --packet=16K ||
	fail "start: $?"
storm
for turn in 0 1 2; do
	show shown-$turn INT "${seconds[turn]}"
	save saved-$turn "${seconds[turn]}"
done
show shown-3 TERM 0.4
calm
ktrc-ctl stop -q || fail "stop: $?"

ktrc-read events --no-header | records >"$tmp/unread"
ktrc-read check >"$tmp/check" || fail "with unread records: $(cat "$tmp/check")"
ktrc-read -q --follow --save "$tmp/rest" || fail "the rest: $?"
for turn in saved-0 saved-1 saved-2 rest; do
	judge $turn
done
cmp "$tmp/rest.records" "$tmp/unread" || fail "the last reader got other records than were left"
ktrc-read check --format=json >"$tmp/check" || fail "with none: $(cat "$tmp/check")"
expect "records left" "$(jq .total.read "$tmp/check")" 0
expect "records consumed" "$(jq .total.overwritten "$tmp/check")" "$(jq .total.written "$tmp/check")"

readers=("$tmp"/*.records)
sort "${readers[@]}" >"$tmp/all"
note "$(wc -l <"$tmp/all") records by ${#readers[@]} readers"
expect "records seen twice" "$(uniq -d "$tmp/all" | head -2)" ""
expect "records seen" "$(wc -l <"$tmp/all")" "$(jq .total.written "$tmp/check")"
for file in "${readers[@]}"; do
	[ -s "$file" ] || fail "a reader saw nothing: $(wc -l "${readers[@]}")"
done
ktrc-ctl reset
