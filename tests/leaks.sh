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

# slab_caches: KiB of each
slab_caches() {
	awk 'NR > 2 { print $1, $15 * $6 * 4 }' /proc/slabinfo
}

# kernel_memory: by kind, in KiB, and its mappings; what a debug kernel notes about its objects is not counted
kernel_memory() {
	awk '$1 ~ /^(kmemleak|debug_objects)_/ { notes += $2 }
		$1 == "SUnreclaim:" { $2 -= notes }
		$1 ~ /^(SUnreclaim|VmallocUsed|Percpu):$/ { print $1, $2 }' <(slab_caches) /proc/meminfo
	awk 'END { print "mappings:", NR }' /proc/vmallocinfo
}

# grown: the slab caches that have grown from first to last, by how many KiB
grown() {
	awk 'FNR == NR { first[$1] = $2; next }
		$2 > first[$1] { print $2 - first[$1], $1 }' "$tmp"/slabs.{first,last} | sort -rn | xargs
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

# remember WHEN: it, when it has come to rest: what is left of tasks that ended the kernel frees later
remember() {
	local now before='' i
	free_kept
	sleep 2 # and this what comes back until then
	free_kept
	for ((i = 0; i < 30; i++)); do
		now=$(kernel_memory)
		[ "$now" != "$before" ] || break
		before=$now
		sleep 1
	done
	echo "$now" >"$tmp/memory.$1"
	slab_caches >"$tmp/slabs.$1"
}

# run_cycles COMMAND CYCLES [HOOKS]: some to warm up, then so many, which have to leave everything as
# it was, and no hooks but HOOKS. What others take and give meanwhile is allowed for: an object of
# 2 KiB that is left each time shows with 200.
run_cycles() {
	local cycle nr=$2 warm=10
	for ((cycle = -warm; cycle < nr; cycle++)); do
		[ $cycle != 0 ] || remember first
		note "cycle $cycle of $nr after $SECONDS s" >"$shown"
		"$1" $((cycle + warm))
	done
	remember last
	expect "left behind" "$(leftovers)" "${3:-}"
	note "$((warm + nr)) cycles; KiB at first and at last: $(paste -d ' ' "$tmp"/memory.{first,last} |
		awk '{ printf "%s%s %d %d", (NR > 1 ? ", " : ""), $1, $2, $4 }')"
	paste -d ' ' "$tmp"/memory.{first,last} | awk -v cycles="$nr" '
		BEGIN { slack["SUnreclaim:"] = 256; slack["VmallocUsed:"] = 64; slack["Percpu:"] = 16; slack["mappings:"] = 64 }
		$4 - $2 > slack[$1] { print $1 " " $4 - $2 " more after " cycles " cycles"; bad = 1 }
		END { exit bad }' || fail "memory is left behind; slabs: $(grown)"
}
