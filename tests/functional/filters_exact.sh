#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each filter of the kernel lets exactly those faults become records that it names: of a
# process, of a cgroup and those below, of a least duration, major ones, those of user mode
# or of the kernel, one of n, none.  A session without a filter tells which those are.
# long
. tests/functional/lib.sh
. tests/sessions.sh

tmp=$(mktemp -d /run/XXXXXX)
cgroups=/sys/fs/cgroup
echo never >/sys/kernel/mm/transparent_hugepage/enabled
mkdir -p $cgroups/in/below $cgroups/out || fail "cgroups"
mkfifo "$tmp/go.in" "$tmp/go.out"

# waits NAME: a process that will touch pages when it is told to
waits() {
	# shellcheck disable=SC2016 # that shell's
	bash -c 'read -r _ <"$1"; exec touch_pages read "$2"' - "$tmp/go.$1" "$2" >"$tmp/where.$1" &
}

# is_waiting PID: until it is
is_waiting() {
	until grep -q fifo_open "/proc/$1/stack"; do
		sleep 0.1
	done
}

start() {
	local session=$1
	shift
	ktrc-ctl start -q --session="$session" --memory=8M "$@" || fail "start $session: $?"
}

waits in 401
pid_in=$!
waits out 409
pid_out=$!
is_waiting $pid_in
is_waiting $pid_out
both=fault,fault.light
start all --events=$both
start pid --events=$both --pid=1,$pid_in
start cgroup --events=$both --cgroup=in
start min --events=fault:min=40us
start major --events=fault --major
start user --events=$both --user
start kernel --events=$both:kernel --kernel
start sample --events=fault:1/7
start count --events=$both --count --pid=$pid_in

echo >"$tmp/go.in"
wait $pid_in || fail "touch_pages: $?"
echo >"$tmp/go.out"
wait $pid_out || fail "touch_pages: $?"
cgroup_in=$(in_cgroup $cgroups/in touch_pages read 419)
cgroup_below=$(in_cgroup $cgroups/in/below touch_pages read 421)
cgroup_out=$(in_cgroup $cgroups/out touch_pages read 431)
by_user=$(touch_pages write 433)
by_kernel=$(touch_pages pread 439)
by_gup=$(touch_pages populate 443)
# how many of them wait for the disk is not to be foreseen
collect sample
echo 3 >/proc/sys/vm/drop_caches
start pairs --events=fault:1/3
start long --events=fault:min=1s
by_disk=$(touch_file "$(readlink -f "$(command -v perl)")" 199) || fail "touch_file: $?"
sessions="all pid cgroup min major user kernel count pairs long"
# shellcheck disable=SC2086 # words
collect $sessions

# touched NAME: where it touched pages, by name of a filter that it passes or does not
pid_in=$(cat "$tmp/where.in") pid_out=$(cat "$tmp/where.out")
held() {
	echo "$(in_range "$1" fault "$2") $(in_range "$1" fault.light "$2")"
}
expect "all" "$(held all "$pid_in"), $(held all "$cgroup_below"), $(held all "$by_gup")" \
	"401 401, 421 421, 443 0"
expect "pid" "$(held pid "$pid_in"), $(held pid "$pid_out")" "401 401, 0 0"
expect "cgroup" "$(held cgroup "$cgroup_in"), $(held cgroup "$cgroup_below")" \
	"419 419, 421 421"
expect "another cgroup" "$(held cgroup "$cgroup_out"), $(held cgroup "$by_user")" "0 0, 0 0"
expect "user" "$(held user "$by_user"), $(held user "$by_kernel"), $(held user "$by_gup")" \
	"433 433, 0 0, 0 0"
expect "kernel" "$(held kernel "$by_user"), $(held kernel "$by_kernel"), $(held kernel "$by_gup")" \
	"0 0, 439 439, 443 0"
expect "major" "$(in_range major fault "$by_disk" tried=1)" 199
expect "count" "$(wc -l <"$tmp/count")" 0
tids="${pid_in%% *} ${pid_out%% *} ${by_user%% *} ${by_kernel%% *} ${by_disk%% *}"

# same SESSION CONDITION: of these processes it holds those of all records for which this holds
same() {
	of_tids all "$tids" "$2" >"$tmp/want"
	of_tids "$1" "$tids" >"$tmp/got"
	note "$1: $(wc -l <"$tmp/want") records"
	[ -s "$tmp/want" ] || fail "$1: the test has no such record"
	diff "$tmp/want" "$tmp/got" >"$tmp/diff" || fail "$1: $(head -n 5 "$tmp/diff")"
}
# shellcheck disable=SC2016 # awk's
{
	same pid '$4 == '"${pid_in%% *}"
	same min '$6 == "fault:" && (dur_ns >= 40000 || /tried=1/)'
	same major '$6 == "fault:" && /result=(major|retry|retry_io)|tried=1/'
	same user '/mode=user/'
	same kernel '/mode=(kernel|gup)/'
	timed=$(of_tids all "${pid_in%% *}" '$6 == "fault:"' | wc -l)
}
# halves SESSION RESULT: the pages for which that tid's faults waited, or have waited
halves() {
	of_tids "$1" "${by_disk%% *}" "$2" | grep -o 'page=[^ ]*' | sort
}
# A fault that waits for the disk is two attempts: both are there, or neither, of long ones as of one of 3.
# shellcheck disable=SC2016 # awk's
{
	waits=$(halves pairs '/result=retry/' | wc -l)
	expect "attempts that go on with those" "$(halves pairs '/tried=1/')" "$(halves pairs '/result=retry/')"
	note "one of 3: $waits of $(halves all '/result=retry/' | wc -l) faults that waited"
	((waits >= 20 && waits < 150)) || fail "one of 3 of 199 is not $waits"
	expect "last attempts, however short" "$(halves long 1)" "$(halves all '/tried=1/ || dur_ns >= 1e9')"
}
# On each CPU, of those that neither wait nor have waited; of these it is not known how many came before the first record
# or after the last one.
jq -r '.counters[] | select(.cpu != null) | "\(.cpu) \(.hits) \(.written)"' "$tmp/sample.stats" >"$tmp/sampled"
awk -v last="$(awk 'END { print $2 }' "$tmp/sample")" '
	function sevenths(n) { return int((n + 6) / 7) }
	FNR == 1 { file++ }
	file == 1 && $6 == "fault:" && $2 <= last && /result=retry|tried=1/ { waits[$3]++ }
	file == 2 && /result=retry|tried=1/ { taken[$3]++ }
	file == 3 { print "# CPU " $1 ": " $3 " of " $2 ", waits " taken[$1] + 0 " of " waits[$1] + 0 >"/dev/stderr"
		$3 -= taken[$1]
		if ($3 < sevenths($2 - waits[$1]) || $3 > sevenths($2 - taken[$1])) exit 1 }' \
	"$tmp/all" "$tmp/sample" "$tmp/sampled" || fail "not one of 7"
expect "durations that were counted" "$(jq '[.durations[] | select(.event == "fault").hist[].count] |
	add' "$tmp/count.stats")" "$timed"
for session in $sessions sample; do
	ktrc-ctl reset --session="$session" || fail "reset $session: $?"
done
rmdir $cgroups/in/below $cgroups/in $cgroups/out || fail "rmdir: $?"
