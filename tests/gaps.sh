# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For tests of what a CPU quota takes from threads, by ktrc and by the kernel's tracepoints.

tmp=$(mktemp -d /run/XXXXXX)
top=/sys/fs/cgroup
trace=/sys/kernel/tracing
points=(sched_switch sched_wakeup sched_wakeup_new sched_migrate_task)

# busy CPUS CGROUP: sets $pid
busy() {
	# there its quota might be used up before it is on its CPU
	spin taskset -c "$1"
	pid=$spinner
	echo $pid >"$2/cgroup.procs" || fail "cannot move $pid"
}

# busy_ones NUMBER CPUS CGROUP: sets $pids
busy_ones() {
	pids=()
	while [ ${#pids[@]} -lt "$1" ]; do
		busy "$2" "$3"
		pids+=("$pid")
	done
}

tracepoints() {
	local point
	for point in "${points[@]}"; do
		echo "$1" >$trace/events/sched/"$point"/enable
	done
}

# watch: by ktrc's clock; each thread has run once before ktrc begins
watch() {
	tracepoints 1
	sleep 0.5
	ktrc-ctl start -q --events=throttle || fail "start: $?"
}

# unwatch PID...: each runs once more, and then no more; nothing of its end is recorded
unwatch() {
	kill -STOP "$@"
	until [ "$(printf '/proc/%s/status\n' "$@" | xargs cat | grep -c '^State:.T')" = $# ]; do
		sleep 0.05
	done
	ktrc-ctl stop -q || fail "stop: $?"
	tracepoints 0
	cat $trace/trace >"$tmp/trace"
	grep -q 'entries-in-buffer/entries-written: \([0-9]*\)/\1 ' "$tmp/trace" || fail "tracefs lost some"
	echo >$trace/trace
	kill -KILL "$@"
	kill -CONT "$@"
	wait "$@" 2>/dev/null
	read_all
}

# read_all: what the session holds; sets $missed
read_all() {
	json_events >"$tmp/ktrc" || fail "read: $?"
	ktrc-read throttle --format=json >"$tmp/view" || fail "view: $?"
	ktrc-ctl stats --format=json >"$tmp/stats"
	all_accounted "$tmp/stats"
	expect "lost" "$(jq '[.counters[] | .lost_full + .lost_nest + .lost_noring] | add' "$tmp/stats")" 0
	missed=$(jq '[.counters[].lost_missed] | add' "$tmp/stats")
	ktrc-ctl reset -q
}

# by_both CGROUP PID...: what the threads lost in it, from what ktrc says was kept off when, and what it says they lost,
# to $tmp/compared (see gaps_by_tracefs), and the gaps that only one of both has to $tmp/alone
by_both() {
	jq -r --arg cgroup "$1" 'select(.event == "throttle" and .fields.cgroup == $cgroup) |
		"\(.fields.cpu) \(.ticks - .fields.dur) \(.ticks)"' "$tmp/ktrc" >"$tmp/intervals"
	jq -r --arg cgroup "$1" 'select(.event == "throttle.gap" and .fields.cgroup == $cgroup) |
		"\(.tid) \(.ticks) \(.fields.dur) \(.fields.late) \(.fields.cpu)"' "$tmp/ktrc" >"$tmp/gaps"
	tests/functional/gaps_by_tracefs "$tmp/trace" "$tmp/intervals" "$tmp/gaps" "${@:2}" >"$tmp/compared" 2>"$tmp/alone" ||
		fail "gaps_by_tracefs: $? $(cat "$tmp/alone")"
}

echo mono >$trace/trace_clock
echo 32768 >$trace/buffer_size_kb
echo +cpu >$top/cgroup.subtree_control
mkdir $top/tight || fail "mkdir"
