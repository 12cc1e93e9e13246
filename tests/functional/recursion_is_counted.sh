#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What happens inside a probe while it runs is counted like anything else: exceptions for a
# kernel address that is not mapped and for a page that is swapped out, raised by kprobes on each
# function of the kernel that probes call and on those of the writer, in the task and in a breakpoint; and all that the
# function tracer does. No hit goes without a trace; in a writer that is busy it is
# `lost_recursion`, so there is one writer for each context, and 6 KiB of stack are left; before one is busy it is
# recorded.
# long
. tests/functional/lib.sh
. tests/sessions.sh
. tests/recurse.sh

tmp=$(mktemp -d /run/XXXXXX)
nr=20011 # faults of the process
tries=8 # of a writer whose plan an interrupt voids
tracing=/sys/kernel/tracing
# functions of the slow path, which run with the guard against recursion up
# but for ktrc_count_read, as books in which each look makes a hit are never read twice the same
guarded=(ktrc:ktrc_{who_is,dict_form,dict_bytes,dict_write,ring_open,ring_make_room,ring_leave,walk_user,walk_kernel}
	ktrc:ktrc_stacks_{bytes,write})
before_guard=ktrc:ktrc_emit_with_stacks

# What no kprobe stands in when a probe calls it, and why. All others are reached.
declare -A unreached=(
	[__SCT__preempt_schedule_notrace]="the kernel patches the call, to where the trampoline leads"
	[__stack_chk_fail]="the kernel has no kprobes there, and stops when it is called"
	[__x86_return_thunk]="the kernel patches the jump, to a return"
	[memset]="ktrc_stalls_clear() alone calls it, while no probe runs"
	[mas_find]="ktrc_on_exit_mmap(), a kprobe, and map_leave(), in kretprobes, call it: no other kprobe runs in one"
)
refused=memcpy # or reached: Debian's kernel has no kprobes there, the debug kernel has
# Reads that failed inside each function, of the kernel's address and of the user's; negative: it has no kprobe.
declare -A kernel_faults=() user_faults=()

# sum COUNTER: of the session, all of whose hits are accounted for
sum() {
	ktrc-ctl stats --format=json >"$tmp/stats" || fail "stats: $?"
	all_accounted "$tmp/stats"
	jq "[.counters[].$1] | add" "$tmp/stats"
}

# raise MODE BREAKPOINTS FUNCTION...: faults inside probes, by kprobes on these functions; sets seen and
# raised, exceptions, by_kernel and by_user, which raised is the sum of, and the session's counters
raise() {
	local mode=$1 breakpoints=$2 reader='' i functions in_kernel in_user
	shift 2
	functions=("$@")
	begin swapped $nr
	read -r pid swapped <"$tmp/said"
	watch pid="$pid" swapped="$swapped" breakpoints="$breakpoints" functions="$(IFS=, && echo "${functions[*]}")"
	ktrc-ctl start -q --events=fault.light:stack=both --pid="$pid" --memory=2M --mode="$mode" ||
		fail "start: $?"
	if [ "$mode" = stream ]; then
		ktrc-read -q --follow --save="$tmp/followed" &
		reader=$!
		wait_until_it_waits $reader
	fi
	end
	ktrc-ctl stop -q || fail "stop: $?"
	[ -z "$reader" ] || wait $reader || fail "reader: $?"
	IFS=, read -ra in_kernel < <(value kernel_faults)
	IFS=, read -ra in_user < <(value user_faults)
	for i in "${!functions[@]}"; do
		note "${functions[i]}: ${in_kernel[i]} and ${in_user[i]} faults"
		kernel_faults[${functions[i]}]=$((${kernel_faults[${functions[i]}]:-0} + in_kernel[i]))
		user_faults[${functions[i]}]=$((${user_faults[${functions[i]}]:-0} + in_user[i]))
	done
	IFS=, read -r by_kernel by_user < <(value raised)
	seen=$(value seen) raised=$((by_kernel + by_user))
	lost=$(sum lost_recursion) written=$(sum written) nested=$(sum nested) lost_nest=$(sum lost_nest)
	note "$by_kernel + $by_user of $seen exceptions inside probes: $lost lost as recursion, $nested nested, $lost_nest of" \
		"all lost as nested; $(value least_stack) bytes of stack were left"
	[ "$seen" -ge $nr ] || fail "the process has $seen exceptions"
	expect "exceptions of the process" $(($(sum hits) - $(sum filtered))) "$seen"
	[ "$(value least_stack)" -ge 6144 ] || fail "the stack gets short"
	rmmod ktrc_recurse || fail "rmmod"
	[ -n "$reader" ] || ktrc-read check >"$tmp/check" || fail "check: $(cat "$tmp/check")"
	ktrc-ctl reset -q
}

wait_until_it_waits() {
	until grep -q '^State:.S' "/proc/$1/status" && grep -q poll "/proc/$1/wchan"; do
		kill -0 "$1" || fail "the reader ended"
		sleep 0.1
	done
}

# enough: exceptions inside probes, for either address
enough() {
	[ "$by_kernel" -ge 20000 ] || fail "for the kernel's address only $by_kernel"
	[ "$by_user" -ge 20000 ] || fail "for the swapped-out page only $by_user"
}

