#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# All families at once, with stacks, on four CPUs under stress-ng for two minutes, as a flight recorder and as
# a stream, which copies stacks of advice: for each CPU and event, exactly, hits = written + filtered + lost, by the module's
# counters, and written = read + overwritten + unread, by a reader that trusts no counter. Of what was saved
# the tools read what a second decoder reads that was written from the documents.
# guest: four
# timeout: 900
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
cgroup=/sys/fs/cgroup/stressed
huge=/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages
seconds=120

# every family that this kernel has
events=$(ktrc-ctl list --format=json | jq -r '[.events[] | select(.avail < 2 and .kind == 0) |
	if .rules | index("stack") then "\(.label):stack=both" else .label end] | join(",")')
note "$events"

# stress: memory and CPU, more than a cgroup may have, whatever maps, forks and gives advice, and
# compaction by hand and for huge pages
stress() {
	local by_hand
	while sleep 1; do
		echo 1 >/proc/sys/vm/compact_memory
		echo 1000 >$huge && echo 0 >$huge # more than one node can have
	done &
	by_hand=$!
	# it would give advice that damages memory, if it were allowed to
	in_cgroup $cgroup setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin \
		timeout $((seconds + 60)) stress-ng --quiet --timeout ${seconds}s --temp-path "$tmp" \
		--vm 2 --vm-bytes 128M --cpu 3 --madvise 1 --mmap 1 --mmap-bytes 32M --brk 1 --mremap 1 \
		--mremap-bytes 16M --fork 1 --exec 1 --fault 1 >/dev/null 2>&1
	kill $by_hand
	wait $by_hand
}

# books: "cpu event written" of each CPU, after checking the first equation
books() {
	ktrc-ctl stats --format=json >"$tmp/stats" || fail "stats: $?"
	all_accounted "$tmp/stats"
	jq -r --slurpfile trace "$tmp/trace/ktrc/ktrc.json" '($trace[0].schema.events | map({(.label): .id}) | add) as $id |
		.counters[] | select(.cpu != null) | "\(.cpu) \($id[.event]) \(.written)"' "$tmp/stats" | sort
}

# tell MODE: which events came and became records, and which did not
tell() {
	note "$1: $(jq -r '.counters | group_by(.event) | map("\(.[0].event) \(map(.hits) | add)") | join(", ")' "$tmp/stats")"
	note "$1: lost $(jq '[.counters[] | .lost_full, .lost_nest, .lost_recursion, .lost_noring, .lost_missed] | add' "$tmp/stats")"
	for event in fault fault.light madvise reclaim reclaim.begin reclaim.slab compaction compaction.begin \
		compaction.zone throttle throttle.begin throttle.gap numa numa.migrate map process process.exec process.exit; do
		jq -e --arg event $event '[.counters[] | select(.event == $event).written] | add > 0' "$tmp/stats" >/dev/null ||
			fail "$1: no $event"
	done
	ktrc-read check >"$tmp/check" || fail "$1: check: $(cat "$tmp/check")"
}

swap 262144
mkdir $cgroup || fail "cgroup"
echo "+cpu +memory" >/sys/fs/cgroup/cgroup.subtree_control
# 6.1's own hugetlb_split() complains, where lockdep looks, when half of a mapping of huge pages goes: there nobody gets them
if [[ $(uname -r) = *-ktrcdbg ]]; then
	echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
	echo 0 >$cgroup/cpuset.mems || fail "cpuset"
fi
echo 150000 100000 >$cgroup/cpu.max
echo 96M >$cgroup/memory.max
echo always >/sys/kernel/mm/transparent_hugepage/enabled
echo always >/sys/kernel/mm/transparent_hugepage/defrag
echo 1 >/proc/sys/kernel/numa_balancing

ktrc-ctl start -q --events="$events" --memory=2M || fail "start: $?"
stress
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read -q --save "$tmp/trace" || fail "save: $?"
books >"$tmp/written"
tally | sort >"$tmp/tally" || fail "tally"
expect "flight: written" "$(cat "$tmp/written")" "$(awk '{ print $1, $2, $3 + $4 }' "$tmp/tally")"
awk '{ overwritten += $3 } END { exit !overwritten }' "$tmp/tally" || fail "nothing was overwritten"
tell flight
ktrc-read check "$tmp/trace" >"$tmp/check" || fail "the saved trace: $(cat "$tmp/check")"
tests/fuzz/agree --part ktrc-read "$tmp/trace" >"$tmp/agree" || fail "decoders: $(cat "$tmp/agree")"
note "$(grep '^ok' "$tmp/agree")"
ktrc-ctl reset -q

events=${events/madvise:stack=both/madvise:stack=dwarf}
ktrc-ctl start -q --mode=stream --events="$events" --memory=2M || fail "start: $?"
consume "$tmp/cells" >"$tmp/read" &
reader=$!
stress
ktrc-ctl stop -q || fail "stop: $?"
wait $reader || fail "consume: $?"
books >"$tmp/written"
expect "stream: written" "$(cat "$tmp/written")" "$(sort "$tmp/read")"
tell stream
ktrc-ctl reset -q
echo 0 >/proc/sys/kernel/numa_balancing
rmdir $cgroup
swapoff /dev/ram0 || fail "swapoff"
rmmod brd || fail "rmmod brd"
