#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A CPU quota of a cgroup whose child does the work: each interval in which a cgroup is kept off
# a CPU is one record, of the run queue's CPU whoever notices the end, with that cgroup as the
# limiter, of no task; their time is cpu.stat's throttled_usec within 1 %. In how many periods in a row its quota was
# used up, on whichever CPU, is what the kernel's functions say, or not known where the first interval was longer than a period.
# Where the child has a quota of its own as well, an interval in which both are used up is one, and a thread's gap is
# by the quota in whose intervals it lost time, or by none. A quota that is found again in time gives none.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
top=/sys/fs/cgroup
events="$trace/kprobe_events"

# busy SECONDS CPU CGROUP: in the background
busy() {
	in_cgroup "$top/$3" taskset -c "$2" perl -e "\$SIG{ALRM} = sub { exit }; alarm $1; 1 while 1" &
}

stat_of() {
	awk -v key="$2" '$1 == key { print $2 }' "$top/$1/cpu.stat"
}

# what the kernel's functions say: who visits which cgroup on which run queue, what came of it
watch() {
	cat >"$events" <<-'END'
		p:ktrc_test/enter throttle_cfs_rq queue=%di
		r:ktrc_test/throttled throttle_cfs_rq done=$retval:u8
		p:ktrc_test/down tg_throttle_down tg=%di rq=%si
		p:ktrc_test/over unthrottle_cfs_rq queue=%di
		p:ktrc_test/tick sched_cfs_period_timer
		p:ktrc_test/up tg_unthrottle_up tg=%di rq=%si
	END
	echo 65536 >$trace/buffer_size_kb
	echo mono >$trace/trace_clock # what one CPU ends the other one began
	echo 1 >$trace/events/ktrc_test/enable
}

unwatch() {
	echo 0 >$trace/events/ktrc_test/enable
	cat $trace/trace >"$tmp/tracefs"
	grep -q 'entries-in-buffer/entries-written: \([0-9]*\)/\1 ' "$tmp/tracefs" || fail "tracefs lost some"
	echo >"$events"
	echo >$trace/trace
	echo local >$trace/trace_clock
}

# "NUMBER": intervals in which a cgroup was kept off a CPU, each number as often as it occurs
by_tracefs() {
	awk '{ match($0, /tg=.*/); key = substr($0, RSTART) }
		/ down: / { if (!depth[key]++) n[key]++ }
		/ up: / && depth[key] { depth[key]-- }
		END { for (key in n) print n[key] }' "$tmp/tracefs" | sort -n
}

# the same of records, of which each begin has an end on the same CPU
by_ktrc() {
	local event
	for event in throttle.begin throttle; do
		jq -r --arg event $event 'select(.event == $event).fields | "\(.cgid) \(.cpu)"' "$tmp/ktrc" |
			sort | uniq -c >"$tmp/$event"
	done
	diff "$tmp/throttle.begin" "$tmp/throttle" >"$tmp/diff" || fail "begins and ends: $(cat "$tmp/diff")"
	awk '{ print $1 }' "$tmp/throttle" | sort -n
}

# of one quota, for each queue, in order: in how many periods in a row it was used up on any CPU, whenever it was filled up for
# this one. A period ends when the timer fires, and is one in which it was used up, or still was at the end.
runs_by_tracefs() {
	awk 'BEGIN { period = 0 }
		{ match($0, / \[[0-9]+\] /); cpu = substr($0, RSTART, RLENGTH); queue = $0; sub(/.* queue=/, "", queue) }
		/ tick: / { period++ }
		/ enter: / { entered[cpu] = queue; began[queue] = period }
		/ throttled: .*done=1/ { held[entered[cpu]] = 1 }
		/ over: / && held[queue] {
			end = began[queue] == period ? period : period - 1
			for (k = began[queue]; k <= end; k++)
				used_up[k] = 1
			for (k = end; k in used_up; k--)
				;
			runs[queue] = runs[queue] end - k " "
			held[queue] = 0
		}
		END { for (queue in runs) print runs[queue] }' "$tmp/tracefs" | sort
}