# recursion: in one context each is lost, in the one above each is a writer of its own; never more
recursion() {
	local all function got in_tries
	mapfile -t all < <(printf '%s\n' "${guarded[@]}" && awk '$1 == "call" { print $2 }' kmod/probe_symbols)
	raise flight 0 "${all[@]}"
	expect "raised in the task, and lost as recursion" "$lost" "$raised"
	expect "nested, of those" "$nested" 0
	expect "recorded" "$written" $((seen - raised))
	enough
	[ "$written" -ge $nr ] || fail "only $written recorded"

	nr=5003
	in_tries=${kernel_faults[ktrc:ktrc_who_is]}
	raise flight 1 "${all[@]}"
	in_tries=$((${kernel_faults[ktrc:ktrc_who_is]} - in_tries))
	expect "raised in a breakpoint, and nested" "$nested" "$raised"
	expect "lost as recursion, of those" "$lost" 0
	expect "recorded, or lost as nested" $((written + lost_nest)) "$seen"
	enough
	# it is called once a try, and a read of the kernel's address fails in it
	[ "$in_tries" -le $((tries * (seen - raised))) ] || fail "$in_tries faults: more than $tries tries"

	for got in 0 1; do
		raise flight $got $before_guard
		expect "lost, raised before there is a writer" "$lost + $nested + $lost_nest" "0 + 0 + 0"
		expect "recorded, with those raised before there is a writer" "$written" "$seen"
	done
	[ "${kernel_faults[$before_guard]}" -gt 0 ] || fail "no fault inside $before_guard"

	# who waits is woken when nobody writes
	raise stream 0 irq_work_queue
	expect "lost as recursion, raised where nobody writes" "$lost" 0
	expect "nested, raised where nobody writes" "$nested" 0

	for function in "${all[@]}"; do
		got=${kernel_faults[$function]}
		if [ -n "${unreached[$function]:-}" ]; then
			[ "$got" -le 0 ] || fail "$function can be reached, although ${unreached[$function]}"
		elif [ "$function" != $refused ] || [ "$got" -ge 0 ]; then
			[ "$got" -gt 0 ] || fail "no fault inside $function"
			[ "${user_faults[$function]}" -gt 0 ] || fail "no fault for the swapped-out page inside $function"
		fi
	done
	# a kernel that looks at all it does has calls in the objects that are not theirs, and no such list
	[[ $(uname -r) != *-ktrcdbg ]] || return 0
	expect "who calls memset" "$(callers memset)" ktrc_stalls_clear
	expect "who calls mas_find" "$(callers mas_find | xargs)" "ktrc_on_exit_mmap map_leave"
}

# callers FUNCTION: in objects that run inside probes
callers() {
	# shellcheck disable=SC2046 # words
	objdump -dr $(sed -n 's/^objects //p' kmod/probes.ok) |
		awk -v name="$1" '/>:$/ { from = $2 } $2 ~ /^R_/ && $3 ~ "^" name "[-+]" { print substr(from, 2, length(from) - 3) }' | sort -u
}

# busy_in GROUP: uses up its quota in 120 periods, of which one interval may take several; but not to end, as that takes too
# long with the tracer on
busy_in() {
	local busy
	taskset -c 1 perl -e '1 while 1' &
	busy=$!
	echo $busy >"$1/cgroup.procs" || fail "$1: cannot be entered"
	until [ "$(sed -n 's/^nr_throttled //p' "$1/cpu.stat")" -ge 120 ]; do
		kill -0 $busy || fail "busy: it ended"
		sleep 0.1
	done
	echo max >"$1/cpu.max" || fail "cpu.max: cannot be lifted"
	kill $busy
	wait $busy 2>/dev/null
}

# kept_off GROUP: the intervals that ktrc has of it last as long as the kernel counted, within 1 %
kept_off() {
	local usec
	usec=$(sed -n 's/^throttled_usec //p' "$1/cpu.stat")
	jq -rs --arg group "$(stat -c %i "$1")" --arg usec "$usec" 'map(select(.event == "throttle" and
		.fields.cgid == ($group | tonumber)).fields.dur_ns / 1000) | "\(length) intervals, \(add | floor) us of \($usec)",
		(length > 20 and (add / ($usec | tonumber) | . > 0.99 and . < 1.01))' "$tmp/rows" >"$tmp/kept_off"
	note "with the function tracer: $(head -n 1 "$tmp/kept_off")"
	expect "throttling with the function tracer" "$(tail -n 1 "$tmp/kept_off")" true
}

# traced: every function of the kernel
traced() {
	local where group=/sys/fs/cgroup/traced
	echo +cpu >/sys/fs/cgroup/cgroup.subtree_control || fail "cgroups: no quotas"
	mkdir $group || fail "mkdir: $?"
	echo "5000 100000" >$group/cpu.max || fail "cpu.max: cannot be set"
	ktrc-ctl start -q --events=fault:stack=both,fault.light,madvise:stack=both,map,throttle --memory=32M || fail "start: $?"
	echo function >$tracing/current_tracer || fail "no function tracer"
	busy_in $group
	where=$(touch_pages read 10007)
	known_stacks two 503 499 >/dev/null || fail "known_stacks: $?"
	maps 7 /proc/self/exe >"$tmp/known" || fail "maps: $?"
	echo nop >$tracing/current_tracer
	collect default # nothing lost
	expect "faults with the function tracer" "$(in_range default fault "$where") $(in_range default fault.light "$where")" \
		"10007 10007"
	json_events >"$tmp/rows" || fail "events: $?"
	kept_off $group
	expect "advice with the function tracer" \
		"$(jq -c 'select(.comm == "known_stacks" and .fields.advice == "MADV_NORMAL").pid' "$tmp/rows" | wc -l)" 1002
	# between the two calls of munmap that the program makes of nothing
	expect "mappings with the function tracer" \
		"$(jq -r 'select(.comm == "maps" and .event == "map").fields | "\(.map_call) \(.page) \(.pages) \(.error)"' "$tmp/rows" |
			awk '/^munmap 0 0 EINVAL/ { between = !between; next } between' | wc -l)" "$(wc -l <"$tmp/known")"
	ktrc-ctl reset -q
}

swap 65536
recursion
traced
swapoff /dev/ram0
