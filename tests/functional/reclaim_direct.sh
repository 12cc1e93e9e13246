#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guest that runs out of memory: each stall in global direct reclaim is recorded, as many as
# the kernel's tracepoints show and, within 2 %, as its allocstall counters grow, which count one that
# starts over once more; none is lost, by all ways to look at them; each lies where the kernel's own
# function and tracepoints say that it does, takes at least as long as what lies inside of it, and all of
# them at most 5 %, and 200 us each, longer; kswapd's wakes and sleeps too; the verdict says that the
# machine is short; and drsnoop of bcc would have printed the same rows.
# guest: small
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
events="$trace/events/vmscan/mm_vmscan_direct_reclaim_begin $trace/events/vmscan/mm_vmscan_direct_reclaim_end
$trace/events/vmscan/mm_vmscan_kswapd_wake $trace/events/vmscan/mm_vmscan_kswapd_sleep $trace/events/kprobes"

allocstalls() {
	awk '/^allocstall_/ { sum += $2 } END { print sum }' /proc/vmstat
}

# memory that cannot be reclaimed: all but 60 MB
fill() {
	local available
	available=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
	mkdir "$tmp/fill"
	mount -t tmpfs -o size=1g none "$tmp/fill"
	head -c $((available - 60000))K /dev/zero >"$tmp/fill/zeros"
}

# in_trace EVENT: how many
in_trace() {
	grep -c "mm_vmscan_$1: " "$tmp/tracefs"
}

# switch_events 1|0
switch_events() {
	local event
	for event in $events; do
		echo "$1" >"$event/enable" || fail "$event"
	done
}

