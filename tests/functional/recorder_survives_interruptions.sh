#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A trace is the same, to the byte, whether calls are interrupted each time, a signal comes each
# millisecond, or a write gets rid of one byte at a time. A file that may not grow any more
# (RLIMIT_FSIZE) is told, not a silent death, and what it concerns is kept as on a full disk.
# What `run` runs dies of that limit as ever.
# long
. tests/functional/lib.sh
. tests/recorder.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=$tmp/trace
plans=(eintr ticks ticks ticks short:1 short:7 short:4093)

# record PAGES: on both CPUs
record() {
	taskset -c 0 touch_pages read "$1" >/dev/null
	taskset -c 1 ktrc-ctl stop -q || fail "stop: $?"
}

# undisturbed WAY: it ends as if nothing had happened
undisturbed() {
	rm -rf "$trace"
	try "$1" "$trace"
	expect "exit code of $1 with $plan" "$status $(<"$tmp/err")" "0 "
	left_of "$trace"
}

# All but the clock, which each consumer reads anew.
without_clock() {
	jq 'del(.clock)' "$1/ktrc/ktrc.json" || fail "$1: no JSON"
	grep -v '^	offset' "$1/metadata"
	cat "$1"/cpu_*
}

interrupted() {
	ktrc-ctl start -q --packet=4K --memory=1M || fail "start: $?"
	record 503
	ktrc-read -q --save="$tmp/whole" || fail "save: $?"
	readable "$tmp/whole"
	for plan in "${plans[@]}"; do
		for way in save snapshot; do
			undisturbed $way
			diff -r "$tmp/whole" "$trace" || fail "$way with $plan: another trace"
		done
	done
	for plan in "${plans[@]}"; do
		ktrc-ctl start -q --mode=stream --packet=4K --memory=1M || fail "start: $?"
		record 503
		rm -r "$tmp/whole"
		ktrc-read -q --save="$tmp/whole" || fail "save: $?"
		undisturbed follow
		cmp <(without_clock "$tmp/whole") <(without_clock "$trace") || fail "follow with $plan: another trace"
	done
	ktrc-ctl reset
	for plan in "${plans[@]}"; do
		undisturbed run
		readable "$trace"
		expect "records of run with $plan" "$(records "$trace" | wc -l)" "$(nr_records "$tmp/out")"
	done
	plan=
}

# limited WAY KIB: to files of so many; what it says does not go to a file
limited() {
	rm -rf "$trace"
	set_command "$1" "$trace"
	(ulimit -f "$2" && exec "${command[@]}") 2>&1 >/dev/null | cat >"$tmp/err"
	status=${PIPESTATUS[0]} tries=$((tries + 1))
	complained "$trace" "File too large"
	left_of "$trace"
	[ -n "$left" ] || return 1
	expect "what $1 leaves with a limit of $2 KiB" "$left" "$trace"
	told_where "$trace"
	whole_packets "$trace"
	expect "$trace is cut" "$is_cut" 1
}

limits() {
	local kib
	ktrc-ctl start -q --packet=4K --memory=1M || fail "start: $?"
	record 20011
	for kib in $(seq 0 9 243); do
		! limited save "$kib" || fail "save leaves $left"
		! limited snapshot "$kib" || fail "snapshot leaves $left"
	done
	ktrc-ctl reset
	ktrc-ctl start -q --mode=stream --packet=4K --memory=512K || fail "start: $?"
	record 20011
	for kib in $(seq 0 22 242); do
		! limited follow "$kib" || records "$trace" >>"$tmp/kept"
		if [ -n "$left" ]; then
			control start default
			record 20011
		fi
	done
	records >>"$tmp/kept"
	none_lost "$tmp/kept"
	ktrc-ctl reset
	load=(touch_pages read 20011)
	for kib in 0 30 60; do
		! limited run "$kib" || fail "run leaves $left"
	done
	limited run 250 || fail "run leaves nothing"
}

interrupted
limits
ktrc-ctl run -q --memory=1M -- bash -c "ulimit -f 0; echo >$tmp/empty" >/dev/null 2>"$tmp/err"
expect "exit code of run, whatever its command's" $? 0
ktrc-ctl run --memory=1M -- bash -c "ulimit -f 0; echo >$tmp/empty" 2>&1 >/dev/null |
	grep 'bash: ended with signal 25' >/dev/null || fail "the command does not get SIGXFSZ"
expect "runs" "$tries" 100
