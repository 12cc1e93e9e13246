#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Sixteen sessions record side by side, each of them everything.  One more is refused, and
# so is one that there is no memory for: in one line, without harm to those that run.  When
# they are deleted their memory is free again.
# long
. tests/functional/lib.sh
. tests/sessions.sh

tmp=$(mktemp -d /run/XXXXXX)
most=16 pages=1009

percpu_kb() {
	awk '/^Percpu:/ { print $2 }' /proc/meminfo
}

# The kernel keeps per-CPU memory that was freed for the next who ask, so that only what was
# there after the first sixteen can be held against what is there after more of them.
nothing_left() { # AFTER
	local left=$(($(percpu_kb) - percpu_before))
	expect "left in vmallocinfo $1" "$(grep -c ktrc /proc/vmallocinfo)" 0
	[ $((2 * left)) -lt $percpu_taken ] ||
		fail "$1 $left KiB of per-CPU memory are left; $most sessions took $percpu_taken"
}

# Pages that wait in a CPU's own lists are free as well, but the kernel does not count them:
# tens of MiB, and how many changes from moment to moment.
free_kb() {
	awk '/^MemAvailable:/ { kb += $2 } $1 == "count:" { kb += 4 * $2 } END { print kb }' \
		/proc/meminfo /proc/zoneinfo
}

# refused MEMORY TEXT HINT
refused() {
	local got=0
	ktrc-ctl start -q --session=more --memory="$1" 2>"$tmp/err" || got=$?
	expect "exit code of one more session with $1" $got 1
	grep -q "^ktrc-ctl: session more: $2" "$tmp/err" || fail "refusal: $(cat "$tmp/err")"
	grep -q "^hint: .*$3" "$tmp/err" || fail "hint: $(cat "$tmp/err")"
	expect "lines of the refusal" "$(wc -l <"$tmp/err")" 2
}

# fill NUMBER MEMORY
fill() {
	local i
	for ((i = 1; i <= $1; i++)); do
		ktrc-ctl start -q --session=s$i --memory="$2" || fail "start $i: $?"
	done
}

# empty NUMBER
empty() {
	local i
	for ((i = 1; i <= $1; i++)); do
		ktrc-ctl reset --session=s$i || fail "reset $i: $?"
	done
}

percpu_before=$(percpu_kb)
fill $most 1M
percpu_taken=$(($(percpu_kb) - percpu_before))
empty $most
percpu_before=$(percpu_kb) free_before=$(free_kb)

fill $most 4M
refused 1M '16 sessions exist' 'ktrc-ctl reset --session=s1 '
where=$(touch_pages read $pages)
expect "sessions" "$(ktrc-ctl status --format=json | jq '[.sessions[] | select(.state == "running")] |
	length')" $most
for ((i = 1; i <= most; i++)); do
	ktrc-ctl stop -q --session=s$i || fail "stop $i: $?"
	[ "$(ktrc-ctl stats --session=s$i --format=json | jq '[.counters[].written] | add')" -ge \
		$pages ] || fail "session $i has less than $pages records"
done
for i in 1 9 16; do
	ktrc-read events -q --no-header --session=s$i >"$tmp/s$i" || fail "read $i: $?"
	balanced s$i
	expect "session $i" "$(in_range s$i fault "$where")" $pages
done
empty $most
rm "$tmp"/s*
nothing_left "after $most sessions"

# one of these fits into the caller's memory cgroup
box=/sys/fs/cgroup/many_sessions
mkdir $box || fail "mkdir"
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
echo 24M >$box/memory.max
for i in 1 2; do
	in_cgroup $box ktrc-ctl start -q --session=s$i --memory=14M 2>"$tmp/err" || break
done
expect "sessions of 14 MiB in 24 MiB" "$i" 2
grep -q '^ktrc-ctl: session s2: not enough memory' "$tmp/err" || fail "no memory: $(cat "$tmp/err")"
expect "sessions that are there" "$(ktrc-ctl status --format=json | jq -c '[.sessions[] | .session + " " + .state]')" \
	'["s1 running"]'
ktrc-ctl reset --session=s1 || fail "reset: $?"
nothing_left "after want of memory"
# the debug kernel keeps what was freed for a while, to catch who uses it, and looks for leaks itself
[[ $(uname -r) != *-ktrcdbg ]] || exit 0
left=$((free_before - $(free_kb)))
note "$left KiB less are free"
[ $left -lt 4000 ] || fail "$left KiB are not free again"
