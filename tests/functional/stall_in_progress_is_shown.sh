#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A task that is stuck in reclaim, because a request of the disk it swaps to takes long, is shown
# while it is, once: since when, of what kind and in which cgroup; the verdict names it. When the
# stall has ended nothing is shown any more as under way. A session of one cgroup does not take
# a stall for certain whose task may have left it.
# long
. tests/functional/lib.sh
. tests/slow_swap.sh

tmp=$(mktemp -d /run/XXXXXX)
cgroup=/sys/fs/cgroup/tight

# look FILE: reads the session, when FILE.when says, and saves it; true if the task was in reclaim before and after
look() {
	is_in_reclaim $pid || return
	cat /proc/uptime >"$tmp/$1.when"
	ktrc-read --format=json >"$tmp/$1" || fail "read: $?"
	cat /proc/uptime >>"$tmp/$1.when"
	ktrc-read --session=inside --format=json >"$tmp/inside" || fail "read: $?"
	ktrc-read >"$tmp/text" || fail "read: $?"
	rm -rf "$tmp/trace"
	ktrc-read -q --save "$tmp/trace" || fail "save: $?"
	is_in_reclaim $pid
}

# begun: sets nr_begun to how many stalls have
begun() {
	ktrc-ctl stats --format=json >"$tmp/stats" || fail "stats: $?"
	nr_begun=$(jq -e '[.counters[] | select(.event == "reclaim.begin").written] | add' "$tmp/stats") ||
		fail "no count of reclaim.begin"
}

# the task's stall in what look() read, or saved
stall() {
	jq -c --argjson pid "$pid" '.reclaim.under_way[] | select(.pid == $pid)' "$tmp/$1"
}

saved_stall() {
	ktrc-read reclaim --format=json "$tmp/trace" | jq -c --argjson pid "$pid" '.under_way[] | select(.pid == $pid)'
}

echo never >/sys/kernel/mm/transparent_hugepage/enabled
slow_swap 60000000
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir $cgroup
# no hard limit: there is no progress, and none is to be killed for it
echo 8M >$cgroup/memory.high
ktrc-ctl start -q --events=reclaim --memory=2M || fail "start: $?"
ktrc-ctl start -q --session=inside --cgroup=$cgroup --events=reclaim --memory=2M || fail "start: $?"
bash -c 'echo $$ >"$0"/cgroup.procs; exec perl -e "\$x = q(x) x 24e6"' $cgroup &
pid=$!

# twice the same stall, longer than a second, and in all that was read of it
for ((i = 0; ; i++)); do
	if [ ! -d /proc/$pid ] || [ $i -ge 300 ]; then
		fail "never stuck: $(cat "$tmp/text")"
	fi
	sleep 0.2
	begun
	before=$nr_begun
	look first || continue
	jq -e '.verdict.name == "reclaim_stuck"' "$tmp/first" >/dev/null || continue
	look second || continue
	begun
	[ "$nr_begun" = "$before" ] || continue
	first=$(stall first | jq .lasts_ns) second=$(stall second | jq .lasts_ns) saved=$(saved_stall | jq .lasts_ns)
	[ "${first:-0}" -gt 0 ] && [ "${second:-0}" -gt "$first" ] && [ "${saved:-0}" -gt "$second" ] && break
done
note "stuck for $first ns, then for $second ns; read between $(cut -d ' ' -f 1 "$tmp"/{first,second}.when | xargs) s"
awk -v grown="$((second - first))" '{ at[NR] = $1 }
	END { exit !(grown / 1e9 > at[3] - at[2] - 0.02 && grown / 1e9 < at[4] - at[1] + 0.02) }' "$tmp"/{first,second}.when ||
	fail "it lasted $first ns, then $second ns"
expect "the stall" "$(stall second | jq -r '"\(.comm) \(.kind) \(.order) \(.cgroup) \(.certain)"')" \
	"perl high 0 /tight yes"
# by cgroup: its end is not recorded where the task has left the cgroup before it
expect "the stall by cgroup" "$(stall inside | jq -r '"\(.cgroup) \(.certain)"')" "/tight no"
expect "the verdict by cgroup" "$(jq -r '.verdict.name == "reclaim_stuck"' "$tmp/inside")" false
expect "the verdict" "$(jq -r '.verdict | "\(.name) \(.pid) \(.comm) \(.cgroup)"' "$tmp/first")" \
	"reclaim_stuck $pid perl /tight"
grep -Eq "^VERDICT  *reclaim: perl\[$pid\] is stuck above memory.high for [0-9.]+ m?s, in /tight\$" "$tmp/text" ||
	fail "text: $(cat "$tmp/text")"
/usr/bin/python3 -W ignore -m jsonschema -i "$tmp/second" docs/schemas/ktrc.summary-1.json ||
	fail "its JSON is not as docs/schemas says"

kill -9 $pid
wait $pid
ktrc-read reclaim --format=json >"$tmp/after" || fail "read: $?"
expect "under way afterwards" "$(jq '.under_way | length' "$tmp/after")" 0
[ "$(jq '.kinds[] | select(.kind == "high").max_ns' "$tmp/after")" -ge "$second" ] ||
	fail "the longest ended stall is shorter than the one under way was"
ktrc-ctl stop -q || fail "stop: $?"
expect "under way in the end" "$(ktrc-read reclaim --format=json | jq '.under_way | length')" 0
rmdir $cgroup
no_swap
ktrc-ctl reset -q
ktrc-ctl reset --session=inside
