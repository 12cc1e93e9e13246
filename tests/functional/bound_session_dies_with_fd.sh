#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A session that is bound to a file is gone when that is closed, however its process ends,
# with its hooks and its memory; a detached one stays.  What somebody else has mapped of it
# stays readable until it is unmapped.
# long
. tests/functional/lib.sh

sessions() {
	ktrc-ctl status --format=json 2>/dev/null | jq -r '.sessions[].session' | xargs
}

# hooked: is the fault path hooked
hooked() {
	grep -q 'handle_mm_fault' /sys/kernel/debug/kprobes/list
}

# until_recording: the session "run" records
until_recording() {
	for _ in {1..200}; do
		[ "$(ktrc-ctl status --session=run --format=json 2>/dev/null |
			jq -r '.sessions[0] | .state, .is_bound' | xargs)" = "running true" ] && return
		sleep 0.1
	done
	fail "no bound session runs: $(ktrc-ctl status)"
}

# ends HOW: the bound session's process has ended so; what is left
ends() {
	wait "$runner"
	expect "sessions after $1" "$(sessions)" "kept"
	! hooked || fail "after $1 the hook is still there"
}

ktrc-ctl start -q --session=kept --memory=1M || fail "start: $?"
ktrc-ctl stop -q --session=kept || fail "stop: $?"
! hooked || fail "there is a hook before"

ktrc-ctl run -q 100s >/dev/null 2>&1 &
runner=$!
until_recording
hooked || fail "there is no hook"
kill -KILL $runner
ends "SIGKILL"

mkfifo /run/go
ktrc-ctl run -q -- cat /run/go >/dev/null 2>&1 &
runner=$!
until_recording
echo >/run/go
ends "the command's end"

# killed while its command, which inherits no file, goes on
ktrc-ctl run -q -- sleep 1000 >/dev/null 2>&1 &
runner=$!
until_recording
kill -KILL $runner
ends "SIGKILL with a command"
pkill -KILL -x sleep # that command

ktrc-ctl run -q --memory=1M 100s >/dev/null 2>&1 &
runner=$!
until_recording
coproc holder { exec hold_map run; }
holder_pid=$!
read -r _ <&"${holder[0]}"
kill -KILL $runner
ends "SIGKILL with a reader"
ktrc-ctl reset --session=kept || fail "reset: $?"
! rmmod ktrc 2>/dev/null || fail "the module went away under a mapping"
kill $holder_pid
wait $holder_pid
expect "who holds the module after that" "$(cat /sys/module/ktrc/refcnt)" 0
