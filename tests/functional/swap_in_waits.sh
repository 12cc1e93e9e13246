#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two threads touch each of a prime number of swapped-out pages at once, on a disk that is slow: one
# brings the page in, the other one waits for it, and finds it in place. Each of these faults is one of class
# swap, of either thread, whether they load or store, or have to copy the page, but those that come too late to
# wait; and as many are major as the kernel counts for the two threads. Those that begin I/O are as many as pgmajfault
# grows, within 0.1 %.
. tests/functional/lib.sh
. tests/memcg.sh
. tests/slow_swap.sh

tmp=$(mktemp -d /run/XXXXXX)
pages=307

# swapped_out: all of the cgroup's pages are, and none is left in memory beside
swapped_out() {
	[ "$(awk '$1 ~ /^(swapcached|inactive_anon|active_anon)$/ { sum += $2 } END { print sum }' $cgroups/both/memory.stat)" = 0 ]
}

swap_out() {
	local i
	for ((i = 0; i < 300; i++)); do
		! swapped_out || return 0
		echo 16M 2>/dev/null >$cgroups/both/memory.reclaim
		pause 0.1
	done
	fail "not swapped out: $(paste -sd, $cgroups/both/memory.stat)"
}

# record MODE: $tmp/MODE has its faults, $tmp/MODE.view the view of them, $tmp/MODE.check the kernel's count; of the
# process $pid, and of its two touches together $minor and $major
record() {
	local go toucher
	rm -f "$tmp/go" "$tmp/said"
	mkfifo "$tmp/go"
	in_cgroup $cgroups/both touch_both "$1" $pages <"$tmp/go" >"$tmp/said" &
	toucher=$!
	exec {go}>"$tmp/go"
	until [ -s "$tmp/said" ]; do pause 0.1; done
	swap_out
	ktrc-ctl start -q --events=fault --memory=8M || fail "start: $?"
	echo >&"$go"
	wait $toucher || fail "touch_both $1: $?"
	ktrc-ctl stop -q || fail "stop: $?"
	exec {go}>&-
	read -r pid low high <"$tmp/said"
	read -r minor major < <(awk 'NR > 1 { minor += $2; major += $3 } END { print minor, major }' "$tmp/said")
	ktrc-read events >"$tmp/$1" || fail "read: $?"
	ktrc-read faults --format=json >"$tmp/$1.view" || fail "faults: $?"
	ktrc-read check --format=json >"$tmp/$1.check" || fail "check: $?"
}

# attempts MODE: of both threads on these pages
attempts() {
	local tid rest
	sed 1d "$tmp/said" | while read -r tid rest; do
		fault_groups fault "$tmp/$1" "$tid $low $high"
	done
}

# late MODE: of these faults, those that found the page in place at once
late() {
	local tids
	tids=$(sed 1d "$tmp/said" | cut -d ' ' -f 1 | xargs)
	awk -v tids="$tids" -v low="$(printf '0x%x' "$low")" -v high="$(printf '0x%x' "$high")" '
		BEGIN { split(tids, tid); for (i in tid) touches[tid[i]] }
		!($4 in touches) || $6 != "fault:" { next }
		{
			delete f
			for (i = 7; i <= NF; i++) {
				split($i, pair, "=")
				f[pair[1]] = pair[2]
			}
		}
		f["page"] < low || f["page"] >= high { next }
		f["class"] != "swap" && again[$4] != f["page"] { nr++ }
		{ again[$4] = f["result"] ~ /^retry/ ? f["page"] : "" }
		END { print nr + 0 }' "$tmp/$1"
}

# in_view FILTER: a number
in_view() {
	jq "[$1] | add // 0" "$tmp/$mode.view"
}

# near WHAT GOT WANTED: within 0.1 %
near() {
	((1000 * ($2 - $3) <= $3 && 1000 * ($3 - $2) <= $3)) || fail "$mode: $1: got $2, wanted $3"
}

echo never >/sys/kernel/mm/transparent_hugepage/enabled
echo 0 >/proc/sys/vm/page-cluster
taskset -p 1 $$ >/dev/null # what another CPU has not handed on yet cannot be swapped out
slow_swap 5000000
echo +memory >$cgroups/cgroup.subtree_control
make_cgroup both memory.high max >/dev/null

# once MODE: adds to $waited how many of its faults did
once() {
	local swap late
	mode=$1
	record "$mode"
	waited=$((waited + $(attempts "$mode" | awk '$4 == "swap" && $NF == "retry" { nr += $1 } END { print nr + 0 }')))
	swap=$(in_view '.classes[] | select(.class == "swap").faults')
	late=$(late "$mode")
	note "$mode: $minor minor and $major major faults of both, $late of them late, $waited waited so far; in the view" \
		"$(jq -c '.classes[] | [.class, .faults, .major]' "$tmp/$mode.view" | paste -sd ' ')"
	note "$(attempts "$mode" | paste -sd ';')"
	near "major faults of class swap" "$(in_view '.classes[] | select(.class == "swap").major')" "$major"
	near "major faults of the process" "$(in_view ".processes[] | select(.pid == $pid).major")" "$major"
	# who comes too late to wait has no fault in swap
	near "faults of class swap" "$swap" $((minor + major - late))
	jq -e ".total.pgmajfault | .vmstat >= $pages and (.traced - .vmstat | fabs) <= .vmstat / 1000" "$tmp/$mode.check" >/dev/null ||
		fail "$mode: pgmajfault: $(jq -c .total.pgmajfault "$tmp/$mode.check")"
	ktrc-ctl reset -q
}

# how many wait for the other one depends on how much the CPUs have to do
for way in load store mixed; do
	waited=0
	for ((i = 0; i < 20 && waited < 101; i++)); do
		once $way
	done
	[ "$waited" -ge 101 ] || fail "$way: hardly anybody waited"
done
rmdir $cgroups/both
no_swap
