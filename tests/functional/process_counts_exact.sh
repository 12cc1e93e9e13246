#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each thread that is made or ends and each program that is started gives one record, those and only
# those that the kernel's tracepoints show in the same run: 307 processes, each with a thread that
# starts a program.  A program's path is given, of a long one the end; how a process ended is
# what waitpid says.  Books balance.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
long=$tmp/$(printf 'a%.0s' {1..97})
mkdir "$long"
ln -s "$PWD/build/functional/processes" "$long/processes"

# made and started, by tracefs: "fork parent child", "exec tid caller path", "exit tid"
by_tracefs() {
	sed -n -e 's/.*sched_process_fork: comm=processes pid=\([0-9]*\) child_comm=processes child_pid=\([0-9]*\)$/fork \1 \2/p' \
		-e 's/.*sched_process_exec: filename=\(.*\) pid=\([0-9]*\) old_pid=\([0-9]*\)$/exec \2 \3 \1/p' \
		-e 's/.*sched_process_exit: comm=processes pid=\([0-9]*\) .*/exit \1/p' $trace/trace |
		awk '$1 == "exec" { $4 = substr($4, length($4) > 64 ? length($4) - 63 : 1) } { print }' | sort
}

by_ktrc() {
	jq -r 'select(.comm == "processes") | if .event == "process" then "fork \(.tid) \(.fields.child_tid)"
		elif .event == "process.exec" then "exec \(.tid) \(.fields.caller_tid) \(.fields.program)"
		else "exit \(.tid)" end' "$tmp/rows" | sort
}

ktrc-ctl start -q --events=process --memory=16M || fail "start: $?"
for event in fork exec exit; do echo 1 >$trace/events/sched/sched_process_$event/enable; done
build/functional/processes 307 build/functional/processes >"$tmp/known" || fail "processes: $?"
build/functional/processes 3 "$long/processes" >>"$tmp/known" || fail "processes: $?"
for event in fork exec exit; do echo 0 >$trace/events/sched/sched_process_$event/enable; done
ktrc-ctl stop -q || fail "stop: $?"
json_events >"$tmp/rows" || fail "read: $?"
by_tracefs >"$tmp/theirs"
by_ktrc >"$tmp/ours"
diff "$tmp/theirs" "$tmp/ours" >"$tmp/diff" || fail "not the same, tracefs first: $(head -n 20 "$tmp/diff")"
expect "made" "$(grep -c ^fork "$tmp/ours")" 620
expect "started" "$(grep -c ^exec "$tmp/ours")" 312
expect "ended" "$(grep -c ^exit "$tmp/ours")" 622
expect "started by a thread of their own" "$(awk '$1 == "exec" && $2 != $3' "$tmp/ours" | wc -l)" 310
expect "long paths" "$(grep -c '^exec .* a\{54\}/processes$' "$tmp/ours")" 3
expect "processes, threads" "$(jq -r 'select(.comm == "processes" and .event == "process") |
	if .fields.child_pid == .pid then "thread" else "process" end' "$tmp/rows" | sort | uniq -c | tr -s ' \n' ' ')" " 310 process 310 thread "
jq -r 'select(.comm == "processes" and .event == "process.exit" and .fields.live == 0) | "\(.pid) \(.fields.code)"' "$tmp/rows" | sort >"$tmp/ends"
expect "ends that are not as waitpid says" "$(sort "$tmp/known" | comm -23 - "$tmp/ends" | wc -l)" 0
expect "killed" "$(grep -c ' 15$' "$tmp/ends")" 31
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
ktrc-ctl reset -q
