#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf follows user stacks in interrupts, those among them that come while ktrc follows one: an exception that it raises
# there is recorded like any other. Those that ktrc itself raises on its way are not.
. tests/functional/lib.sh
. tests/recurse.sh

tmp=$(mktemp -d /run/XXXXXX)
nr=20011 # stacks that lead to memory that is not there

record() {
	ktrc-ctl start -q --events=madvise:stack=user,fault.light --memory=32M || fail "start: $?"
}

# so that it takes some 1,000 samples, however fast the machine is
record
before=$(date +%s%N)
known_stacks lost $((nr / 10)) >/dev/null || fail "known_stacks: $?"
ns=$((($(date +%s%N) - before) / 150))
ktrc-ctl reset -q || fail "reset: $?"

echo 99 >/proc/sys/kernel/perf_cpu_time_max_percent # on a slow machine, too, as many as were asked for
begin sampled $ns known_stacks wait lost $nr
pid=$(pgrep -P $process) || fail "sampled: no child"
watch pid="$pid"
record
end
ktrc-ctl stop -q || fail "stop: $?"

ktrc-ctl stats --format=json >"$tmp/stats" || fail "stats: $?"
all_accounted "$tmp/stats"
expect "lost" "$(jq '[.counters[] | .hits - .written - .filtered] | add' "$tmp/stats")" 0
recorded=$(json_events | jq "select(.pid == $pid and .event == \"fault.light\") | 1" | wc -l)
IFS=, read -r sampled inside < <(value sampled)
note "each $ns ns; $(value seen) exceptions: $(value walked) as ktrc followed a stack, $sampled as perf did, $inside of them while ktrc ran;" \
	"$recorded recorded"
[ "$(value walked)" -ge $nr ] || fail "too few stacks that lead nowhere"
((sampled >= 200 && inside >= 10)) || fail "too few samples"
expect "exceptions that are recorded" "$recorded" $(($(value seen) - $(value walked)))
rmmod ktrc_recurse || fail "rmmod: $?"
ktrc-ctl reset -q
