#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Whoever saves a trace is killed by SIGKILL, under load, 100 times at random moments and once in
# the middle of each call by which a stream is written: a directory with its final name is whole,
# of any other that holds a packet all whole packets can be read, and it says that it is not
# all. What was not consumed is still in the session, so no record is lost.
# timeout: 900
# long
. tests/functional/lib.sh
. tests/recorder.sh

tmp=$(mktemp -d /run/XXXXXX)
RANDOM=2111
kills=0 judged=0 opened=0

# begins PID DIR: waits until it saves, or has ended
begins() {
	while kill -0 "$1" 2>/dev/null && ! compgen -G "$2.tmp-*/ktrc/ktrc.json" >/dev/null; do
		sleep 0.01
	done
}

# killed WAY: at a random moment, of `run` while it saves; one that was too fast brings the next
# moments forward
killed() {
	local victim status=0 trace=$tmp/$1.$kills
	set_command "$1" "$trace"
	"${command[@]}" >/dev/null 2>"$tmp/err" &
	victim=$!
	[ "$1" != run ] || begins $victim "$trace"
	sleep "$(printf '0.%03d' $((RANDOM % within)))"
	kill -KILL $victim 2>/dev/null
	wait $victim 2>/dev/null || status=$?
	case $status in
	137) kills=$((kills + 1)) ;;
	0)
		within=$((within * 3 / 4 + 1))
		rm -r "$trace"
		;;
	*) fail "$1 ended with $status: $(<"$tmp/err")" ;;
	esac
}

# judge DIR: what is left of one; sets has_packets if that can be read
judge() {
	has_packets=
	left_of "$1"
	[ -n "$left" ] || return 0
	if [ "$left" = "$1" ]; then
		whole_packets "$left"
		expect "$left is cut" "$is_cut" ""
	elif [ -s "$left/ktrc/ktrc.json" ]; then
		whole_packets "$left"
		opened=$((opened + 1))
	else
		# nothing has been consumed by then
		! ktrc-read "$left" >"$tmp/out" 2>"$tmp/err" || fail "$left opens"
		grep -q 'not a ktrc trace: no ktrc/ktrc.json in it' "$tmp/err" || fail "$left: $(<"$tmp/err")"
		return 0
	fi
	has_packets=1
}

# judge_stream DIR: and keep its records
judge_stream() {
	judge "$1"
	[ -z "$has_packets" ] || records "$left" >>"$tmp/kept"
}

# judge_all WAY: by judge or judge_stream
judge_all() {
	local how=judge
	[ "$1" != follow ] || how=judge_stream
	while [ $judged -lt $kills ]; do
		$how "$tmp/$1.$judged"
		[ "$1" != follow ] || [ -z "$has_packets" ] || expect "$left is cut" "$is_cut" 1
		judged=$((judged + 1))
	done
	note "$1: $kills killed, $opened of them opened, $SECONDS s"
	rm -rf "$tmp/$1".*
}

flight() {
	storm
	ktrc-ctl start -q --memory=512K --packet=16K || fail "start: $?"
	wait_until '[.cpus[] | .gone_bytes > 0] | all'
	within=500
	until [ $kills = 25 ]; do
		killed snapshot
	done
	wait_until '.state == "running"'
	calm
	ktrc-ctl stop -q || fail "stop: $?"
	judge_all snapshot
	control state >"$tmp/state"
	ktrc-read -q --save="$tmp/whole" || fail "save: $?"
	within=400
	until [ $kills = 50 ]; do
		killed save
	done
	judge_all save
	expect "session and counters" "$(control state)" "$(<"$tmp/state")"
	ktrc-read -q --save="$tmp/again" || fail "save: $?"
	readable "$tmp/again"
	diff -r "$tmp/whole" "$tmp/again" || fail "it cannot be read again"
	ktrc-ctl reset
}

stream() {
	ktrc-ctl start -q --mode=stream --memory=64K --packet=4K --sample=1/16 || fail "start: $?"
	storm
	: >"$tmp/kept"
	within=600
	until [ $kills = 80 ]; do
		killed follow
	done
	wait_until '.state == "running" and (.has_consumer | not)'
	calm
	ktrc-ctl stop -q || fail "stop: $?"
	judge_all follow
	records >>"$tmp/kept"
	none_lost "$tmp/kept" again
	note "$(wc -l <"$tmp/kept") records, $(sort -u "$tmp/kept" | wc -l) different ones"
	ktrc-ctl reset
}

ran() {
	load=(touch_pages storm 20000)
	within=100
	until [ $kills = 100 ]; do
		killed run
	done
	while ktrc-ctl status --session=run >/dev/null 2>&1; do
		sleep 0.1
	done
	judge_all run
}

# in_each_call: of what writes a stopped stream; the next one goes on where it was killed
in_each_call() {
	local nr trace=$tmp/trace
	ktrc-ctl start -q --mode=stream --memory=1M --packet=4K || fail "start: $?"
	: >"$tmp/kept"
	for ((nr = 1; ; nr++)); do
		if [ $nr = 1 ] || [ -e "$left/cpu_0" ]; then
			[ $nr = 1 ] || control start default
			taskset -c 0 touch_pages read 503 >/dev/null
			taskset -c 1 ktrc-ctl stop -q || fail "stop: $?"
		fi
		rm -rf "$tmp/hit" "$trace" "$trace".tmp-*
		plan=kill:$nr
		try follow "$trace"
		judge_stream "$trace"
		[ -z "$has_packets" ] || [ -n "$is_cut" ] ||
			expect "records that call $nr left, although all is said to be there" "$(records)" ""
		[ -e "$tmp/hit" ] || break
		expect "exit code when killed in call $nr ($(<"$tmp/hit"))" "$status" 137
	done
	plan=
	expect "exit code when not killed: $(<"$tmp/err")" "$status" 0
	expect "what is left" "$left" "$trace"
	none_lost "$tmp/kept" again
	ktrc-ctl reset
	note "killed in each of $((nr - 1)) calls, $SECONDS s"
	[ $nr -gt 40 ] || fail "only $nr calls"
}

flight
stream
ran
expect "traces and what is left of traces" "$judged of $kills" "100 of 100"
in_each_call
