# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# For tests that load and unload the module over and over: what that may leave behind, in $tmp.

# leftovers: what bears the module's name, and hooks, whoever has them
leftovers() {
	grep ktrc /proc/misc
	cat /sys/kernel/debug/kprobes/list /sys/kernel/tracing/enabled_functions
}

# throttle CPUS...: a task on each of these lists of CPUs that uses up the quota of its cgroup again and again,
# until free_throttled
throttled=()
throttle() {
	local cpu
	echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
	mkdir -p /sys/fs/cgroup/throttled
	echo "3000 10000" >/sys/fs/cgroup/throttled/cpu.max
	for cpu; do
		bash -c 'echo $$ >/sys/fs/cgroup/throttled/cgroup.procs; exec taskset -c "$0" perl -e "1 while 1"' "$cpu" &
		throttled+=($!)
	done
}

free_throttled() {
	kill -KILL "${throttled[@]}"
	wait "${throttled[@]}"
	throttled=()
	rmdir /sys/fs/cgroup/throttled
}

# kernel_memory: what is in use, "WHAT NUMBER BYTES [NUMBER]" of so many bytes each: slab objects by cache, and how many
# make up a slab, all else by kind; of mappings the number. Not counted are stacks, the caches that the kernel shrinks when
# it needs memory, what it notes about mappings, also those that are to be purged, and what a debug kernel notes about objects.
kernel_memory() {
	local slabs info mappings
	# first, and without a process: each that begins takes from most caches
	mapfile -t slabs </proc/slabinfo
	mapfile -t info </proc/meminfo
	mapfile -t mappings </proc/vmallocinfo
	grep -lx 0 /sys/kernel/slab/*/reclaim_account | cut -d / -f 5 |
		awk 'FNR == NR { counts[$1] = 1; next }
			$1 in counts && $1 !~ /^(kmemleak|debug_objects)_|^vmap_area$/ { print "slab:" $1, $2, $4, $5 }' - <(printf '%s\n' "${slabs[@]}")
	printf '%s\n' "${info[@]}" | awk '$1 == "Percpu:" { print $1, $2, 1024 }'
	# what is to be purged is not mapped any more; a stack is a thread's, and the kernel keeps some
	printf '%s\n' "${mappings[@]}" | awk '/unpurged/ || / (dup_task_struct|copy_process|alloc_thread_stack)/ { next }
		{ n++ }
		match($0, / pages=[0-9]+/) { kib += 4 * substr($0, RSTART + 7, RLENGTH - 7) }
		END { print "mappings:", n, 1024; print "mapped:", kib, 1024 }'
}

# free_kept: what the kernel keeps of memory that is free: caches of files, empty slabs, and KASAN's quarantine
free_kept() {
	local shrink
	sync
	echo 3 >/proc/sys/vm/drop_caches
	for shrink in /sys/kernel/slab/*/shrink; do
		echo 1 >"$shrink"
	done
}

# remember WHEN: the least of it in twenty looks: others take and give meanwhile
remember() {
	local i
	for ((i = 0; i < 20; i++)); do
		free_kept
		kernel_memory
		sleep 1 # and what ended meanwhile is freed
	done | awk '!($1 in least) || $2 < least[$1] { least[$1] = $2; rest[$1] = $3 " " $4 }
		END { for (what in least) print what, least[what], rest[what] }' | sort -k 1,1 >"$tmp/memory.$1"
}

# more: "NUMBER WHAT BYTES [NUMBER]" of what there is more of at last than at first
more() {
	join -a 2 -e 0 -o 0,1.2,2.2,2.3,2.4 "$tmp"/memory.{first,last} | awk '$3 > $2 { print $3 - $2, $1, $4, $5 }' | sort -rn
}

# sums WHEN: all of it in KiB, slab objects of all caches in one
sums() {
	sed 's/:[^ ]*//' "$tmp/memory.$1" | awk '{ sum[$1] += $2 * $3 / 1024 }
		END { for (what in sum) print what, sum[what] }' | sort
}

# run_cycles COMMAND CYCLES [HOOKS]: some to warm up, then so many, which have to leave everything as
# it was, and no hooks but HOOKS. What others take and give meanwhile is allowed for, and that a slab which a CPU
# has at hand counts as full, before or after: an object of 96 bytes or more that is left each time shows with 200, one of
# 64 with 300, one of 2 KiB with fewer, a page that is mapped with 20.
run_cycles() {
	local cycle nr=$2 warm=10
	for ((cycle = -warm; cycle < nr; cycle++)); do
		[ $cycle != 0 ] || remember first
		note "cycle $cycle of $nr after $SECONDS s" >"$shown"
		"$1" $((cycle + warm))
	done
	remember last
	expect "left behind" "$(leftovers)" "${3:-}"
	join <(sums first) <(sums last) >"$tmp/sums"
	note "$((warm + nr)) cycles; KiB at first and at last: $(awk '{ printf "%s%s %d %d", (NR > 1 ? ", " : ""), $1, $2, $3 }' "$tmp/sums")"
	awk -v cycles="$nr" '
		BEGIN {
			slack["slab"] = 128 + 0.6 * cycles
			slack["mapped"] = slack["mappings"] = 24 + 0.2 * cycles
			slack["Percpu"] = 16
		}
		$3 - $2 > slack[$1] { print $1 " " $3 - $2 " more after " cycles " cycles"; bad = 1 }
		END { exit bad || NR != 4 }' "$tmp/sums" || fail "something is left behind; more: $(more | xargs)"
	note "most more: $(more | head -n 5 | cut -d ' ' -f 1,2 | xargs)"
	# fewer are no more than one process that is there by chance
	more | awk -v cycles="$nr" -v cpus="$(nproc)" '
		$2 ~ /^slab:/ && cycles >= 100 && $1 >= 0.9 * cycles - cpus * $4 && $1 > cpus * $4 { print; bad = 1 }
		END { exit bad }' || fail "an object of a kind is left behind each time"
}
