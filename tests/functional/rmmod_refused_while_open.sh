#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Whatever holds the module keeps it in place: a session, an open file, a mapping whose
# file is closed, a question for its policy that is not answered yet. `doctor` names the session and what ends it; then rmmod works.
. tests/functional/lib.sh

refused() {
	! rmmod ktrc 2>/dev/null || fail "the module went away under $1"
}

# doctor_names SESSION STATE
doctor_names() {
	ktrc-ctl doctor >/tmp/doctor || fail "doctor: $?: $(cat /tmp/doctor)"
	grep -q "$1 ($2) holds the module; .*ktrc-ctl reset --session=$1\$" /tmp/doctor ||
		fail "doctor does not name the $2 session: $(cat /tmp/doctor)"
	! grep -q "can be unloaded" /tmp/doctor || fail "doctor: $(cat /tmp/doctor)"
}

# without a session `doctor` cannot name it, but says how to find who holds the module
doctor_sees_holder() {
	ktrc-ctl doctor >/tmp/doctor || fail "doctor: $?: $(cat /tmp/doctor)"
	grep -q "fuser -v /dev/ktrc" /tmp/doctor || fail "doctor: $(cat /tmp/doctor)"
	! grep -q "can be unloaded" /tmp/doctor || fail "doctor: $(cat /tmp/doctor)"
}

exec 9<>/dev/ktrc || fail "open"
refused "an open file"
doctor_sees_holder
exec 9>&-
ktrc-ctl doctor | grep "can be unloaded" >/dev/null || fail "doctor: $(ktrc-ctl doctor)"
rmmod ktrc || fail "still in use after close"
insmod ktrc.ko

control new || fail "control: $?"
refused "a new session"
doctor_names default new
ktrc-ctl reset || fail "reset: $?"

ktrc-ctl start --session=held.1 --memory=1M || fail "start: $?"
refused "a running session"
doctor_names held.1 running
ktrc-ctl stop --session=held.1 || fail "stop: $?"
refused "a stopped session"
doctor_names held.1 stopped
command=$(sed -n 's/.*to end it: //p' /tmp/doctor)
$command || fail "$command: $?"
rmmod ktrc || fail "still in use after: $command"
insmod ktrc.ko

ktrc-ctl start --memory=1M || fail "start: $?"
coproc holder { exec hold_map; }
holder_pid=$!
read -r _ <&"${holder[0]}"
ktrc-ctl reset || fail "reset: $?"
refused "a mapping of a deleted session"
doctor_sees_holder
ktrc-ctl status >/dev/null 2>&1
expect "exit code of status without a session" $? 3
kill $holder_pid
wait $holder_pid
rmmod ktrc || fail "still in use after the last unmap"
insmod ktrc.ko

coproc holder { exec control policy; }
holder_pid=$!
read -r _ <&"${holder[0]}" || fail "policy"
refused "a dump of its policy"
kill $holder_pid
wait $holder_pid
rmmod ktrc || fail "still in use after the dump"