# "pid first begin end last" of each stall: its function begins, says so, has reclaimed, says so
by_tracefs() {
	awk '
		{ match($0, /-[0-9]+ +\[/); who = substr($0, RSTART + 1, RLENGTH - 2) + 0
		  match($0, / [0-9]+\.[0-9]+: /); now = substr($0, RSTART + 1) * 1e6 }
		/ door: / { first[who] = now }
		/ mm_vmscan_direct_reclaim_begin: / { begin[who] = end[who] = now }
		/ tried: / { end[who] = now }
		/ mm_vmscan_direct_reclaim_end: / { printf "%d %.0f %.0f %.0f %.0f\n", who, first[who], begin[who], end[who], now }
	' "$tmp/tracefs" | sort -s -k 1,1n
}

modprobe brd rd_nr=4 rd_size=150000 || fail "modprobe brd"
fill
ktrc-ctl start -q --events=reclaim --memory=8M || fail "start: $?"
before=$(allocstalls)
echo mono >$trace/trace_clock
printf '%s\n' 'p:door try_to_free_pages' 'r:tried do_try_to_free_pages' >$trace/kprobe_events || fail "kprobe_events"
switch_events 1
# kswapd comes last, so that readers find nothing free; until there have been enough
renice -n 19 -p "$(pgrep -x kswapd0)" >/dev/null
for ((round = 0; round < 9 && $(allocstalls) - before < 101; round++)); do
	for i in 0 1 2 3; do
		cat /dev/ram$i >/dev/null &
	done
	wait
done
sleep 1
switch_events 0
grown=$(($(allocstalls) - before))
ktrc-ctl stop -q || fail "stop: $?"
cat $trace/trace >"$tmp/tracefs"
echo >$trace/kprobe_events
echo local >$trace/trace_clock
grep -q 'entries-in-buffer/entries-written: \([0-9]*\)/\1 ' "$tmp/tracefs" || fail "tracefs lost some"
umount "$tmp/fill"
rmmod brd

ktrc-read reclaim --format=json >"$tmp/view" || fail "reclaim: $?"
ktrc-read check --format=json >"$tmp/check" || fail "check: $?"
ktrc-read >"$tmp/summary" || fail "summary: $?"
stalls=$(jq '.kinds[] | select(.kind == "direct").stalls' "$tmp/view")
note "$stalls stalls in $round rounds; allocstall grew by $grown"
[ "${stalls:-0}" -ge 101 ] || fail "only ${stalls:-0} stalls"
expect "stalls" "$stalls" "$(in_trace direct_reclaim_end)"
# who called try_to_free_pages is who wanted memory, and a system call, a fault or a thread of the kernel in the end
json_events --stacks | jq -r 'select(.event == "reclaim" and .fields.kind == "direct").kernel_stack.frames |
	map(.function // "?") | (index("try_to_free_pages") // -2) as $at |
	"\(.[$at + 1]) \(.[-1])"' | sort | uniq -c >"$tmp/callers"
note "$(sed 's/^ *//' "$tmp/callers" | tr '\n' ,)"
expect "stalls with their callers" "$(awk '$2 ~ /^__alloc_pages/ && $3 ~ /^(entry_SYSCALL_64|asm_exc_page_fault|ret_from_fork)/ { nr += $1 } END { print nr }' "$tmp/callers")" "$stalls"
expect "wakes" "$(jq '[.kswapd[].wakes] | add' "$tmp/view")" "$(in_trace kswapd_wake)"
expect "sleeps" "$(jq '[.kswapd[].sleeps] | add' "$tmp/view")" "$(in_trace kswapd_sleep)"
expect "pages" "$(jq '.kinds[] | select(.kind == "direct").reclaimed' "$tmp/view")" \
	"$(awk -F nr_reclaimed= '/direct_reclaim_end/ { sum += $2 } END { print sum }' "$tmp/tracefs")"
for table in requests cgroups processes; do
	expect "stalls, $table" "$(jq "[.${table}[].stalls] | add" "$tmp/view")" "$stalls"
	jq -e "([.${table}[].total_ns] | add) - .total_ns | fabs < 1000" "$tmp/view" >/dev/null ||
		fail "time, $table: $(jq -c "[.total_ns, [.${table}[].total_ns]]" "$tmp/view")"
done
expect "stalls by pid" \
	"$(jq -r '.processes[] | "\(.pid) \(.stalls)"' "$tmp/view" | sort)" \
	"$(awk '/direct_reclaim_end/ { match($0, /-[0-9]+ +\[/); n[substr($0, RSTART + 1, RLENGTH - 2) + 0]++ }
		END { for (pid in n) print pid, n[pid] }' "$tmp/tracefs" | sort)"
expect "lost" "$(jq .lost "$tmp/view")" 0
json_events >"$tmp/ktrc" || fail "events: $?"
by_tracefs >"$tmp/theirs"
jq -r 'select(.event == "reclaim" and .fields.kind == "direct") | "\(.pid) \(.ticks) \(.fields.dur_ns)"' "$tmp/ktrc" |
	sort -s -k 1,1n >"$tmp/ours"
lie_between stalls "$tmp/theirs" "$tmp/ours"

# the kernel counts a stall that has to start over again
expect "kernel's count" "$(jq .total.allocstall.vmstat "$tmp/check")" "$grown"
expect "recorded" "$(jq .total.allocstall.traced "$tmp/check")" "$stalls"
jq -e '.total.allocstall | .covered_percent > 98 and .covered_percent <= 100' "$tmp/check" >/dev/null ||
	fail "allocstall: $(jq -c .total.allocstall "$tmp/check")"
grep -q '^VERDICT  *reclaim: the machine is short of memory: ' "$tmp/summary" ||
	fail "verdict: $(cat "$tmp/summary")"
grep -Eq '^check .*allocstall (100|9[89])\.' "$tmp/summary" || fail "check: $(cat "$tmp/summary")"

# as drsnoop prints them, by its own formats: what the tracepoints show, with ktrc's times
ktrc-read --compat=drsnoop >"$tmp/compat" || fail "compat: $?"
ktrc-read --compat=drsnoop -T >"$tmp/compat.times" || fail "compat with times: $?"
/usr/bin/python3 - "$tmp/ktrc" >"$tmp/bcc" <<'END'
import calendar, json, sys, time
def ns(row): # 2026-11-21T10:42:07.123456789+0000
    return calendar.timegm(time.strptime(row["time"][:19], "%Y-%m-%dT%H:%M:%S")) * 1000000000 + int(row["time"][20:29])
rows = [r for r in map(json.loads, open(sys.argv[1])) if r["event"] == "reclaim" and r["fields"]["kind"] == "direct"]
for has_time in False, True:
    if has_time:
        print("%-14s" % "TIME(s)", end="")
    print("%-14s %-6s %8s %5s" % ("COMM", "PID", "LAT(ms)", "PAGES"))
    for r in rows:
        f = r["fields"]
        if has_time:
            print("%-14.9f" % (float((ns(r) - ns(rows[0])) // 1000) / 1000000), end="")
        print("%-14.14s %-6s %8.2f %5d" % (r["comm"], r["pid"], float(f["dur_ns"]) / 1000000, f["reclaimed"]))
END
cat "$tmp/compat" "$tmp/compat.times" | diff "$tmp/bcc" - >"$tmp/diff" || fail "not as drsnoop prints: $(head -n 20 "$tmp/diff")"
expect "rows" "$(awk 'NR > 1 { print $1, $2, $4 }' "$tmp/compat" | sort)" \
	"$(sed -n 's/^ *\(.*\)-\([0-9]*\) *\[.*mm_vmscan_direct_reclaim_end: nr_reclaimed=/\1 \2 /p' "$tmp/tracefs" | sort)"
ktrc-ctl reset -q
