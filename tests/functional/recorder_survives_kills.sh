#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Whoever saves a trace is killed by SIGKILL, in each way to save, once in the middle of each call
# that writes and, under load, 100 times at random moments: a directory with its final name is
# whole, of any other that can be opened all whole packets can be read, and it says that it is not
# all, unless it is. One that cannot be opened holds no packet: what was recorded is in the session still, or,
# with `run`, has gone with it.
# timeout: 900
# long
. tests/functional/lib.sh
. tests/recorder.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=$tmp/trace
RANDOM=2111
kills=0 judged=0 left_some=0 opened=0

# begins PID FILE: waits until there is one, or it has ended
begins() {
	while kill -0 "$1" 2>/dev/null && ! compgen -G "$2" >/dev/null; do
		pause 0.001
	done
}

# killed WAY: at a random moment while it saves; one that was too fast brings the next moments forward
killed() {
	local victim status=0 trace=$tmp/$1.$kills
	set_command "$1" "$trace"
	"${command[@]}" >/dev/null 2>"$tmp/err" &
	victim=$!
	case $1 in
	run) begins $victim "$trace.tmp-*/ktrc/ktrc.json" ;;
	follow) begins $victim "$trace.tmp-*" ;;
	# that directory is there before as well, to see whether it can be made
	*) begins $victim "$trace.tmp-*/cpu_*" ;;
	esac
	pause "$(printf '0.%03d' $((RANDOM % within)))"
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

# judge WAY DIR: what is left of one; sets is_readable if that is a trace
judge() {
	is_readable=
	left_of "$2"
	[ -n "$left" ] || return 0
	left_some=$((left_some + 1))
	if [ "$left" != "$2" ] && [ ! -s "$left/ktrc/ktrc.json" ]; then
		! ktrc-read "$left" >"$tmp/out" 2>"$tmp/err" || fail "$left opens"
		grep -q 'not a ktrc trace: no ktrc/ktrc.json in it' "$tmp/err" || fail "$left: $(<"$tmp/err")"
		case $1 in
		follow | run) ! compgen -G "$left/cpu_*" >/dev/null || fail "$left: what $1 took cannot be read" ;;
		esac
		return 0
	fi
	is_readable=1
	whole_packets "$left"
	if [ "$left" = "$2" ]; then
		expect "$left is cut" "$is_cut" ""
	else
		opened=$((opened + 1))
	fi
}

# What says that it is all is the session's trace, to the byte.
is_same() {
	[ -n "$is_cut" ] || diff -r "$tmp/whole" "$left" || fail "$left: not all, although it says so"
}

# What says that it is all is of a session that has ended, so that its books are held against what was read.
is_ended() {
	[ -n "$is_cut" ] || expect "state of the session of $left, of which all is there" "$(jq -r .state "$tmp/check")" stopped
}

# judge_all WAY: and keep the records of a stream
judge_all() {
	local nr=$((kills - judged))
	left_some=0 opened=0
	while [ $judged -lt $kills ]; do
		judge "$1" "$tmp/$1.$judged"
		case $1$is_readable in
		save1) is_same ;;
		run1) is_ended ;;
		follow1)
			expect "$left is cut" "$is_cut" 1
			records "$left" >>"$tmp/kept"
			;;
		esac
		judged=$((judged + 1))
	done
	note "$1: $nr killed, $left_some of them left something, $opened opened, $SECONDS s"
	[ $((2 * left_some)) -gt $nr ] || fail "$1: hardly any was killed in the middle of it"
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

# in_each_call WAY NR THEN: kills one in the middle of the 1st call that writes, one in the 2nd, ...
# of more than NR; THEN looks at what each leaves
in_each_call() {
	local nr
	opened=0
	for ((nr = 1; ; nr++)); do
		rm -rf "$tmp/hit" "$trace" "$trace".tmp-*
		plan=kill:$nr
		try "$1" "$trace"
		judge "$1" "$trace"
		[ -z "$is_readable" ] || $3
		[ -e "$tmp/hit" ] || break
		expect "exit code of $1 when killed in call $nr ($(<"$tmp/hit"))" "$status" 137
	done
	plan=
	expect "exit code of $1 when not killed: $(<"$tmp/err")" "$status" 0
	expect "what is left" "$left" "$trace"
	note "$1: killed in each of $((nr - 1)) calls, $opened of them opened, $SECONDS s"
	[ $nr -gt "$2" ] || fail "only $nr calls"
	[ $opened -gt 0 ] || fail "nothing that $1 left could be opened"
}

# record: on both CPUs
record() {
	taskset -c 0 touch_pages read 503 >/dev/null
	taskset -c 1 ktrc-ctl stop -q || fail "stop: $?"
}

each_of_kept() {
	local way
	ktrc-ctl start -q --memory=1M --packet=4K || fail "start: $?"
	record
	control state >"$tmp/state"
	ktrc-read -q --save="$tmp/whole" || fail "save: $?"
	for way in save snapshot; do
		in_each_call $way 20 is_same
	done
	expect "session and counters" "$(control state)" "$(<"$tmp/state")"
	rm -r "$tmp/whole"
	ktrc-ctl reset
}

# What is taken is kept; where that were packets there are new ones for the next.
take() {
	records "$left" >>"$tmp/kept"
	[ -n "$is_cut" ] ||
		expect "records that call $nr left, although all is said to be there" "$(records)" ""
	if [ -e "$left/cpu_0" ]; then
		control start default
		record
	fi
}

each_of_consumed() {
	ktrc-ctl start -q --mode=stream --memory=1M --packet=4K || fail "start: $?"
	: >"$tmp/kept"
	record
	in_each_call follow 40 take
	records >>"$tmp/kept"
	none_lost "$tmp/kept" again
	ktrc-ctl reset
}

# Nobody else has what it wrote: all of it can be read, as another decoder does.
is_all_read() {
	is_ended
	expect "records that call $nr of run left" "$(records "$left" | wc -l)" \
		"$(tests/fuzz/decode.py "$left" | grep -c ' fault ')"
}

each_of_kept
each_of_consumed
in_each_call run 40 is_all_read
flight
stream
ran
expect "traces and what is left of traces" "$judged of $kills" "100 of 100"
