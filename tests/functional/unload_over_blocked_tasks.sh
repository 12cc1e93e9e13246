#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module is unloaded under load while tasks wait inside each function whose return it hooks: a
# hundred inside the handler of a page fault that advice raised, one inside each of the others, the
# system calls of 32-bit programs among them. They go on as if it had never been, and nothing is left behind.
# KTRC_CYCLES: how often (20).
# guest: turns_nodes
# timeout: 3000
# long
. tests/functional/lib.sh
. tests/leaks.sh

tmp=$(mktemp -d /run/XXXXXX)
cycles=${KTRC_CYCLES:-20}
blocked=100
cgroups=/sys/fs/cgroup
throttle=/sys/module/ktrc_hold/parameters/throttle
huge=/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages
functions=(try_to_free_pages reclaim_throttle try_to_compact_pages compact_zone mem_cgroup_handle_over_high
	do_mmap vm_brk_flags setup_arg_pages __vm_munmap __x64_sys_brk __x64_sys_mremap __x64_sys_process_madvise
	migrate_pages)
of_32=(__ia32_sys_mremap __ia32_sys_brk __ia32_sys_process_madvise)
numbers_of_32=(163 45 440)
grep -q " ${of_32[1]}\$" /proc/kallsyms || of_32=()
functions+=("${of_32[@]}")

# block: sets blocker to a process with tasks inside madvise, and there inside the handler of a page fault, where
# each has told userfaultfd of its page
block() {
	blocked $blocked populate <"$tmp/go" >"$tmp/said" &
	blocker=$!
	exec {go}>"$tmp/go"
	read -r _ <"$tmp/said" || fail "blocked: nothing is"
}

release() {
	echo >&"$go"
	exec {go}>&-
	wait "$blocker" || fail "blocked: $?"
}

# hold_in FUNCTION COMMAND [ARGUMENT...]: a task of that name that gets into the function, and no further
held=()
hold_in() {
	[ -e "$tmp/$1" ] || ln -s "$(command -v "$2")" "$tmp/$1"
	"$tmp/$1" "${@:3}" &
	held+=($!)
}

# hold FUNCTION PROGRAM [ARGUMENT...]: of perl
hold() {
	hold_in "$1" perl -e "${@:2}"
}

# shellcheck disable=SC2016 # perl's
enter='open F, ">", shift . "/cgroup.procs"; print F $$; close F;'
# set_mempolicy(2): memory of node 1 alone; what is on the other one stays, there is no room for it
# shellcheck disable=SC2016
bind='$nodes = pack("Q", 2); syscall(238, 2, $nodes, 64) and die $!;'
# shellcheck disable=SC2016
use_memory='$bytes = 800e6; $x = "x" x $bytes'

hold_all() {
	local i
	hold try_to_free_pages "$bind $use_memory"
	hold reclaim_throttle "open F, '>', '$throttle'; print F 'isolated'"
	hold try_to_compact_pages "open F, '>', '$huge'; print F 1000"
	hold compact_zone 'open F, ">", "/proc/sys/vm/compact_memory"; print F 1'
	hold mem_cgroup_handle_over_high "$enter $use_memory" $cgroups/tight
	# the loader comes there
	hold do_mmap 1
	hold_in vm_brk_flags touch_mappings
	hold setup_arg_pages 1
	hold __vm_munmap 1
	hold __x64_sys_brk 1
	# shellcheck disable=SC2016 # perl's: mmap(2), mremap(2)
	hold __x64_sys_mremap '$at = syscall 9, 0, 4096, 1, 34, -1, 0; syscall 25, $at, 4096, 8192, 1, 0'
	hold __x64_sys_process_madvise 'syscall 440, -1, 0, 0, 0, 0'
	# shellcheck disable=SC2016 # perl's: migrate_pages(2) of itself, from the node where it is to the other one
	hold migrate_pages 'syscall 256, 0, 64, pack("Q", $_), pack("Q", 3 - $_) for 1, 2'
	for i in "${!of_32[@]}"; do
		hold_in "${of_32[i]}" enter32 "${numbers_of_32[i]}"
	done
}

