#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guest whose free memory lies in pieces: each stall in compaction is recorded, as many as
# the kernel's tracepoint shows, with its order and flags, and those that it says the kernel
# counts are exactly as many as compact_stall of /proc/vmstat grows.  Each attempt in a zone is
# recorded too, of stalls, of kcompactd, woken or of its own accord, and by hand, with its zone, order,
# mode, status, moved, failed and scanned pages as the tracepoints show them, takes as long, and belongs to the
# stall that it says.  Each run of kcompactd's that was asked for lies where the kernel's own function and
# tracepoints say that it does, takes at least as long as what it does, and all of them at most 5 %, and 200 us
# each, longer.  None is lost.  What a stall was for is told by flags, and by its stack where there is one.
# Each allocation that took a block of another kind is recorded with both kinds, and orders.
# guest: icount_small
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
events="$trace/events/compaction/mm_compaction_try_to_compact_pages
$trace/events/compaction/mm_compaction_begin
$trace/events/compaction/mm_compaction_end
$trace/events/compaction/mm_compaction_finished
$trace/events/compaction/mm_compaction_deferred
$trace/events/compaction/mm_compaction_isolate_migratepages
$trace/events/compaction/mm_compaction_kcompactd_wake
$trace/events/compaction/mm_compaction_kcompactd_sleep
$trace/events/kprobes
$trace/events/migrate/mm_migrate_pages
$trace/events/kmem/mm_page_alloc_extfrag"

in_trace() {
	grep -c " $1: " "$tmp/tracefs"
}

# mark WHAT: when that was, in ktrc's ticks, nanoseconds
mark() {
	sed -n "s/.* \([0-9]*\)\.\([0-9]*\): tracing_mark_write: both $1\$/\1\2000/p" "$tmp/tracefs"
}

# in_ktrc FILTER: how many records jq selects
in_ktrc() {
	jq -s "map(select($1)) | length" "$tmp/ktrc"
}