# runs_by_ktrc ID: the same of records, of each CPU
runs_by_ktrc() {
	jq -rs --argjson id "$1" 'map(select(.event == "throttle" and .fields.cgid == $id).fields) | group_by(.cpu)[] |
		map("\(.periods) ") | add' "$tmp/ktrc" | sort
}

# throttled ID: intervals of the cgroup with a quota are those calls that took it off
throttled() {
	expect "throttled" "$(jq -s --argjson id "$1" 'map(select(.event == "throttle" and .fields.cgid == $id)) | length' \
		"$tmp/ktrc")" "$(grep -c ' throttled: .*done=1' "$tmp/tracefs")"
}

# record WORK...: what it does to cgroups is in ktrc and tracefs
record() {
	watch
	ktrc-ctl start -q --events=throttle --memory=16M || fail "start: $?"
	ktrc-ctl start -q --session=child --cgroup=/limit/child --events=throttle || fail "start: $?"
	ktrc-ctl start -q --session=me --pid=$$ --events=throttle:count || fail "start: $?"
	"$@"
	wait
	# until nothing is kept off any more
	for ((tries = 0; $(throttled_now) != 0; tries++)); do
		[ $tries -lt 100 ] || fail "begun, not ended: $(throttled_now)"
		sleep 0.1
	done
	ktrc-ctl stop -q || fail "stop: $?"
	unwatch
	json_events >"$tmp/ktrc" || fail "read: $?"
	ktrc-read throttle --format=json >"$tmp/view" || fail "view: $?"
	json_events --session=child >"$tmp/ktrc.child" || fail "read: $?"
	ktrc-ctl stats --format=json >"$tmp/stats" || fail "stats: $?"
	all_accounted "$tmp/stats"
	ktrc-ctl reset -q
	ktrc-ctl reset -q --session=child || fail "child: $?"
	ktrc-ctl stats --session=me --format=json >"$tmp/me" || fail "stats: $?"
	ktrc-ctl reset -q --session=me
}

throttled_now() {
	ktrc-ctl stats --format=json | jq '[.counters[] | select(.event == "throttle").hits] as $ends |
		[.counters[] | select(.event == "throttle.begin").hits] as $begins | ($begins | add) - ($ends | add)'
}

one_limit() {
	busy 3 0 limit/child
	busy 3 1 limit/child
}

one_cpu() {
	busy 3 0 limit/child
}

# while the child's is used up, the other one uses up what is left of both; the child's thread goes elsewhere meanwhile
two_limits() {
	local cpu
	busy 60 0 limit/child
	busy 4 0 limit/other
	busy 4 1 limit/other
	until grep -q . $top/limit/child/cgroup.procs; do sleep 0.1; done
	for cpu in 1 0 1 0 1 0; do
		sleep 0.5
		taskset -p -c $cpu "$(cat $top/limit/child/cgroup.procs)" >"$tmp/said" || fail "moved: $(cat "$tmp/said")"
	done
	kill -ALRM "$(cat $top/limit/child/cgroup.procs)"
}

races() {
	insmod build/functional/ktrc_slow.ko symbol=throttle_cfs_rq us=1000 || fail "insmod ktrc_slow"
	busy 5 0 limit/child
	busy 5 1 limit/other
	wait
	rmmod ktrc_slow
}

echo +cpu >$top/cgroup.subtree_control
mkdir $top/limit || fail "mkdir"
echo +cpu >$top/limit/cgroup.subtree_control
mkdir $top/limit/child || fail "mkdir"
limit=$(stat -c %i $top/limit) child=$(stat -c %i $top/limit/child)

# kept: sets $ours, $records and $usec: by ktrc and by cpu.stat, what record made
kept() {
	usec=$(($(stat_of limit throttled_usec) - usec_before))
	jq -rs --arg limit "$limit" 'map(select(.event == "throttle")) |
		"\(map(select(.fields.cgid == ($limit | tonumber)).fields.dur_ns) | add / 1000 | floor) \(length)"' \
		"$tmp/ktrc" >"$tmp/sum"
	read -r ours records <"$tmp/sum"
	note "$records records, $ours us; cpu.stat: $usec us in $(stat_of limit nr_throttled) periods"
	[ "$records" -ge 101 ] || fail "only $records records"
	awk -v a="$ours" -v b="$usec" 'BEGIN { exit !(a > 0.99 * b && a < 1.01 * b) }'
}

