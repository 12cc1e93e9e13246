#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Of two that start a session of the same name at once one gets it and records, the other is
# told that it is in use; neither takes the other's away.  The same for `run`, of which nothing
# stays behind however it ends.  A start that fails leaves the stopped recording as it was.
# long
. tests/functional/lib.sh

pair() { # COMMAND...: runs it twice at once; exit codes in $codes
	local one two a=0 b=0
	"$@" >/run/one 2>&1 &
	one=$!
	"$@" >/run/two 2>&1 &
	two=$!
	wait $one || a=$?
	wait $two || b=$?
	codes=$(printf '%s\n' $a $b | sort | xargs)
}

for round in {1..15}; do
	pair ktrc-ctl start --memory=1M
	expect "exit codes of two starts, round $round: $(cat /run/one /run/two)" "$codes" "0 1"
	grep -q "already recording" /run/one /run/two || fail "the other start: $(cat /run/one /run/two)"
	ktrc-ctl status >/dev/null || fail "round $round: no session is left"
	ktrc-ctl reset || fail "reset: $?"
done

for round in {1..5}; do
	pair ktrc-ctl run 1s --memory=1M --events=reclaim
	expect "exit codes of two runs, round $round: $(cat /run/one /run/two)" "$codes" "0 1"
	grep -q "another process has it" /run/one /run/two || fail "the other run: $(cat /run/one /run/two)"
done

# as `run` has it between making and starting it
control new || fail "new: $?"
coproc holder { exec control bind; }
holder_pid=$!
read -r _ <&"${holder[0]}" || fail "bind"
status=0
ktrc-ctl start --memory=1M 2>/run/said || status=$?
expect "exit code of a start over one that is bound: $(cat /run/said)" $status 1
grep -q "another process has it" /run/said || fail "the start says: $(cat /run/said)"
! control replace 2>/run/said || fail "the kernel replaces one that is bound"
grep -q "a session of that name exists" /run/said || fail "the kernel says: $(cat /run/said)"
kill -0 $holder_pid && kill $holder_pid
wait $holder_pid
! ktrc-ctl status >/run/said 2>&1 || fail "what was bound is left: $(cat /run/said)"

for round in {1..20}; do
	ktrc-ctl run 10s --memory=1M >/dev/null 2>&1 &
	run=$!
	sleep "0.$((RANDOM % 30 + 10))"
	kill -KILL $run
	wait $run 2>/dev/null
	! ktrc-ctl status >/run/said 2>&1 || fail "round $round: a killed run left: $(cat /run/said)"
done

ktrc-ctl start --memory=1M || fail "start: $?"
touch_pages read 1009 >/dev/null
ktrc-ctl stop || fail "stop: $?"
ktrc-read events >/run/before || fail "read: $?"
echo 0 >/sys/kernel/debug/kprobes/enabled
# the second fails when its first event is attached, the third when half of one is
for events in fault fault.light,reclaim reclaim; do
	ktrc-ctl start --events=$events 2>/run/said
	expect "exit code of a start of $events without kprobes" $? 5
done
ktrc-read events | cmp /run/before - || fail "the stopped recording is another one now"
! grep . /sys/kernel/debug/kprobes/list || fail "a hook is left"
ktrc-ctl reset || fail "reset: $?"
rmmod ktrc || fail "rmmod after failed starts"
touch_pages read 1009 >/dev/null # into nothing that is left
insmod ktrc.ko || fail "insmod: $?"
echo 1 >/sys/kernel/debug/kprobes/enabled
ktrc-ctl start --memory=1M || fail "start: $?"
ktrc-ctl reset
