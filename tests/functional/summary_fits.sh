#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Whatever it has to say, the summary has at most 25 lines of 100 columns: the verdict at once
# behind the line that says what was recorded, then evidence, check, cost and what to type next,
# as text and as Markdown. A quiet host gets one line.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
cgroups=/sys/fs/cgroup
failed=0

complain() {
	note "$1:"
	cat "$tmp/text" "$tmp/markdown"
	failed=1
}

# fits WHAT VERDICT ARGUMENT...: a summary, its verdict a regular expression
fits() {
	local what=$1 verdict=$2 label
	shift 2
	ktrc-read -q "$@" >"$tmp/text" 2>/dev/null || complain "$what: exit code $?"
	ktrc-read -q --format=markdown "$@" >"$tmp/markdown" 2>/dev/null || complain "$what, markdown: exit code $?"
	awk 'length > 100' "$tmp/text" | grep -q . && complain "$what: a line is too long"
	[ "$(wc -l <"$tmp/text")" -le 25 ] || complain "$what: too many lines"
	sed -n 1p "$tmp/text" | grep -Eq '^ktrc  .*[^ ]  .*\([0-9.]+ s\)  lost [0-9]+$' || complain "$what: no title"
	sed -n 2p "$tmp/text" | grep -Eq "^VERDICT   $verdict" || complain "$what: not the verdict"
	grep -Eq '^cost +overhead (~|below )[0-9.]+% of a CPU \(est\.\); [0-9]+ records/s' "$tmp/text" ||
		complain "$what: no overhead"
	for label in check cost next; do
		[ "$(grep -c "^$label " "$tmp/text")" = 1 ] || complain "$what: no $label"
		grep -q "^- \*\*$label\*\* " "$tmp/markdown" || complain "$what, markdown: no $label"
	done
	# what follows is the same, but for marks and layout
	expect "$what: verdict in markdown" "$(sed -n 's/^\*\*VERDICT\*\* //p' "$tmp/markdown" | tr -d '\134')" \
		"$(sed -n 's/^VERDICT   //p' "$tmp/text")"
	[ $(($(grep -c '^```' "$tmp/markdown") % 2)) = 0 ] || complain "$what, markdown: an open block"
}

# is_one_line: the quiet summary says nothing else of what happened
is_one_line() {
	expect "$1: labels" "$(cut -c1-10 "$tmp/text" | sed 1d | tr -s ' \n' ' ')" "VERDICT check cost next "
}

others=
name=$(printf 'n%.0s' {1..31})
long=$(printf 'very-long-name-of-a-cgroup.%.0s' {1..7})
hostname "$(printf 'h%.0s' {1..64})"
echo +memory >$cgroups/cgroup.subtree_control
mkdir $cgroups/"$long"
echo +memory >$cgroups/"$long"/cgroup.subtree_control
mkdir $cgroups/"$long"/{1,2,3}

# nothing happens, and next to nothing
ktrc-ctl start -q --events=reclaim --session="$name" || fail "start: $?"
sleep 1
fits "quiet, running" "quiet: no stall in reclaim$" --session="$name"
is_one_line "quiet, running"
ktrc-ctl stop -q --session="$name"
fits "quiet" "quiet: no stall in reclaim$" --session="$name"
is_one_line "quiet"
ktrc-ctl reset -q --session="$name"
ktrc-ctl start -q --events=fault,reclaim || fail "start: $?"
sleep 2
ktrc-ctl stop -q
fits "little" "quiet: [0-9]+ page faults, busiest .*; no stall in reclaim$"
is_one_line "little"
ktrc-ctl reset -q

# inside CGROUP COMMAND: the command gets a name and a cgroup of its own
inside() {
	in_cgroup $cgroups/"$long/$1" dash -c "$2; :" 2>/dev/null
}

# faults of many processes, most of one of them, for as long as all others take and longer; stalls of some
busy() {
	local i began=$SECONDS
	for i in 1 2 3 4 5 6 7 8; do
		dash -c "touch_pages write $((1000 * i)) >/dev/null"
	done
	for i in 1 2 3; do
		inside $i "echo 64K >$cgroups/$long/$i/memory.reclaim"
	done
	timeout $((3 + SECONDS - began)) touch_pages storm 1000000000 >/dev/null
}

# where all takes long a few stalls may be the worst
[[ $(uname -r) != *-ktrcdbg ]] || others='|reclaim: '
ktrc-ctl start -q --events=fault,reclaim --session="$name" || fail "start: $?"
busy
ktrc-ctl stop -q --session="$name"
fits "faults" "(fault: touch_pages\[[0-9]+\] spends [0-9.]+% of a CPU in [0-9]+ page faults$others)" --session="$name"
ktrc-read -q --session="$name" --save "$tmp/trace" || fail "save: $?"
fits "faults, saved" "(fault: $others)" "$tmp/trace"
for file in "$tmp"/trace/cpu_*; do
	truncate -s -100 "$file"
done
fits "damaged" "" "$tmp/trace"
ktrc-ctl reset -q --session="$name"

ktrc-ctl start -q --events=fault.light --memory=512K --packet=4K || fail "start: $?"
busy
ktrc-ctl stop -q
fits "light, wrapped" "(fault|quiet): "
ktrc-ctl reset -q

echo 4M >$cgroups/"$long"/3/memory.max
modprobe brd rd_nr=1 rd_size=65536 || fail "modprobe brd"
ktrc-ctl start -q --events=fault,reclaim:1/2 --cgroup="/$long" || fail "start: $?"
inside 1 "touch_pages write 1000 >/dev/null"
inside 2 "cat /dev/ram0 >/dev/null & echo 64K >$cgroups/$long/2/memory.reclaim; wait"
inside 3 "for i in 1 2 3 4; do cat /dev/ram0 >/dev/null & done; wait"
ktrc-ctl stop -q
fits "stalls" "reclaim: \.\.\..*/3 is short of memory: [0-9.]+ m?s in [0-9]+ stalls"
grep -q "^only  .*estimates.*1/2" "$tmp/text" || complain "stalls: the filter is not named"
ktrc-ctl reset -q

rmmod brd
rmdir $cgroups/"$long"/{1,2,3} $cgroups/"$long"
hostname ktrc-guest
[ $failed = 0 ]