# a tick uses up several periods' quota: the first interval is longer than one
echo "2000 29000" >$top/limit/cpu.max
record one_cpu
runs_by_ktrc "$limit" >"$tmp/ours"
runs_by_tracefs >"$tmp/theirs"
/usr/bin/python3 - "$tmp/ours" "$tmp/theirs" >"$tmp/said" 2>&1 <<'END' || fail "runs of a quota that is overdrawn: $(cat "$tmp/said")"
import sys
ours, theirs = ([list(map(int, line.split())) for line in open(name)] for name in sys.argv[1:])
print("# runs of a quota that is overdrawn: %d, not known: %d" % (sum(map(len, ours)), sum(run.count(0) for run in ours)))
is_long = any(max(run) > 1 for run in theirs)
# of each CPU, those that are known best first
for run in sorted(ours, key=lambda run: run.count(0)):
    same = [other for other in theirs if len(other) == len(run) and all(a in (0, b) for a, b in zip(run, other))]
    if not same:
        sys.exit("%s\nby tracefs %s" % (run, theirs))
    theirs.remove(same[0])
sys.exit(bool(theirs) or not is_long)
END
cat "$tmp/said"

echo "11000 53000" >$top/limit/cpu.max

# the two read the clock one after the other, and the host may stop a virtual CPU in between
for try in 1 2 3; do
	usec_before=$(stat_of limit throttled_usec)
	record one_limit
	kept && break
	[ $try -lt 3 ] || fail "time: $ours us, cpu.stat $usec us"
done
expect "limiters" "$(jq -r 'select(.event | startswith("throttle")).fields.limiter_id' "$tmp/ktrc" | sort -u)" "$limit"
expect "cgroups" "$(jq -r 'select(.event == "throttle").fields.cgid' "$tmp/ktrc" | sort -un | xargs)" "$limit $child"
expect "quotas" "$(jq -r 'select(.event == "throttle").fields.nr_quotas' "$tmp/ktrc" | sort -u)" 1
expect "tasks" "$(jq -c 'select(.event == "throttle" or .event == "throttle.begin") | [.tid, .pid, .comm, .cgid]' \
	"$tmp/ktrc" | sort -u)" "[null,null,null,null]"
expect "intervals" "$(by_ktrc)" "$(by_tracefs)"
throttled "$limit"
elsewhere=$(jq -s 'map(select(.event == "throttle" and .cpu != .fields.cpu)) | length' "$tmp/ktrc")
note "noticed on another CPU: $elsewhere"
[ "$elsewhere" -ge 23 ] || fail "only $elsewhere ends were noticed on another CPU"
expect "periods in a row" "$(runs_by_ktrc "$limit")" "$(runs_by_tracefs)"
run=$(jq -s 'map(select(.event == "throttle").fields.periods) | max' "$tmp/ktrc")
note "longest run: $run periods"
[ "$run" -ge 23 ] || fail "longest run: $run"
expect "longest run, in the view" "$(jq .max_periods "$tmp/view")" "$run"
expect "unknown runs" "$(jq -s 'map(select(.event == "throttle" and .fields.periods == 0)) | length' "$tmp/ktrc")" 0
# the session of the child's cgroup has the same of it, and nothing else
expect "child" "$(jq -c 'select(.event == "throttle").fields | [.cgid, .cpu, .dur]' "$tmp/ktrc.child")" \
	"$(jq -c --argjson id "$child" 'select(.event == "throttle" and .fields.cgid == $id).fields | [.cgid, .cpu, .dur]' "$tmp/ktrc")"
[ "$(jq '[.counters[] | select(.event == "throttle").hits] | add' "$tmp/me")" -gt 0 ] || fail "of a process: no hits"
expect "of a process" "$(jq '[.counters[] | select(.event == "throttle") | .hits - .filtered] | add' "$tmp/me")" 0