# "pid node zone order status sync moved failed scanned microseconds" of each attempt that began, in order
by_tracefs() {
	sed 's/[a-z_]*=//g' "$tmp/tracefs" | awk '
		{ match($0, /-[0-9]+ +\[/); who = substr($0, RSTART + 1, RLENGTH - 2) + 0
		  match($0, / mm_[a-z_]*: /); what = substr($0, RSTART + 1, RLENGTH - 3)
		  split(substr($0, RSTART + RLENGTH), f, " ") }
		{ match($0, / [0-9]+\.[0-9]+: /); us = substr($0, RSTART + 1, RLENGTH - 3) * 1000000 }
		what == "mm_compaction_begin" { moved[who] = failed[who] = scanned[who] = 0; open[who] = 1; since[who] = us }
		what == "mm_compaction_finished" { node[who] = f[1]; zone[who] = f[2]; order[who] = f[3] }
		what == "mm_migrate_pages" && f[7] == "compaction" { moved[who] += f[1]; failed[who] += f[2] }
		what == "mm_compaction_isolate_migratepages" && open[who] { scanned[who] += $(NF - 1) }
		what == "mm_compaction_end" { open[who] = 0
			print who, node[who], zone[who], order[who], $NF, $(NF - 1), moved[who], failed[who], scanned[who], us - since[who] }
	' | sort -s -k 1,1n
}

by_ktrc() {
	jq -r 'select(.event == "compaction.zone" and .fields.begun == 1) | .pid as $pid | .fields |
		"\($pid) \(.node) \(.zone) \(if .origin | IN("proactive", "manual") then -1 else .order end) \(.status) " +
		"\(if .compaction_mode == "async" then "async" else "sync" end) " +
		"\(.migrated) \(.failed_pages) \(.scanned) \(.dur_ns / 1000)"' "$tmp/ktrc" | sort -s -k 1,1n
}

# "pid first begin end last" of each run that was asked for: its function begins, says so, ends, kcompactd is done
runs_by_tracefs() {
	awk '
		{ match($0, /-[0-9]+ +\[/); who = substr($0, RSTART + 1, RLENGTH - 2) + 0
		  match($0, / [0-9]+\.[0-9]+: /); now = substr($0, RSTART + 1) * 1e6 }
		/ run_in: / { first = now }
		/ mm_compaction_kcompactd_wake: / { begin = end = now }
		/ run_out: / { end = now }
		/ mm_compaction_kcompactd_sleep: / && begin { printf "%d %.0f %.0f %.0f %.0f\n", who, first, begin, end, now; begin = 0 }
	' "$tmp/tracefs"
}

runs_by_ktrc() {
	jq -r 'select(.event == "compaction.kcompactd" and .fields.origin == "kcompactd") | "\(.pid) \(.ticks) \(.fields.dur_ns)"' "$tmp/ktrc"
}

# "order block_order kind block_kind mixed" of each fallback between the marks
fallbacks_by_tracefs() {
	sed -n '/: both begin$/,/: both end$/s/.* mm_page_alloc_extfrag: .* alloc_order=//p' "$tmp/tracefs" |
		sed 's/[a-z_]*=//g' | awk '{ print $1, $2, $4, $5, $6 }' | sort
}

fallbacks_by_ktrc() {
	jq -r --argjson since "$(mark begin)" --argjson until "$(mark end)" \
		'select(.event == "compaction.extfrag" and .ticks >= $since and .ticks <= $until).fields |
		def number: { "unmovable": 0, "movable": 1, "reclaimable": 2, "highatomic": 3 }[.] // 9;
		"\(.order) \(.block_order) \(.mem_kind | number) \(.block_kind | number) \(.mixed)"' "$tmp/ktrc" | sort
}

# modes COMM: those in which it moved pages, or tried to, by tracefs
modes() {
	grep -v 'nr_succeeded=0 nr_failed=0 ' "$tmp/tracefs" |
		sed -n "s/ *$1-[0-9]* .* mm_migrate_pages: .*mode=MIGRATE_\([A-Z_]*\) reason=compaction/\L\1/p" | sort -u
}

# modes_in_ktrc COMM: the same
modes_in_ktrc() {
	jq -r --arg comm "$1" 'select(.event == "compaction.zone" and .comm == $comm and .fields.migrated + .fields.failed_pages > 0) |
		.fields.compaction_mode' "$tmp/ktrc" | sort -u
}

# until neither kswapd nor kcompactd has anything left to do
settle() {
	local calm=0 before=
	while [ $calm -lt 3 ]; do
		calm=$((calm + 1))
		[ "$before$(ps -o s= -C kcompactd0,kswapd0 | tr -d '\n ')" = "$(grep ^compact_ /proc/vmstat)SS" ] || calm=0
		before=$(grep ^compact_ /proc/vmstat)
		sleep 1
	done
}

# begin_fragments: memory in pieces, all but 16 MB
begin_fragments() {
	local available ready
	available=$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
	coproc fragment { exec fragment $((available - 16)); }
	fragments=$!
	read -r ready <&"${fragment[0]}"
	expect "fragments" "$ready" ready
}

ask_for_31() {
	local touched
	echo 31 >&"${fragment[1]}"
	read -r touched <&"${fragment[0]}"
	expect "huge pages" "$touched" 31
}

end_fragments() {
	kill "$fragments"
	wait "$fragments"
}

# has_moved COMM: pages, or has tried to
has_moved() {
	grep -qE "^ *$1-.* mm_migrate_pages: nr_(succeeded=[1-9]|succeeded=0 nr_failed=[1-9])" $trace/trace
}

# by who touches huge pages, and in the kernel's own ways
allocate() {
	begin_fragments
	ask_for_31
	insmod build/functional/ktrc_order.ko count=211 || fail "insmod ktrc_order"
	end_fragments
	rmmod ktrc_order
}

# of each kind: those that the kernel does not count are there by chance
enough_stalls() {
	ktrc-read compaction --format=json >"$tmp/view" || fail "compaction: $?"
	[ $(($(counter compact_stall) - before)) -ge 101 ] && has_moved fragment &&
		jq -e '.stalls > .counted and (["thp", "network", "slab", "other"] - [.causes[].cause] == [])' "$tmp/view" >/dev/null
}

leave_to_others() {
	begin_fragments
	ask_for_31
	sysctl -q vm.compaction_proactiveness=100
	echo 1 >/proc/sys/vm/compact_memory
	sysctl -q vm.compaction_proactiveness=0
	end_fragments
}

enough_of_others() {
	has_moved kcompactd0 && has_moved "$(<"/proc/$$/comm")"
}

# how many stalls of each cause, by the functions in their stacks
by_caller() {
	json_events --stacks >"$tmp/ktrc" || fail "read: $?"
	jq -r 'select(.event == "compaction") | [.kernel_stack.frames[].function] as $f |
		if $f | any(. == "__alloc_skb") then "network"
		elif $f | any(. == "do_huge_pmd_anonymous_page") then "thp"
		elif $f | any(. == "___slab_alloc" or . == "__kmalloc_large_node") then "slab"
		elif .fields.gfp_flags | contains("__GFP_NOMEMALLOC") then "like_packets"
		else "other" end' "$tmp/ktrc" | sort | uniq -c >"$tmp/callers"
}

# a tick is a nanosecond of the clock that tracefs has then; of the TSC it would be four
echo hpet >/sys/devices/system/clocksource/clocksource0/current_clocksource || fail "no hpet"
sysctl -q vm.compaction_proactiveness=0
sysctl -q vm.watermark_boost_factor=0 # or what must stay free grows beyond what is, and the kernel ends processes
echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
echo always >/sys/kernel/mm/transparent_hugepage/defrag
echo 32768 >$trace/buffer_size_kb
echo mono >$trace/trace_clock
printf '%s\n' 'p:run_in kcompactd_do_work' 'r:run_out kcompactd_do_work' >$trace/kprobe_events || fail "kprobe_events"
settle
ktrc-ctl start -q --events=compaction:stack=none --memory=8M || fail "start: $?"
before=$(counter compact_stall) woken_before=$(counter compact_daemon_wake)
for event in $events; do echo 1 >"$event/enable"; done
echo both begin >$trace/trace_marker

for ((round = 1; round <= 9; round++)); do
	allocate
	! enough_stalls || break
done
rounds=$round
# the allocation goes without, and leaves it to kcompactd
echo defer >/sys/kernel/mm/transparent_hugepage/defrag
for ((round = 1; round <= 9; round++)); do
	leave_to_others
	! enough_of_others || break
done
settle

echo both end >$trace/trace_marker
for event in $events; do echo 0 >"$event/enable"; done
stalls=$(($(counter compact_stall) - before)) woken=$(($(counter compact_daemon_wake) - woken_before))
ktrc-ctl stop -q || fail "stop: $?"
cat $trace/trace >"$tmp/tracefs"
echo >$trace/kprobe_events
echo local >$trace/trace_clock

json_events >"$tmp/ktrc" || fail "read: $?"
grep -q 'entries-in-buffer/entries-written: \([0-9]*\)/\1 ' "$tmp/tracefs" || fail "tracefs lost some"
note "$rounds rounds; compact_stall grew by $stalls; $(in_trace mm_compaction_try_to_compact_pages) stalls; kcompactd was woken $woken times"
[ "$stalls" -ge 101 ] || fail "only $stalls stalls that the kernel counts"
expect "counted stalls" "$(in_ktrc '.event == "compaction" and .fields.counted == 1')" "$stalls"
# its tracepoint leaves out an allocation that may do no I/O, for which it does nothing
expect "stalls" "$(in_ktrc '.event == "compaction" and .fields.gfp % 128 >= 64')" "$(in_trace mm_compaction_try_to_compact_pages)"
expect "begins" "$(in_ktrc '.event == "compaction.begin"')" "$(in_ktrc '.event == "compaction"')"
diff <(sed -n 's/.*-\([0-9]*\) *\[.* mm_compaction_try_to_compact_pages: order=\([0-9]*\) gfp_mask=\([^ ]*\) priority=\(.*\)/\1 \2 \3 \4/p' \
	"$tmp/tracefs" | sort) \
	<(jq -r 'select(.event == "compaction" and .fields.gfp % 128 >= 64) | "\(.pid) \(.fields.order) \(.fields.gfp_flags) " +
		"\(.fields.prio | sub("sync_full"; "0") | sub("sync_light"; "1") | sub("async"; "2"))"' "$tmp/ktrc" | sort) >"$tmp/diff" ||
	fail "not the same stalls, tracefs first: $(head -n 20 "$tmp/diff")"
uncounted=$(in_ktrc '.event == "compaction" and .fields.counted == 0')
note "$uncounted stalls that the kernel does not count"
[ "$uncounted" -ge 1 ] || fail "no stall that the kernel does not count"
expect "stalls that were skipped" "$(in_ktrc '.event == "compaction" and .fields.status == "skipped"')" "$uncounted"

by_tracefs >"$tmp/theirs"
by_ktrc >"$tmp/ours"
diff <(sed 's/ [^ ]*$//' "$tmp/theirs") <(sed 's/ [^ ]*$//' "$tmp/ours") >"$tmp/diff" ||
	fail "not the same attempts, tracefs first: $(head -n 20 "$tmp/diff")"
as_long attempts "$tmp/theirs" "$tmp/ours" 20
expect "begun" "$(in_ktrc '.event == "compaction.zone" and .fields.begun == 1')" "$(in_trace mm_compaction_begin)"
expect "deferred" "$(in_ktrc '.event == "compaction.zone" and .fields.status == "deferred"')" \
	"$(in_trace mm_compaction_deferred)"
# these never stop: of the time that both recorded
expect "fragmentations" "$(in_ktrc ".event == \"compaction.extfrag\" and .ticks >= $(mark begin) and .ticks <= $(mark end)")" \
	"$(sed -n '/: both begin$/,/: both end$/p' "$tmp/tracefs" | grep -c mm_page_alloc_extfrag)"
diff <(fallbacks_by_tracefs) <(fallbacks_by_ktrc) >"$tmp/diff" || fail "not the same fragmentations, tracefs first: $(head -n 20 "$tmp/diff")"
[ "$(fallbacks_by_tracefs | sort -u | wc -l)" -ge 3 ] || fail "all fragmentations are alike"
for origin in stall kcompactd proactive manual; do
	nr=$(in_ktrc ".event == \"compaction.zone\" and .fields.origin == \"$origin\"")
	note "$nr attempts: $origin"
	[ "$nr" -ge 1 ] || fail "no attempt: $origin"
done

# each stall is told how many attempts it made, and they are numbered
jq -rs 'map(select(.event | IN("compaction", "compaction.zone")) | select(.fields.origin | IN(null, "stall"))) |
	sort_by(.ticks) | group_by(.tid)[] | reduce .[] as $r ([0, 0];
		if $r.event == "compaction.zone" then [.[0] + 1, .[1] + (if $r.fields.nth == .[0] then 0 else 1 end)]
		else [0, .[1] + (if $r.fields.nr_zones == .[0] then 0 else 1 end)] end) | .[1]' "$tmp/ktrc" |
	awk '{ bad += $1 } END { exit bad > 0 }' || fail "attempts that are not of their stall"
jq -es 'map(select(.event == "compaction.zone" and .fields.origin == "stall").fields | .nth) | max >= 1' "$tmp/ktrc" >/dev/null ||
	fail "no stall tried two zones"

# who was how patient
for comm in kcompactd0 fragment "$(<"/proc/$$/comm")"; do
	[ -n "$(modes "$comm")" ] || fail "no page was moved by $comm"
	expect "modes of $comm" "$(modes_in_ktrc "$comm")" "$(modes "$comm")"
done
expect "runs of kcompactd" "$(in_ktrc '.event == "compaction.kcompactd" and .fields.origin == "kcompactd"')" "$woken"
runs_by_tracefs >"$tmp/theirs.runs"
runs_by_ktrc >"$tmp/ours.runs"
lie_between "runs of kcompactd" "$tmp/theirs.runs" "$tmp/ours.runs"
expect "moved by kcompactd" "$(jq -s 'map(select(.event == "compaction.kcompactd").fields.migrated) | add' "$tmp/ktrc")" \
	"$(awk -v pid="$(pgrep -x kcompactd0)" '$1 == pid { sum += $7 } END { print sum + 0 }' "$tmp/theirs")"
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
jq -e '[.. | .lost? | numbers] | add == 0' "$tmp/stats" >/dev/null || fail "hits were lost: $(cat "$tmp/stats")"

# by all ways to look at them
ktrc-read check --format=json >"$tmp/check" || fail "check: $(cat "$tmp/check")"
expect "check" "$(jq -c '.total.compact_stall' "$tmp/check")" "{\"traced\":$stalls,\"vmstat\":$stalls,\"covered_percent\":100}"
ktrc-read compaction --zones --format=json >"$tmp/view" || fail "compaction: $?"
/usr/bin/python3 -W ignore -m jsonschema -i "$tmp/view" docs/schemas/ktrc.compaction-1.json ||
	fail "its JSON is not as docs/schemas says"
all=$(in_ktrc '.event == "compaction"')
expect "stalls in the view" "$(jq -c '[.stalls, .counted, .torn]' "$tmp/view")" "[$all,$stalls,0]"
for table in causes requests statuses cgroups processes; do
	expect "stalls, $table" "$(jq "[.${table}[].stalls] | add" "$tmp/view")" "$all"
done
expect "attempts" "$(jq '[.zones[].nr_attempts] | add' "$tmp/view")" "$(in_ktrc '.event == "compaction.zone"')"
expect "attempts, one by one" "$(jq '[.attempts[] | select(.zone)] | length' "$tmp/view")" \
	"$(in_ktrc '.event == "compaction.zone"')"
expect "causes that are told by flags" "$(jq .guessed_causes "$tmp/view")" "$all"
expect "stalls, one by one" "$(jq '[.attempts[] | select(.cause)] | length' "$tmp/view")" "$all"
jq -e '[.attempts[] | select(.nr)] | group_by(.nr) | all((map(select(.zone == null)) | length) == 1 and
	.[-1].zone == null and (.[-1].migrated == (map(select(.zone).migrated) | add // 0)))' "$tmp/view" >/dev/null ||
	fail "zones that do not lie before their stall"
expect "fallbacks" "$(jq '[.fallbacks[].allocations] | add' "$tmp/view")" "$(in_ktrc '.event == "compaction.extfrag"')"
jq -r '.attempts[] | select(.cause) | "\(.comm) \(.cause)"' "$tmp/view" | sort -u >"$tmp/causes"
for cause in "fragment thp" "insmod network" "insmod other" "insmod slab"; do
	grep -qxF "$cause" "$tmp/causes" || fail "no stall: $cause, but $(cat "$tmp/causes")"
done
ktrc-read -q --save "$tmp/trace" || fail "save: $?"
ktrc-read compaction --format=json --zones "$tmp/trace" >"$tmp/saved" || fail "saved: $?"
expect "saved" "$(jq -c '[.stalls, .counted, .zones]' "$tmp/saved")" "$(jq -c '[.stalls, .counted, .zones]' "$tmp/view")"

# as compactsnoop of bcc prints them, by its own formats
ktrc-read --compat=compactsnoop >"$tmp/compat" || fail "compat: $?"
ktrc-read --compat=compactsnoop -T >"$tmp/compat.times" || fail "compat with times: $?"
/usr/bin/python3 - "$tmp/ktrc" >"$tmp/bcc" <<'END'
import calendar, json, sys, time
def ns(row): # 2026-11-21T10:42:07.123456789+0000
    return calendar.timegm(time.strptime(row["time"][:19], "%Y-%m-%dT%H:%M:%S")) * 1000000000 + int(row["time"][20:29])
zones = {"DMA": "ZONE_DMA", "DMA32": "ZONE_DMA32", "Normal": "ZONE_NORMAL"}
rows = [r for r in map(json.loads, open(sys.argv[1])) if r["event"] == "compaction.zone" and r["fields"]["begun"]]
for has_time in False, True:
    if has_time:
        print("%-14s" % "TIME(s)", end=" ")
    print("%-14s %-6s %-4s %-12s %-5s %-7s" % ("COMM", "PID", "NODE", "ZONE", "ORDER", "MODE"), end=" ")
    print("%9s %16s" % ("LAT(ms)", "STATUS"))
    for r in rows:
        f = r["fields"]
        if has_time:
            print("%-14.9f" % (float((ns(r) - ns(rows[0])) // 1000) / 1000000), end=" ")
        print("%-14.14s %-6s %-4s %-12s %-5s %-7s" % (r["comm"], r["pid"], f["node"], zones[f["zone"]], f["order"] or -1,
              "ASYNC" if f["compaction_mode"] == "async" else "SYNC"), end=" ")
        print("%9.3f %16s" % (float(f["dur_ns"]) / 1000000, f["status"]))
END
cat "$tmp/compat" "$tmp/compat.times" | diff "$tmp/bcc" - >"$tmp/diff" || fail "not as compactsnoop prints: $(head -n 20 "$tmp/diff")"
ktrc-ctl reset -q

# with stacks it is told by who called: a driver that asks with the network's flags is not the network
ktrc-ctl start -q --events=compaction:stack=kernel --memory=8M || fail "start: $?"
echo always >/sys/kernel/mm/transparent_hugepage/defrag
like_packets=0
for ((round = 1; round <= 9 && like_packets == 0; round++)); do
	allocate
	by_caller
	like_packets=$(grep -c like_packets "$tmp/callers")
done
ktrc-ctl stop -q || fail "stop: $?"
by_caller
note "by caller: $(tr -s ' \n' ' ' <"$tmp/callers")"
[ "$like_packets" -eq 1 ] || fail "nobody asked as the network does"
ktrc-read compaction --format=json >"$tmp/view" || fail "compaction: $?"
expect "causes by stack" "$(jq -r '.causes[] | "\(.cause) \(.stalls)"' "$tmp/view" | sort)" \
	"$(sed 's/like_packets/other/' "$tmp/callers" | awk '{ nr[$2] += $1 } END { for (cause in nr) print cause, nr[cause] }' | sort)"
ktrc-ctl reset -q
