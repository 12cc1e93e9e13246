#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Whatever verb or view prints, in whatever format: when it cannot be written, because the disk is
# full, standard output is closed or a reader is too slow for a pipe that does not wait, the tool
# says so in one line and fails. When nobody reads the pipe any more, it is quiet.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
failed=0 rows=0

# told WHY COMMAND...: what it printed could not be written
told() {
	local why=$1 lines
	shift
	mapfile -t lines <"$tmp/err"
	[ "$status" = 1 ] && [ ${#lines[@]} -le 2 ] &&
		[[ ${lines[0]:-} =~ ^ktrc-(ctl|read):\ standard\ output:\ $why$ ]] &&
		[[ ${lines[1]:-hint: } == "hint: "* ]] && return
	note "$*: exit code $status: $(<"$tmp/err")"
	failed=1
}

# prints COMMAND...: into what fails in each way
prints() {
	rows=$((rows + 1))
	"$@" >/dev/full 2>"$tmp/err"
	status=$?
	told "cannot write: No space left on device" "$*"
	"$@" >&- 2>"$tmp/err"
	status=$?
	told "cannot write: Bad file descriptor" "$*"
	"$@" 1>&"$pipe" 2>"$tmp/err"
	status=$?
	[ $status = 141 ] && [ ! -s "$tmp/err" ] && return
	note "$*, with nobody to read it: exit code $status: $(<"$tmp/err")"
	failed=1
}

# each_format COMMAND...
each_format() {
	local format
	for format in text json ndjson; do
		prints "$@" --format=$format
	done
}

# a pipe whose reader has gone
broken_pipe() {
	local reader
	mkfifo "$tmp/fifo"
	cat "$tmp/fifo" &
	reader=$!
	exec {pipe}>"$tmp/fifo"
	kill $reader
	wait $reader
}

notices() {
	local monitor
	ktrc-ctl monitor -q --format="$1" >"$2" 2>"$tmp/err" &
	monitor=$!
	while kill -0 $monitor 2>/dev/null; do
		ktrc-ctl start -q --session=other --memory=1M
		ktrc-ctl reset --session=other
	done
	wait $monitor
	status=$?
	told "cannot write: No space left on device" "monitor --format=$1"
}

broken_pipe
ktrc-ctl start -q --events=fault,reclaim,madvise --memory=4M || fail "start: $?"
touch_pages read 20011 >/dev/null
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/short
echo 1M 2>/dev/null >/sys/fs/cgroup/short/memory.reclaim # a stall, for nothing
rmdir /sys/fs/cgroup/short
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read -q --save="$tmp/trace" || fail "save: $?"

for view in summary faults reclaim madvise events check; do
	each_format ktrc-read -q $view
	prints ktrc-read -q $view "$tmp/trace"
done
prints ktrc-read -q events --all
prints ktrc-read -q --format=markdown
for verb in list status stats; do
	each_format ktrc-ctl $verb
done
prints ktrc-ctl list -v
prints ktrc-ctl doctor
each_format ktrc-ctl run -q --memory=1M -- true
for verb in run start stop snapshot status stats monitor reset list doctor; do
	prints ktrc-ctl $verb --help
done
for tool in ktrc-ctl ktrc-read; do
	prints $tool --help
	prints $tool --version
done
prints ktrc-ctl help start
prints ktrc-read --usage
nonblocking ktrc-read -q events 2>"$tmp/err" | (sleep 1 && cat >/dev/null)
status=${PIPESTATUS[0]}
told "(cannot write: Resource temporarily unavailable|something could not be written)" nonblocking
ktrc-read -q events --save="$tmp/another" >/dev/full 2>"$tmp/err"
status=$?
told "cannot write: No space left on device" "events --save"
diff -r "$tmp/trace" "$tmp/another" || fail "--save saves something else then"
notices text /dev/full
notices ndjson /dev/full
note "$rows command lines"
ktrc-ctl reset
[ $failed = 0 ]