# the child runs out of its own in half of the time in which both run out of the other
mkdir $top/limit/other || fail "mkdir"
echo "30000 53000" >$top/limit/cpu.max
echo "5000 31000" >$top/limit/child/cpu.max
record two_limits
expect "intervals of two quotas" "$(by_ktrc)" "$(by_tracefs)"
both=$(jq -s 'map(select(.event == "throttle" and .fields.nr_quotas == 2)) | length' "$tmp/ktrc")
note "by both: $both of $(grep -c '"event":"throttle",' "$tmp/ktrc")"
[ "$both" -ge 5 ] || fail "only $both intervals by both quotas"
expect "limiters of the parent" \
	"$(jq -r --argjson id "$limit" 'select(.event == "throttle" and .fields.cgid == $id).fields.limiter_id' "$tmp/ktrc" | sort -u)" "$limit"
expect "limiters of the child" \
	"$(jq -r --argjson id "$child" 'select(.event == "throttle" and .fields.cgid == $id).fields.limiter_id' "$tmp/ktrc" | sort -un | xargs)" \
	"$limit $child"
/usr/bin/python3 - "$tmp/ktrc" >"$tmp/said" <<'END' || fail "limiters of gaps: $(cat "$tmp/said")"
import json, sys
ended, begun, wrong, mixed, ongoing, nr = {}, {}, [], 0, 0, 0
def limiter_of(parts, least):
    by = {limiter for limiter, ns in parts if ns >= least}
    return by.pop() if len(by) == 1 else 0
for r in map(json.loads, open(sys.argv[1])):
    f = r["fields"]
    if not r["event"].startswith("throttle"):
        continue
    where = f["cgid"], f["cpu"]
    if r["event"] == "throttle.begin":
        # it is written within a microsecond
        begun[where] = r["ticks"] - 1000, f["limiter_id"]
    if r["event"] == "throttle":
        ended.setdefault(where, []).append((f["dur"], f["limiter_id"]))
        begun.pop(where, None)
    if r["event"] != "throttle.gap":
        continue
    # backwards, through the intervals: of one that goes on, which it left, and of those that had ended
    parts, rest = [], f["dur"]
    here = [(r["ticks"] - begun[where][0], begun[where][1])] if where in begun else []
    ongoing += len(here)
    for dur, limiter in here + ended.get(where, [])[::-1]:
        if rest > 0:
            parts.append((limiter, min(rest, dur)))
        rest -= dur
    nr += 1
    mixed += f["limiter_id"] == 0
    # of the first interval it may be that hardly anything is left: ticks are nanoseconds
    if f["limiter_id"] not in (limiter_of(parts, 1), limiter_of(parts, 100000)):
        wrong.append((r["ticks"], f, parts))
print("# %d gaps, %d of them by more than one, %d in one that went on" % (nr, mixed, ongoing))
for w in wrong[:5]:
    print(w)
sys.exit(len(wrong) > 0 or nr < 11 or not ongoing)
END
cat "$tmp/said"
# no interval of a cgroup on a CPU begins before the last one has ended
jq -s 'map(select(.event == "throttle") | { who: "\(.fields.cgid) \(.fields.cpu)", begin: (.ticks - .fields.dur), end: .ticks }) |
	group_by(.who) | all(sort_by(.end) | [.[1:], .[:-1]] | transpose | all(.[0].begin >= .[1].end - 1000))' "$tmp/ktrc" |
	grep -qx true || fail "intervals overlap"

# the call is slow to begin, shortly before there is new quota, of which there is more than a tick
# can have used up: then it is found
echo max >$top/limit/child/cpu.max
echo "18000 10007" >$top/limit/cpu.max
record races
throttled "$limit"
expect "intervals among races" "$(by_ktrc)" "$(by_tracefs)"
raced=$(grep -c ' throttled: .*done=0' "$tmp/tracefs")
note "$raced of $(grep -c ' throttled: ' "$tmp/tracefs") calls found some quota"
[ "$raced" -ge 1 ] || fail "no call has raced"
rmdir $top/limit/child $top/limit/other $top/limit
