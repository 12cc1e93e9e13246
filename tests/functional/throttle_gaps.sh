#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a CPU quota takes from a thread is recorded as that thread's: one that is alone on its CPU
# waits as long as the kernel's tracepoint of each switch says, within 3 %; each of three that
# share a CPU loses what their cgroup is kept off it, within 5 %. A thread outside of it loses
# nothing.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
cgroup=/sys/fs/cgroup/tight
trace=/sys/kernel/tracing

# busy CPU CGROUP: sets $pid
busy() {
	taskset -c "$1" perl -e '1 while 1' &
	pid=$!
	echo $pid >"$2/cgroup.procs" || fail "cannot move $pid"
}

# freeze PID...: each runs once more, and then no more; nor is anything recorded, of their end
freeze() {
	kill -STOP "$@"
	for pid; do
		until grep -q '^State:.T' "/proc/$pid/status"; do
			sleep 0.05
		done
	done
	ktrc-ctl stop -q || fail "stop: $?"
}

# lost TID: nanoseconds kept off, and until it ran
lost() {
	jq -rs --argjson tid "$1" 'map(select(.event == "throttle.gap" and .tid == $tid).fields) |
		"\(map(.dur_ns) | add // 0 | floor) \(map(.dur_ns + .late_ns) | add // 0 | floor) \(length)"' "$tmp/ktrc"
}

# read_all: what the session holds
read_all() {
	ktrc-read events --format=ndjson >"$tmp/ktrc" || fail "read: $?"
	ktrc-read throttle --format=json >"$tmp/view" || fail "view: $?"
	ktrc-ctl stats --format=json >"$tmp/stats"
	all_accounted "$tmp/stats"
	expect "lost" "$(jq '[.counters[] | .lost_full + .lost_nest + .lost_noring + .lost_missed] | add' "$tmp/stats")" 0
	ktrc-ctl reset -q
}

# watch TID: when it is switched in and out, by ktrc's clock: the scheduler's own loses time when
# the host stops a virtual CPU
watch() {
	echo mono >$trace/trace_clock
	echo "prev_pid == $1 || next_pid == $1" >$trace/events/sched/sched_switch/filter
	echo 1 >$trace/events/sched/sched_switch/enable
}

# waited TID: nanoseconds in which it was ready and did not run
waited() {
	echo 0 >$trace/events/sched/sched_switch/enable
	echo 0 >$trace/events/sched/sched_switch/filter
	awk -v out="prev_pid=$1 " -v in_="next_pid=$1 " '
		{ match($0, / [0-9]+\.[0-9]+: /); now = substr($0, RSTART + 1) * 1e9 }
		since && index($0, in_) { sum += now - since }
		{ since = index($0, out) && / prev_state=R/ ? now : 0 }
		END { printf "%.0f\n", sum }' $trace/trace
	echo local >$trace/trace_clock
}

# within LOW HIGH PART WHOLE
within() {
	awk -v low="$1" -v high="$2" -v part="$3" -v whole="$4" \
		'BEGIN { exit !(part > 0 && part >= low * whole && part <= high * whole) }'
}

echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
mkdir $cgroup || fail "mkdir"
echo "11000 53000" >$cgroup/cpu.max

ktrc-ctl start -q --events=throttle || fail "start: $?"
busy 1 /sys/fs/cgroup
other=$pid
busy 0 /sys/fs/cgroup
one=$pid
watch "$one"
echo "$one" >$cgroup/cgroup.procs || fail "cannot move $one"
sleep 4
freeze "$one"
switches=$(waited "$one")
kill -9 "$other" "$one"
kill -CONT "$one"
wait
read_all
read -r kept all gaps <<<"$(lost "$one")"
note "alone: $gaps gaps, $kept ns kept off and $((all - kept)) ns late; waited $switches ns"
[ "$gaps" -ge 23 ] || fail "only $gaps gaps"
within 0.97 1.03 "$all" "$switches" || fail "$all ns lost, $switches ns waited"
expect "gaps outside" "$(lost "$other")" "0 0 0"
# it adds up ticks, the records are rounded to nanoseconds each
jq -e --argjson tid "$one" --argjson ns "$kept" --argjson gaps "$gaps" '.threads[] | select(.tid == $tid) |
	.gaps == $gaps and (.total_ns - $ns | fabs) <= $gaps and .cgroup == "/tight" and .comm == "perl"' "$tmp/view" >/dev/null ||
	fail "view: $(jq -c .threads "$tmp/view")"

three=()
for _ in 1 2 3; do
	busy 1 $cgroup
	three+=("$pid")
done
sleep 1
ktrc-ctl start -q --events=throttle || fail "start: $?"
sleep 4
freeze "${three[@]}"
kill -9 "${three[@]}"
kill -CONT "${three[@]}"
wait
read_all
whole=$(jq -s 'map(select(.event == "throttle" and .fields.cpu == 1).fields.dur_ns) | add' "$tmp/ktrc")
for pid in "${three[@]}"; do
	read -r kept all gaps <<<"$(lost "$pid")"
	note "one of three: $gaps gaps, $kept ns of $whole ns"
	within 0.95 1.01 "$kept" "$whole" || fail "$pid lost $kept of $whole ns"
done
expect "threads of the quota" "$(jq '.quotas[0].nr_threads' "$tmp/view")" 3
rmdir $cgroup