# are_held: each of them, and inside its function
are_held() {
	local pid where
	for pid in "${held[@]}"; do
		where=
		read -r where <"/proc/$pid/wchan" # without a newline, so its status says nothing
		[ "$where" = ktrc_hold ] || return
	done
}

await_held() {
	local i
	for ((i = 0; i < 300; i++)); do
		! are_held || return 0
		sleep 0.1
	done
	for i in "${!held[@]}"; do
		note "${functions[i]}: $(cat "/proc/${held[i]}/"{comm,wchan} | xargs)"
	done
	fail "not all are inside"
}

# let_go: one after the other: who migrates needs the room of those before it, or the kernel says that it has none
let_go() {
	local pid
	for pid in "${held[@]}"; do
		kill -KILL "$pid"
		wait "$pid" 2>/dev/null
	done
	held=()
}

# hooked: the kernel's functions whose return is
hooked() {
	local lines line
	mapfile -t lines </sys/kernel/debug/kprobes/list
	for line in "${lines[@]}"; do
		[[ ! $line =~ ^[0-9a-f]+\ +r\ +([a-z0-9_]+)\+ ]] || [ "${BASH_REMATCH[1]}" = ktrc_canary ] ||
			echo "${BASH_REMATCH[1]}"
	done | sort
}

# are_inside: what the kernel says of the blocked tasks
are_inside() {
	expect "tasks inside the handler" "$(cat /proc/"$blocker"/task/*/wchan | grep -o handle_userfault | wc -l)" $blocked
	# madvise(2) is 28
	expect "tasks inside madvise" "$(cat /proc/"$blocker"/task/*/syscall | grep -c '^28 ')" $blocked
}

# cycle NR
cycle() {
	insmod ktrc.ko "${room[@]}" || fail "insmod: $?"
	in_cgroup $group ktrc-ctl start -q --memory=1M \
		--events=fault,fault.light,madvise,reclaim,compaction:stack=both,throttle,numa,map,process || fail "start: $?"
	expect "hooked functions" "$(hooked)" "$wanted"
	hold_all
	block
	await_held
	[ "$1" != 0 ] || are_inside
	ktrc-ctl reset -q || fail "reset: $?"
	rmmod ktrc || fail "rmmod: $?"
	are_held || fail "not inside any more"
	let_go
	release
}

begin_load() {
	storm 0
	echo "${storms[0]}" >$cgroups/load/cgroup.procs || fail "cannot move"
}

end_load() {
	calm
}

wanted=$(printf '%s\n' do_madvise handle_mm_fault "${functions[@]}" | sort)
mkfifo "$tmp/go" "$tmp/said"
# what a slow kernel makes and frees for each call that may be in flight takes it longer than all the rest
room=()
[[ $(uname -r) != *-ktrcdbg ]] || room=(max_in_flight=256)
rmmod ktrc || fail "rmmod: $?"
insmod build/functional/ktrc_hold.ko symbols="$(IFS=, && echo "${functions[*]}")" || fail "ktrc_hold: $?"
echo never >/sys/kernel/mm/transparent_hugepage/enabled
echo 1 >/proc/sys/vm/overcommit_memory # more than there is is asked for
echo "+memory +cpu" >$cgroups/cgroup.subtree_control
mkdir $cgroups/tight $cgroups/load
echo 8M >$cgroups/tight/memory.high
echo "5000 25000" >$cgroups/load/cpu.max # more takes the rest too much time
trap '[ ${#held[@]} = 0 ] || let_go; [ ${#storms[@]} = 0 ] || calm; echo 0 >$huge; rmmod ktrc_hold' EXIT
echo 1000 >$huge || fail "no huge pages" # as many as there is memory for
run_cycles cycle "$cycles" "$(leftovers)"
rmdir $cgroups/tight $cgroups/load
note "$blocked tasks inside the handler and madvise each time, one in each of ${functions[*]}"
