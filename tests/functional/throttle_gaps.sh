#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a CPU quota takes from a thread is recorded as that thread's, what the kernel's tracepoints of each switch,
# wake-up and move say it lost, gap by gap, and in all within 1 %: of threads that share a CPU, those that
# waited when the first throttling began among them, whoever else ends meanwhile; of threads that are moved to another CPU while they wait; and of one that
# is put into a cgroup that was made while one above it was kept off. A thread outside loses nothing. A session of a cgroup
# that has no cpu controller of its own gets the gaps of the threads in there. A thread that comes to a cgroup has lost nothing of what that
# lost before.
# timeout: 1200
# long
. tests/functional/lib.sh
. tests/gaps.sh

# compare CGROUP PID...: what the threads lost, by both; $leave of them may have left a cgroup while they lost something
leave=0
compare() {
	by_both "$@"
	[ "$missed" -le $leave ] || fail "$missed missed, of $leave who left"
	while read -r line; do
		note "$line"
	done <"$tmp/compared"
	awk '{ whole = $4 + $5; ours = $7 + $8 }
		!$2 || $7 < 0.99 * $4 || $7 > 1.01 * $4 || ours < 0.98 * whole || ours > 1.02 * whole { bad = 1 }
		END { exit bad || !NR }' "$tmp/compared" || fail "tid, gaps, moved, ns, late; ours: gaps, ns, late; in one only"
}

# only_these PID...: lost anything
only_these() {
	expect "gaps of others" "$(jq -r 'select(.event == "throttle.gap").tid' "$tmp/ktrc" | sort -un |
		grep -vxF "$(printf '%s\n' "$@")" | xargs)" ""
}

# gap_by_gap: none of over a millisecond that only one of both has
gap_by_gap() {
	local alone
	alone=$(awk '{ n += $9 } END { print n }' "$tmp/compared")
	note "$alone gaps in one only"
	[ "$alone" = 0 ] || { cat "$tmp/alone" && return 1; }
}

# the quota comes when all is watched: of what is under way before nothing is known
busy 1 $top
other=$pid
busy_ones 3 0 $top/tight
mkdir $top/tight/inner || fail "mkdir"
echo "${pids[0]}" >$top/tight/inner/cgroup.procs || fail "cannot move"
watch
ktrc-ctl start -q --session=inner --cgroup=/tight/inner --events=throttle || fail "start: $?"
echo "11000 53000" >$top/tight/cpu.max
# each that ends leaves its scheduling group; it runs in the first interval, on that CPU
for ((i = 0; i < 15; i++)); do
	taskset -c 0 true
done
sleep 3
unwatch "${pids[@]}"
json_events --session=inner >"$tmp/inner" || fail "read: $?"
ktrc-ctl reset -q --session=inner
rmdir $top/tight/inner
jq -c --argjson tid "${pids[0]}" 'select(.event == "throttle.gap" and .tid == $tid).fields.dur' "$tmp/ktrc" >"$tmp/gaps_in_there"
# that session went on until the thread's end
expect "gaps in the cgroup without a controller" "$(jq -c 'select(.event == "throttle.gap").fields.dur' "$tmp/inner" |
	head -n "$(wc -l <"$tmp/gaps_in_there")")" "$(cat "$tmp/gaps_in_there")"
only_these "${pids[@]}"
compare /tight "${pids[@]}"
gap_by_gap || fail "of threads that share a CPU"
# it adds up ticks, the records are rounded to nanoseconds each
for pid in "${pids[@]}"; do
	read -r gaps ns <<<"$(awk -v tid="$pid" '$1 == tid { print $6, $7 }' "$tmp/compared")"
	[ "$gaps" -ge 23 ] || fail "only $gaps gaps"
	jq -e --argjson tid "$pid" --argjson ns "$ns" --argjson gaps "$gaps" '.threads[] | select(.tid == $tid) |
		.gaps == $gaps and (.total_ns - $ns | fabs) <= $gaps and .cgroup == "/tight" and .comm == "perl"' "$tmp/view" >/dev/null ||
		fail "view: $(jq -c .threads "$tmp/view")"
done
expect "threads of the quota" "$(jq '.quotas[0].nr_threads' "$tmp/view")" 3
kill -KILL "$other"
wait "$other" 2>/dev/null

# moved: the balancer moves those that may run anywhere, and somebody one of them on purpose
moved() {
	local i
	echo max >$top/tight/cpu.max
	busy_ones 5 0,1 $top/tight
	watch
	echo "30000 53000" >$top/tight/cpu.max
	for ((i = 0; i < 61; i++)); do
		taskset -pc $((i % 2)) "${pids[0]}" >/dev/null
		sleep 0.03
	done
	taskset -pc 0,1 "${pids[0]}" >/dev/null
	sleep 1
	unwatch "${pids[@]}"
	only_these "${pids[@]}"
	compare /tight "${pids[@]}"
	gap_by_gap
}

# the host may stop a virtual CPU for longer than gaps may differ, between the two that look
moved || moved || moved || fail "of threads that are moved"
moved=$(awk '{ n += $3 } END { print n }' "$tmp/compared")
note "$moved gaps ended by a move"
[ "$moved" -ge 11 ] || fail "only $moved gaps ended by a move"
rmdir $top/tight

# look: at /long; sets $periods, and in how many of them it was kept off
look() {
	local name value
	while read -r name value; do
		case $name in
		nr_periods) periods=$value ;;
		nr_throttled) throttlings=$value ;;
		esac
	done <$top/long/cpu.stat
}

# until_kept_off: a period has just ended in which /long was, so that it is again for most of a second
until_kept_off() {
	local before
	look
	before=$throttlings
	until [ "$throttlings" -gt "$before" ]; do
		pause 0.02
		look
	done
	pause 0.1
}

