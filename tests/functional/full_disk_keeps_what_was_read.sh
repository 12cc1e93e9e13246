#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A disk that gets full while a stream is saved to it keeps, as a trace, what was
# consumed; the rest stays in the session: no record is lost, none is there twice.
# Following it into a file there consumes nothing that did not get out, nor rows of another tool's.
# `run --save` keeps the oldest records, as many as there is room for.
# Saving what a session holds leaves nothing on a full disk, nor when it is interrupted, once or twice.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
small=$tmp/small tiny=$tmp/tiny
mkdir "$small" "$tiny"
mount -t tmpfs -o size=1m none "$small" || fail "mount"
mount -t tmpfs -o size=40k none "$tiny" || fail "mount"

# fails CODE ERROR HINT COMMAND...: with these two lines (regular expressions) and no other
fails() {
	local code=$1 error=$2 hint=$3 got=0 lines
	shift 3
	"$@" >"$tmp/out" 2>"$tmp/err" || got=$?
	mapfile -t lines <"$tmp/err"
	if [ $got != "$code" ] || [ -s "$tmp/out" ] || [ ${#lines[@]} != 2 ] ||
		! [[ ${lines[0]} =~ ^ktrc-read:\ .*$error ]] ||
		! [[ ${lines[1]} =~ ^hint:\ .*$hint ]]; then
		fail "$*: exit code $got: $(cat "$tmp/out" "$tmp/err")"
	fi
}

records() {
	ktrc-read events --no-header "$@" 2>/dev/null | wc -l
}

stream() {
	local kept rest written
	ktrc-ctl start -q --mode=stream --memory=256K --packet=4K || fail "start: $?"
	storm
	sleep 1 # long enough for the rings to get full, so that something is lost
	fails 1 "$tiny/trace.*No space left" "free some space" ktrc-read --follow --save "$tiny/trace"
	expect "left on the tiny disk" "$(ls -A "$tiny")" ""
	fails 1 "$small/trace.*No space left" "saved in $small/trace; the rest is in session default" \
		ktrc-read --follow --save "$small/trace"
	expect "left on the full disk" "$(ls -A "$small")" trace
	ktrc-ctl status --format=json | jq -e '.sessions[0].state == "running"' >/dev/null ||
		fail "the session: $(ktrc-ctl status)"
	calm
	ktrc-ctl stop -q || fail "stop: $?"

	ktrc-read check --format=json "$small/trace" >"$tmp/check" 2>"$tmp/err" ||
		fail "check: $?: $(cat "$tmp/check" "$tmp/err")"
	grep -q "^ktrc-read: this is not all" "$tmp/err" || fail "check does not say that it is cut"
	[ "$(jq .lost "$tmp/check")" -gt 0 ] || fail "check states no loss: $(cat "$tmp/check")"
	ktrc-read faults "$small/trace" 2>"$tmp/err" >"$tmp/out" || fail "faults: $?"
	grep -q touch_pages "$tmp/out" || fail "faults: $(cat "$tmp/out" "$tmp/err")"
	kept=$(records "$small/trace")
	expect "babeltrace2's records" \
		"$(babeltrace2 "$small/trace" 2>"$tmp/complaints" | grep -c ' fault: ')" "$kept"
	! grep -v discarded "$tmp/complaints" || fail "babeltrace2 complains"

	rest=$(records --follow)
	written=$(ktrc-ctl stats --format=json | jq '[.counters[].written] | add')
	note "$kept records kept, $rest left in the session"
	[ "$kept" -gt 10000 ] || fail "only $kept records kept"
	expect "records kept and left" $((kept + rest)) "$written"
	ktrc-ctl reset
	rm -r "$small/trace"
}

# follow FILE
follow() {
	timeout --foreground 60 ktrc-read events --follow --no-header >"$1"
}

followed() {
	local shown
	ktrc-ctl start -q --mode=stream --memory=64K --packet=4K || fail "start: $?"
	storm
	fails 1 "standard output: cannot write: No space left" "still in session default" \
		follow /dev/full
	fails 1 "standard output: cannot write: No space left" "still in session default" \
		follow "$small/shown"
	calm
	ktrc-ctl stop -q || fail "stop: $?"
	follow "$tmp/rest" 2>/dev/null || fail "the rest: $?"
	shown=$(wc -l <"$small/shown")
	note "$shown records shown, $(wc -l <"$tmp/rest") left in the session"
	[ "$shown" -gt 1000 ] || fail "only $shown records shown"
	# the last line may be half there; a reader's time of day is its own
	expect "records shown by either" \
		"$({ head -n "$shown" "$small/shown" && cat "$tmp/rest"; } | cut -d ' ' -f 2- | sort -u | wc -l)" \
		"$(ktrc-ctl stats --format=json | jq '[.counters[].written] | add')"
	ktrc-ctl reset
	rm "$small/shown"
}

# zones FILE: as compactsnoop shows them
zones() {
	timeout --foreground 60 ktrc-read compaction --compat=compactsnoop --follow --no-header >"$1"
}

rows_followed() {
	local wanted
	ktrc-ctl start -q --mode=stream --events=compaction --memory=1M || fail "start: $?"
	echo 1 >/proc/sys/vm/compact_memory || fail "compact_memory"
	ktrc-ctl stop -q || fail "stop: $?"
	wanted=$(ktrc-ctl stats --format=json | jq '[.counters[] | select(.event == "compaction.zone").written] | add')
	fails 1 "standard output: cannot write: No space left" "still in session default" zones /dev/full
	zones "$tmp/zones" || fail "zones: $?"
	expect "rows left in the session" "$(wc -l <"$tmp/zones")" "$wanted"
	[ "$wanted" -gt 0 ] || fail "no zone was compacted"
	ktrc-ctl reset
}

plain() {
	ktrc-ctl start -q --memory=4M || fail "start: $?"
	touch_pages storm 100000 >/dev/null
	ktrc-ctl stop -q || fail "stop: $?"
	control state >"$tmp/state"
	fails 1 "$tiny/trace.*No space left" "free some space" ktrc-read --save "$tiny/trace"
	fails 1 "$small/trace.*No space left" "free some space" ktrc-read --save "$small/trace"
	expect "left on the full disks" "$(find "$tiny" "$small" -mindepth 1)" ""
	expect "session and counters" "$(control state)" "$(cat "$tmp/state")"
	ktrc-read check >/dev/null || fail "check: $?"
}

# interrupted SIGNAL...: stops a save once it has begun; one that was too fast is no matter
interrupted() {
	local signal reader status try
	for try in {1..60}; do
		ktrc-read -q --save "$tmp/trace" 2>"$tmp/err" &
		reader=$!
		until compgen -G "$tmp/trace.tmp-*" >/dev/null || [ -e "$tmp/trace" ]; do :; done
		kill -STOP $reader
		for signal; do
			kill "-$signal" $reader
		done
		kill -CONT $reader
		wait $reader
		status=$?
		! compgen -G "$tmp/trace.tmp-*" >/dev/null || fail "$*, try $try: $(ls -A "$tmp")"
		[ ! -e "$tmp/trace" ] || ktrc-read check "$tmp/trace" >/dev/null || fail "half a trace"
		[ $status != 130 ] || break
		expect "exit code of save $try" $status 0
		rm -r "$tmp/trace"
	done
	expect "exit code of a save interrupted by $*" $status 130
	expect "its message" "$(grep -c 'not saved: interrupted' "$tmp/err")" 1
}

# aborted: a `run` while it saves, by a second Ctrl-C; one that was too fast is no matter
aborted() {
	local runner status try
	for try in {1..20}; do
		ktrc-ctl run -q --memory=32M --save "$tmp/trace" 20s >/dev/null 2>"$tmp/err" &
		runner=$!
		until [ "$(ktrc-ctl status --session=run --format=json 2>/dev/null | jq -r '.sessions[0].state')" = running ]; do
			sleep 0.1
		done
		touch_pages storm 300000 >/dev/null
		kill -INT $runner
		until compgen -G "$tmp/trace.tmp-*" >/dev/null || [ -e "$tmp/trace" ]; do :; done
		kill -INT $runner
		wait $runner
		status=$?
		! compgen -G "$tmp/trace.tmp-*" >/dev/null || fail "run, try $try: $(ls -A "$tmp")"
		[ ! -e "$tmp/trace" ] || ktrc-read check "$tmp/trace" >/dev/null || fail "half a trace"
		rm -rf "$tmp/trace"
		[ $status != 130 ] || return
		expect "exit code of run $try" $status 0
	done
	fail "no run was aborted"
}

# What its session holds ends with `run`.
run() {
	local seen
	storm
	ktrc-ctl run -q 10s --memory=64M --save="$small/run" >"$tmp/out" 2>"$tmp/err"
	expect "exit code of run" $? 1
	calm
	mapfile -t lines <"$tmp/err"
	if [ ${#lines[@]} != 2 ] || ! [[ ${lines[0]} =~ ^ktrc-ctl:\ $small/run/.*No\ space\ left ]] ||
		! [[ ${lines[1]} =~ ^hint:\ $small/run\ holds\ the\ oldest\ [0-9]+\ of\ [0-9]+\ KiB ]]; then
		fail "run says: $(cat "$tmp/err")"
	fi
	grep -q '^check *books balance' "$tmp/out" || fail "run prints no summary: $(cat "$tmp/out")"
	expect "left on the full disk" "$(ls -A "$small")" run
	ktrc-read check "$small/run" >"$tmp/check" 2>"$tmp/err" || fail "check: $(cat "$tmp/check")"
	grep -q "^ktrc-read: this is not all" "$tmp/err" || fail "check does not say that it is cut"
	kept=$(records "$small/run")
	note "$kept records of run kept"
	[ "$kept" -gt 10000 ] || fail "only $kept records of run kept"
	seen=$(ktrc-read events -q --no-header "$small/run" | awk '{ print $3 }' | sort -u | xargs)
	expect "CPUs in it" "$seen" "0 1"
	rm -r "$small/run"
}

stream
followed
rows_followed
run
plain
interrupted INT
interrupted TERM
interrupted INT TERM # the handler of the second one runs first: as Ctrl-C twice
ktrc-ctl reset
aborted
umount "$small" "$tiny"
