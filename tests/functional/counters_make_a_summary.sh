#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A session that only counts gets a summary from its counters: how often each event came, to whom
# it was meant for, on which CPU, how long it took. One whose filter lets nothing pass is quiet
# in one line. Both are answers: exit code 0. What to type next is the view of what is recorded.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
cgroup=/sys/fs/cgroup/counted

# answers VERDICT COMMAND...: exit code 0, this verdict (a regular expression), a page that fits
answers() {
	local verdict=$1 got=0
	shift
	"$@" >"$tmp/text" 2>"$tmp/err" || got=$?
	[ $got = 0 ] || fail "$*: exit code $got: $(cat "$tmp/text" "$tmp/err")"
	grep -qE "^VERDICT   $verdict" "$tmp/text" || fail "$*: $(cat "$tmp/text")"
	if [ "$(wc -l <"$tmp/text")" -gt 25 ] || [ "$(wc -L <"$tmp/text")" -gt 100 ]; then
		fail "$*: too long: $(cat "$tmp/text")"
	fi
	grep -qE '^cost +overhead (~|below )[0-9.]+% of a CPU' "$tmp/text" || fail "$*: no overhead"
}

# is_one_line: and its filter
is_one_line() {
	expect "$1: labels" "$(sed '0,/^ktrc  /d' "$tmp/text" | cut -c1-10 | tr -s ' \n' ' ')" "VERDICT only check cost next "
}

# holds FILTER: of the last session's JSON summary
holds() {
	ktrc-read --format=json >"$tmp/json" || fail "JSON: $?"
	jq -e "$1" "$tmp/json" >/dev/null || fail "not so: $1: $(jq -c .counters "$tmp/json")"
}

answers 'counted: fault [0-9]+ times, [0-9]+/s' ktrc-ctl run -q --count -- sh -c \
	'taskset -c 0 touch_pages read 307; taskset -c 1 touch_pages read 20011'
grep -qE '^counted +fault: [0-9]+ of [0-9]+ hits; .* in all, p50 <= .*, p99 <= .*, max ' "$tmp/text" ||
	fail "no durations: $(cat "$tmp/text")"
grep -qE '^ +fault: CPU 1 [0-9]+, CPU 0 [0-9]+$' "$tmp/text" ||
	fail "not the CPUs, the busiest first: $(cat "$tmp/text")"

mkdir $cgroup
ktrc-ctl start -q --count --events=fault,fault.light,reclaim --cgroup=counted || fail "start: $?"
touch_pages read 5003 >/dev/null
in_cgroup $cgroup touch_pages read 20011 >/dev/null
ktrc-ctl stop -q
answers 'counted: fault [0-9]+ times, .*; fault.light [0-9]+ times, [0-9]+/s' ktrc-read
grep -q 'fault.light: [0-9]* hits, .*those filtered out included$' "$tmp/text" || fail "$(cat "$tmp/text")"
holds '.verdict.name == "counted" and .overhead.cpu_percent > 0'
holds '.counters[0] | .event == "fault" and .is_only_counted and .written == 0 and
	.wanted >= 20011 and .wanted < 22000 and .hits >= .wanted + 5003 and
	.total_ns > .max_ns and .p50_ns <= .p99_ns and .p99_ns <= .max_ns and
	.wanted == ([.cpus[].wanted] | add) and .total_ns >= ([.cpus[].total_ns] | add)'
holds '.counters[1] | .event == "fault.light" and .wanted == null and .hits > 25014 and .total_ns == null'
ktrc-read -q --save="$tmp/trace" || fail "save: $?"
answers 'counted: fault [0-9]+ times' ktrc-read "$tmp/trace"
answers 'counted: fault [0-9]+ times' ktrc-read --format=text
ktrc-ctl reset -q

# counted beside recorded
answers 'counted: fault [0-9]+ times' ktrc-ctl run -q --events=fault:count,reclaim -- touch_pages read 1009
grep -q '^reclaim' "$tmp/text" || fail "reclaim is left out: $(cat "$tmp/text")"

# a filter that lets nothing pass
answers 'quiet: no page fault of [0-9]+ passed the filter; no stall in reclaim$' \
	ktrc-ctl run -q --events=fault:min=10s:major,reclaim -- touch_pages read 20011
is_one_line "run"
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
ktrc-ctl start -q --events=fault:min=10s,reclaim:min=10s --cgroup=counted || fail "start: $?"
in_cgroup $cgroup sh -c "touch_pages read 1009 >/dev/null; echo 64K >$cgroup/memory.reclaim; :" 2>/dev/null
answers 'quiet: no page fault of [0-9]+ passed the filter; no stall of [0-9]+ in reclaim passed' ktrc-read
is_one_line "running"
ktrc-ctl stop -q
answers 'quiet: ' ktrc-read
ktrc-read faults >"$tmp/text" 2>"$tmp/err"
expect "exit code of a view of none" $? 3
grep -q 'hint: ktrc-read summary ' "$tmp/err" || fail "no hint of the summary: $(cat "$tmp/err")"
ktrc-ctl reset -q
rmdir $cgroup

for event in reclaim compaction throttle madvise; do
	ktrc-ctl run -q --events=$event -- advise each 3 >"$tmp/text" || fail "$event: $?"
	grep -q "^next .*; ktrc-read $event DIR\$" "$tmp/text" || fail "$event: $(cat "$tmp/text")"
done