# go_back: $pid leaves $inside, which goes
go_back() {
	echo "$pid" >$top/cgroup.procs || fail "cannot move"
	leave=$((leave + 1))
	rmdir "$inside" || fail "rmdir"
}

# make DIR: by who runs already; a slow host takes longer than a period to start somebody
make() {
	local said
	echo "$1" >&"${maker[1]}"
	read -r said <&"${maker[0]}"
	expect "mkdir $1" "$said" made
}

# put_inside NAME: $pid, into a cgroup below /long that is made while that is kept off: $inside; once more, if a slow host
# took until the next period for it
put_inside() {
	local in_period
	while true; do
		until_kept_off
		in_period=$periods
		inside=$top/long/$1.$((nr_made++))
		make "$inside"
		echo "$pid" >"$inside/cgroup.procs" || fail "cannot move"
		look
		[ "$periods" != "$in_period" ] || return 0
		go_back
	done
}

# made_below: a thread in each of five cgroups that are made while one above them is kept off, by a quota of a long
# period; it has the CPU for itself when it is put there: of one that waits just then it is only known that something
# was missed
made_below() {
	local i is_right=true made=()
	leave=0 nr_made=0
	mkdir $top/long || fail "mkdir"
	echo +cpu >$top/long/cgroup.subtree_control
	mkdir $top/long/user || fail "mkdir"
	watch
	busy 1 $top/long/user
	threads=("$pid")
	echo "10000 1000000" >$top/long/cpu.max
	for ((i = 0; i < 5; i++)); do
		busy 1 $top
		# the kernel gives the next one the address of this one
		put_inside before
		sleep 0.05
		go_back
		put_inside made
		made+=("${inside#"$top"}")
		threads+=("$pid")
	done
	sleep 2
	unwatch "${threads[@]}"
	only_these "${threads[@]}"
	compare /long/user "${threads[0]}"
	# its intervals, of most of a second, are those of the one above, but for the beginning of the first, before which
	# it was not there
	for ((i = 0; i < 5; i++)); do
		compare "${made[i]}" "${threads[i + 1]}"
		jq -e -s --arg cgroup "${made[i]}" 'def of(name): map(select(.event == "throttle" and .fields.cgroup == name) |
				{ limiter: .fields.limiter, own: .fields.own_ppm, nr: .fields.nr_quotas, cpu: .fields.cpu, end: .ticks, begin: (.ticks - .fields.dur) });
			of("/long") as $above | of($cgroup) | length > 1 and all(.limiter == "/long" and .own == 0 and .nr == 1 and .cpu == 1) and
			all(. as $i | $above | any((.end - $i.end | fabs) < 1e6 and .begin < $i.begin + 1e6)) and
			(.[0] as $i | $above | any(.begin + 2e7 < $i.begin and $i.begin < .end)) and
			(.[1:] | all(. as $i | $above | any((.begin - $i.begin | fabs) < 1e6)))' "$tmp/ktrc" >/dev/null ||
			{ note "intervals of ${made[i]}: $(grep -E "\"event\":\"throttle\".*\"(/long|${made[i]})\"," "$tmp/ktrc")" && is_right=false; }
	done
	rmdir "${made[@]/#/$top}" $top/long/user $top/long
	$is_right
}

taskset -pc 0 $$ >/dev/null
# shellcheck disable=SC2016 # perl's
coproc maker { exec perl -ne 'BEGIN { $| = 1 } chomp; print mkdir($_) ? "made\n" : "$!\n"'; }
made_below || made_below || made_below || fail "of cgroups that are made"

# slices PID: how often it has run
slices() {
	awk '{ print $3 }' "/proc/$1/schedstat"
}

# what a cgroup lost before a thread that had no CPU came to it is not that thread's; one of little weight hardly ever runs
mkdir $top/lazy $top/tight $top/hog || fail "mkdir"
echo 1 >$top/lazy/cpu.weight
echo 10000 >$top/hog/cpu.weight
busy 1 $top/lazy
lazy=$pid
busy 1 $top/tight
tight=$pid
busy 1 $top/hog
hog=$pid
sleep 1
for ((i = 0; i < 7; i++)); do
	ktrc-ctl start -q --events=throttle || fail "start: $?"
	ran=$(slices $lazy)
	echo "10000 1000000" >$top/tight/cpu.max
	until [ "$(ktrc-ctl stats --format=json | jq '[.counters[] | select(.event == "throttle.begin").hits] | add')" -ge 1 ]; do
		sleep 0.02
	done
	sleep 0.2
	echo max >$top/tight/cpu.max
	echo $lazy >$top/tight/cgroup.procs || fail "cannot move"
	[ "$(slices $lazy)" = "$ran" ] && break
	echo $lazy >$top/lazy/cgroup.procs || fail "cannot move"
	ktrc-ctl reset -q
done
[ $i -lt 7 ] || fail "it has run each time"
until [ "$(slices $lazy)" -gt "$ran" ]; do
	sleep 0.02
done
ktrc-ctl stop -q || fail "stop: $?"
read_all
expect "missed of who came later" "$missed" 0
expect "gaps of who came later" "$(jq -c --argjson tid "$lazy" 'select(.event == "throttle.gap" and .tid == $tid)' "$tmp/ktrc")" ""
[ "$(jq -s --argjson tid "$tight" 'map(select(.event == "throttle.gap" and .tid == $tid)) | length' "$tmp/ktrc")" -ge 1 ] ||
	fail "who was there has no gap"
kill -KILL $lazy $tight $hog
wait $lazy $tight $hog 2>/dev/null
rmdir $top/lazy $top/tight $top/hog
