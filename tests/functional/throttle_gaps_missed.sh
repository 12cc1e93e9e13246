#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a CPU quota took from a thread is lost_missed where it cannot be told how much that was: once, if the thread came
# to another cgroup while it waited, or waited for the CPU for more than two seconds after the quota was filled; of more
# threads than there is room for, or in more cgroups, no gap is left out, and no more than all waits are counted. Each
# interval of a cgroup without room is missed, once.
# long
. tests/functional/lib.sh
. tests/gaps.sh

# until_begun: something is kept off a CPU
until_begun() {
	until [ "$(ktrc-ctl stats --format=json | jq '[.counters[] | select(.event == "throttle.begin").hits] | add')" -ge 1 ]; do
		sleep 0.02
	done
}

# until_runs PID: it has run once more
until_runs() {
	local ran
	ran=$(awk '{ print $3 }' "/proc/$1/schedstat")
	until [ "$(awk '{ print $3 }' "/proc/$1/schedstat")" -gt "$ran" ]; do
		sleep 0.02
	done
}

# all_but_last PID: of its waits, each of which began with an interval, it has the gaps
all_but_last() {
	jq -e -s --argjson tid "$1" '(map(select(.event == "throttle.begin")) | length) - 1 ==
		(map(select(.event == "throttle.gap" and .tid == $tid)) | length)' "$tmp/ktrc" >/dev/null ||
		fail "gaps: $(grep '"throttle' "$tmp/ktrc")"
}

end() {
	kill -KILL "$@"
	wait "$@" 2>/dev/null
}

# comes_to CGROUP MISSED: a thread waits in /tight, which is kept off, and then in that one
comes_to() {
	busy 1 $top/tight
	ktrc-ctl start -q --events=throttle || fail "start: $?"
	echo "2000 1000000" >$top/tight/cpu.max
	[ "$1" = $top ] || echo "2000 1000000" >"$1/cpu.max"
	until_begun
	sleep 0.2
	echo "$pid" >"$1/cgroup.procs" || fail "cannot move"
	until_runs "$pid"
	ktrc-ctl stop -q || fail "stop: $?"
	read_all
	expect "missed of who comes to $1" "$missed" "$2"
	# else it may take minutes to end
	echo max >$top/tight/cpu.max
	[ "$1" = $top ] || echo max >"$1/cpu.max"
	end "$pid"
}

taskset -pc 0 $$ >/dev/null
comes_to $top 1
all_but_last "$pid"
mkdir $top/other || fail "mkdir"
busy 1 $top/other
other=$pid
comes_to $top/other 2
end "$other"
rmdir $top/other

# who waits on: two others, real-time ones from the first, take turns on the CPU, before which it does not come
let_real_time_run
busy 1 $top/tight
ktrc-ctl start -q --events=throttle || fail "start: $?"
echo "2000 1000000" >$top/tight/cpu.max
until_begun
turns=()
for ((i = 0; i < 2; i++)); do
	spin chrt -r 1 taskset -c 1
	turns+=("$spinner")
done
echo max >$top/tight/cpu.max
sleep 4
end "${turns[@]}"
until_runs "$pid"
restrain_real_time
ktrc-ctl stop -q || fail "stop: $?"
read_all
expect "missed of who waits on" "$missed" 1
all_but_last "$pid"
end "$pid"

# kept_off PID...: of their waits, for six seconds, each gap is recorded or missed, and none that was no wait
kept_off() {
	local theirs ours waits
	watch
	echo "20000 40000" >$top/tight/cpu.max
	sleep 6
	echo max >$top/tight/cpu.max
	unwatch "$@"
	sed -i '/"event":"throttle.gap"/s|"cgroup":"/tight/[0-9]*"|"cgroup":"/tight"|g' "$tmp/ktrc"
	by_both /tight "$@"
	missed=$(jq '[.counters[] | select(.event == "throttle.gap").lost_missed] | add' "$tmp/stats")
	read -r theirs ours <<<"$(awk '{ theirs += $2; ours += $6 } END { print theirs, ours }' "$tmp/compared")"
	[ "$missed" -gt 0 ] || fail "there was room for all"
	[ $((ours + missed)) -ge "$theirs" ] || fail "some are neither recorded nor missed"
	waits=$(grep -o 'next_pid=[0-9]*' "$tmp/trace" | grep -cwFf <(printf 'next_pid=%s\n' "$@"))
	note "$theirs gaps in $waits waits: $ours recorded, $missed missed"
	[ $((ours + missed)) -le "$waits" ] || fail "they have waited $waits times only"
}

# burn NUMBER CGROUP...: so many threads, in these in turn, none of which begins before all are there; sets $parent, $pids
burn() {
	# shellcheck disable=SC2016 # perl's
	taskset -c 1 perl -e 'my $nr = shift; pipe R, W;
		for my $i (0 .. $nr - 1) { next if fork; close W;
			open my $procs, ">", "$ARGV[$i % @ARGV]/cgroup.procs" or die; print $procs $$; close $procs or die;
			print STDERR "."; <R>; 1 while 1 }
		close W; sleep 1 while 1' "$@" 2>"$tmp/ready" &
	parent=$!
	until [ "$(wc -c <"$tmp/ready")" -ge "$1" ]; do
		kill -0 $parent || fail "$(cat "$tmp/ready")"
		sleep 0.1
	done
	mapfile -t pids < <(pgrep -P $parent)
}

# more threads than notes: one without may have lost something in each of its waits, and nearly always has;
# it is counted once for each
burn 300 $top/tight
kept_off "${pids[@]}"
end "$parent"

# more cgroups than there is room for: the same of threads of those without, and their intervals are missed
echo +cpu >$top/tight/cgroup.subtree_control || fail "subtree_control"
mkdir $top/tight/{1..199} || fail "mkdir"
burn 199 $top/tight/{1..199}
kept_off "${pids[@]}"
intervals=$(wc -l <"$tmp/intervals")
note "$intervals intervals, $(jq -c '.counters[] | select(.event == "throttle" and .cpu == null) | [.hits, .lost_missed]' "$tmp/stats")"
expect "intervals of 200 cgroups" "$(jq '[.counters[] | select(.event == "throttle").hits] | add' "$tmp/stats")" $((200 * intervals))
end "$parent"
rmdir $top/tight/{1..199} $top/tight
