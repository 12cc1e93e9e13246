#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What happens inside a probe while it runs is counted like anything else: exceptions for a
# kernel address that is not mapped and for a page that is swapped out, raised by kprobes on each
# function that probes call or are made of; and all that the function tracer does. No hit goes
# without a trace, in a writer that is busy it is `lost_recursion`, and 6 KiB of stack are left.
# long
. tests/functional/lib.sh
. tests/sessions.sh

tmp=$(mktemp -d /run/XXXXXX)
nr=20011
tracing=/sys/kernel/tracing
# functions of the slow path, which run with the guard against recursion up
guarded=(ktrc:ktrc_who_is ktrc:ktrc_dict_form ktrc:ktrc_dict_write ktrc:ktrc_ring_open ktrc:ktrc_walk_user
	ktrc:ktrc_walk_kernel)

# What this session calls from ktrc by a call that a kprobe can stand on. Of the others the kernel
# has none there (memcpy, __stack_chk_fail), nobody waits (irq_work_queue), the compiler jumps
# (thunk, trampoline), or another family calls them (memset).
reached=(ktrc:ktrc_dict_form ktrc:ktrc_dict_write ktrc:ktrc_ring_open __rcu_read_lock __rcu_read_unlock
	ktime_get_mono_fast_ns ktime_get_real_fast_ns ktrc:ktrc_walk_user ktrc:ktrc_walk_kernel stack_trace_save)

# value PARAMETER
value() {
	cat "/sys/module/ktrc_recurse/parameters/$1"
}

swap() {
	modprobe brd rd_nr=1 rd_size=65536 || fail "modprobe brd"
	mkswap /dev/ram0 >/dev/null || fail "mkswap"
	swapon /dev/ram0 || fail "swapon"
}

# begin: starts the process whose faults are meant; sets pid and swapped
begin() {
	mkfifo "$tmp/go"
	swapped $nr <"$tmp/go" >"$tmp/said" &
	process=$!
	exec {go}>"$tmp/go"
	until [ -s "$tmp/said" ]; do
		kill -0 $process 2>/dev/null || fail "swapped: $(cat "$tmp/said")"
		sleep 0.1
	done
	read -r pid swapped <"$tmp/said"
}

# end: lets it fault
end() {
	echo >&"$go"
	wait $process || fail "swapped: $?"
	exec {go}>&-
	rm "$tmp/go"
}

# sum COUNTER: of the session, all of whose hits are accounted for
sum() {
	ktrc-ctl stats --format=json >"$tmp/stats" || fail "stats: $?"
	all_accounted "$tmp/stats"
	jq "[.counters[].$1] | add" "$tmp/stats"
}

# recursion: faults inside probes
recursion() {
	local module raised=0 inside=0 lost written i functions counts
	module=$(awk '$1 == "ktrc" { print "core=" $6, "core_bytes=" $2 }' /proc/modules)
	mapfile -t functions < <(printf '%s\n' "${guarded[@]}" && awk '$1 == "call" { print $2 }' kmod/probe_symbols)
	begin
	# shellcheck disable=SC2086 # two parameters
	insmod build/functional/ktrc_recurse.ko $module pid="$pid" swapped="$swapped" \
		functions="$(IFS=, && echo "${functions[*]}")" || fail "insmod ktrc_recurse"
	ktrc-ctl start -q --events=fault.light:stack=both --pid="$pid" --memory=2M || fail "start: $?"
	end
	ktrc-ctl stop -q || fail "stop: $?"
	IFS=, read -ra counts < <(value faults)
	for i in "${!functions[@]}"; do
		note "${functions[i]}: ${counts[i]} faults"
		[[ " ${reached[*]} " != *" ${functions[i]} "* ]] || [ "${counts[i]}" -gt 0 ] ||
			fail "no fault inside ${functions[i]}"
		[ "${counts[i]}" -le 0 ] || raised=$((raised + counts[i]))
		[ "$i" -ge ${#guarded[@]} ] || inside=$((inside + counts[i]))
	done
	lost=$(sum lost_recursion) written=$(sum written)
	note "$raised faults inside probes, $inside of them with the guard up: $lost lost as recursion"
	note "$(value least_stack) bytes of stack were left"
	expect "exceptions of the process" $(($(sum hits) - $(sum filtered))) "$(value seen)"
	expect "of them recorded or lost as recursion" $((written + lost)) "$(value seen)"
	[ $inside -ge 20000 ] || fail "only $inside faults with the guard up"
	[ "$lost" -ge $inside ] || fail "of $inside only $lost are lost as recursion"
	[ "$written" -ge $nr ] || fail "only $written recorded"
	[ "$(value least_stack)" -ge 6144 ] || fail "the stack gets short"
	rmmod ktrc_recurse || fail "rmmod"
	ktrc-read check >"$tmp/check" || fail "check: $(cat "$tmp/check")"
	ktrc-ctl reset -q
}

# traced: every function of the kernel
traced() {
	local where
	ktrc-ctl start -q --events=fault:stack=both,fault.light --memory=32M || fail "start: $?"
	echo function >$tracing/current_tracer || fail "no function tracer"
	where=$(touch_pages read 10007)
	echo nop >$tracing/current_tracer
	collect default # nothing lost
	expect "faults with the function tracer" "$(in_range default fault "$where") $(in_range default fault.light "$where")" \
		"10007 10007"
	ktrc-ctl reset -q
}

swap
recursion
traced
swapoff /dev/ram0
