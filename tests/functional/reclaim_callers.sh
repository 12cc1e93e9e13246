#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The kernel stack of a stall in a memory cgroup's reclaim says who wanted the memory, that of one above memory.high
# where the task would have gone on in user mode, that of one that was asked for who asked. Those
# are as many, and of as many pages, as the kernel's tracepoints show in the same run; the cgroup is short of nothing.
# long
. tests/functional/lib.sh
. tests/memcg.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
ends=$trace/events/vmscan/mm_vmscan_memcg_reclaim_end/enable
asks=101

echo +memory >$cgroups/cgroup.subtree_control
make_cgroup limited memory.max 7M >/dev/null
make_cgroup above memory.high 7M >/dev/null
asked=$(make_cgroup asked memory.max max)
modprobe brd rd_nr=3 rd_size=32768 || fail "modprobe brd"
exec 8</dev/ram2 # while it is open, what was read of it stays in memory

ktrc-ctl start -q --events=reclaim --memory=32M || fail "start: $?"
pid_in limited cat /dev/ram0 >/dev/null
pid_in above cat /dev/ram1 >/dev/null
pid_in asked cat /dev/ram2 >/dev/null
echo 16384 >$trace/buffer_size_kb
echo 1 >$ends
for ((i = 0; i < asks; i++)); do
	echo 64K >$cgroups/asked/memory.reclaim || fail "memory.reclaim: $i"
done
echo 0 >$ends
ktrc-ctl stop -q || fail "stop: $?"
cat $trace/trace >"$tmp/tracefs"
exec 8<&-
rmdir $cgroups/{limited,above,asked}
rmmod brd

called_by '.fields.kind == "memcg" and .fields.cgroup == "/limited"' try_charge_memcg
# some wait before that, where they have been charged too much at a time
called_by '.fields.kind == "high" and ([.kernel_stack.frames[].function] | index("try_charge_memcg") | not)' exit_to_user_mode_prepare
called_by '.fields.kind == "asked"' memory_reclaim

# sum FIELD: of what was asked for
sum() {
	json_events | jq -s "map(select(.event == \"reclaim\" and .fields.kind == \"asked\" and
		.fields.cgid == $asked).fields | $1) | add"
}
grep -q 'entries-in-buffer/entries-written: \([0-9]*\)/\1 ' "$tmp/tracefs" || fail "tracefs lost some"
theirs=$(awk -v who=$$ '{ match($0, /-[0-9]+ +\[/); if (substr($0, RSTART + 1, RLENGTH - 2) + 0 != who) next }
	/memcg_reclaim_end: / { nr++; sub(/.*nr_reclaimed=/, ""); pages += $0 } END { print nr, pages }' "$tmp/tracefs")
note "asked $asks times: $theirs reclaims and pages"
expect "reclaims and pages" "$(sum 1) $(sum .reclaimed)" "$theirs"
[ "$(sum 1)" -ge $asks ] || fail "asked $asks times"
expect "in the view" "$(ktrc-read reclaim --format=json | jq -r '.cgroups[] | select(.kind == "asked") | "\(.cgroup) \(.stalls) \(.reclaimed)"')" \
	"/asked $theirs"
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
ktrc-ctl reset -q
