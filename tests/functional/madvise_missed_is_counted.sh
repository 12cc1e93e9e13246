#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Calls that the kernel does not report, because more tasks are inside the function than there
# is room for, are lost_missed: with those that are recorded as many as an independent probe of
# the kernel's own counts; books balance.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
room=7
blocked=23
trace=/sys/kernel/tracing

# sum COUNTER
sum() {
	jq "[.counters[].$1] | add" "$tmp/stats"
}

rmmod ktrc || fail "rmmod: $?"
insmod ktrc.ko max_in_flight=$room || fail "insmod: $?"
cat >$trace/kprobe_events <<-'END' || fail "the kernel's own probe"
	p:advice do_madvise advice=$arg4:u32
END
echo 'hist:keys=advice' >$trace/events/kprobes/advice/trigger || fail "histogram"
ktrc-ctl start -q --events=madvise --memory=1M || fail "start: $?"
mkfifo "$tmp/go" "$tmp/said"
# on one CPU: the kernel's count of those that it does not report loses one where two CPUs meet
taskset -c 0 blocked $blocked populate <"$tmp/go" >"$tmp/said" &
blocker=$!
exec {go}>"$tmp/go"
read -r _ <"$tmp/said" || fail "nothing is blocked"
expect "tasks inside" "$(grep -l do_madvise /proc/$blocker/task/*/stack | wc -l)" $blocked
echo >&"$go"
wait $blocker || fail "blocked: $?"
ktrc-ctl stop -q || fail "stop: $?"
calls=$(awk '$1 == "Hits:" || $1 == "Dropped:" { n += $2 } END { print n }' $trace/events/kprobes/advice/hist)
echo '!hist:keys=advice' >$trace/events/kprobes/advice/trigger
echo >$trace/kprobe_events

ktrc-ctl stats --format=json >"$tmp/stats" || fail "stats: $?"
all_accounted "$tmp/stats"
ktrc-read events --no-header --max-loss=1000 >"$tmp/events" || fail "events: $?"
# of those that were blocked; each then ends, and its stack is given back with advice too
populated=$(grep -c " advice=MADV_POPULATE_READ$" "$tmp/events")
expect "calls recorded of those inside at once" "$populated" $room
expect "records" "$(wc -l <"$tmp/events")" "$(sum written)"
expect "recorded and missed" $(($(sum written) + $(sum lost_missed))) "$calls"
note "$calls calls, $(sum lost_missed) missed"
ktrc-ctl reset -q
