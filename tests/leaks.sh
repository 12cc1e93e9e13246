# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# For tests that load and unload the module over and over: what that may leave behind, in $tmp. Sessions are started
# in $group, for which they pay.
. tests/account.sh

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
	wait "${throttled[@]}" 2>/dev/null
	throttled=()
	rmdir /sys/fs/cgroup/throttled
}

# open_caches: in caches "CACHE BYTES" of those that count, and how much an object takes; in adds_up the one from which
# the kernel takes 8 bytes for each node when it adds up the objects of a cache for its own file. Not
# counted are the caches that the kernel shrinks when it needs memory, what it notes about mappings, and what a debug kernel
# notes about objects; in unreclaimed all but the first of these. Their files stay open: what is allocated for one
# that is opened is freed seconds after it is closed.
open_caches() {
	local nodes slabs line cache kept held
	read -r nodes </sys/devices/system/node/possible || exit # 0, or 0-1
	adds_up=kmalloc-$((8 * (${nodes#0-} + 1)))
	caches=() unreclaimed=()
	mapfile -t -s 2 slabs </proc/slabinfo
	for line in "${slabs[@]}"; do
		# shellcheck disable=SC2086 # name, objects in use, objects, bytes
		set -- $line
		cache=/sys/kernel/slab/$1
		read -r kept <"$cache/reclaim_account" || exit
		if [ "$kept" = 0 ]; then
			unreclaimed+=("$1")
		elif [ "$1" != radix_tree_node ]; then # which names have
			continue
		fi
		[[ ! $1 =~ ^((kmemleak|debug_objects)_|vmap_area$) ]] || continue
		# shellcheck disable=SC2034 # as long as the shell is there
		exec {held}>"$cache/shrink" {held}<"$cache/objects" || exit
		caches+=("$1 $4")
	done
}

# slab_objects: "slab:CACHE NUMBER BYTES" of what is in use. Each cache is shrunk right before it is looked at, not
# even a file opened in between: of a slab that a CPU has at hand all counts as in use, and a CPU takes several with the
# next object. KASAN's quarantine goes with it. For the cache that is taken from to add up its objects the file of all
# caches is read, for which nothing is.
slab_objects() {
	local cache file shrink look lines line objects
	for cache in "${caches[@]}"; do
		# shellcheck disable=SC2086 # as open_caches says
		set -- $cache
		file=/sys/kernel/slab/$1/objects
		[ "$1" != "$adds_up" ] || file=/proc/slabinfo
		exec {shrink}>"/sys/kernel/slab/$1/shrink" {look}<"$file" || exit
		echo 1 >&"$shrink" || exit
		mapfile -t lines <&"$look"
		exec {shrink}>&- {look}<&-
		objects=
		for line in "${lines[@]}"; do # the cache's name first, if it is of all
			[[ ! ${line#"$1 "} =~ ^\ *([0-9]+)( |$) ]] || objects=${BASH_REMATCH[1]}
		done
		echo "slab:$1 ${objects:?} $2"
	done
}

# who the kernel says has mapped a thread's stack, by how much of it the compiler made one function
stack_makers=' (dup_task_struct|copy_process|alloc_thread_stack|kernel_clone|fork_idle|create_io_thread)'

# kernel_memory: what is in use, "WHAT NUMBER BYTES" of so many bytes each: slab objects by cache, all else by
# kind; of mappings the number. large is what is too large for a cache. Not counted are stacks and
# mappings that are to be purged.
kernel_memory() {
	local info slabs mappings
	slab_objects
	read -r _ </proc/sys/vm/stat_refresh # what CPUs have counted and not told
	mapfile -t info </proc/meminfo
	mapfile -t slabs </proc/slabinfo
	mapfile -t mappings </proc/vmallocinfo
	printf '%s\n' "${info[@]}" "${slabs[@]}" | awk -v names="${unreclaimed[*]}" '
		BEGIN { nr = split(names, name); for (i = 1; i <= nr; i++) of[name[i]] }
		$1 == "Percpu:" { print $1, $2, 1024 }
		$1 == "SUnreclaim:" { large = $2 }
		$1 in of { large -= 4 * $15 * $6 } # slabs of so many pages
		END { print "large:", large, 1024 }'
	# what is to be purged is not mapped any more; a stack is a thread's, and the kernel keeps some
	printf '%s\n' "${mappings[@]}" | awk -v stack="$stack_makers" '/unpurged/ || $0 ~ stack { next }
		{ n++ }
		match($0, / pages=[0-9]+/) { kib += 4 * substr($0, RSTART + 7, RLENGTH - 7) }
		END { print "mappings:", n, 1024; print "mapped:", kib, 1024 }'
}

# remember WHEN: the least of it in twenty looks: others take and give meanwhile. Fails if one cannot be taken.
remember() {
	{
		open_caches
		for ((i = 0; i < 20; i++)); do
			sync
			echo 3 >/proc/sys/vm/drop_caches # caches of files
			kernel_memory
			sleep 1 # and what ended meanwhile is freed
		done
	} | awk '!($1 in least) || $2 < least[$1] { least[$1] = $2; bytes[$1] = $3 }
		END { for (what in least) print what, least[what], bytes[what] }' | sort -k 1,1 >"$tmp/memory.$1"
}

# more: "NUMBER WHAT BYTES" of what there is more of at last than at first
more() {
	join -a 2 -e 0 -o 0,1.2,2.2,2.3 "$tmp"/memory.{first,last} | awk '$3 > $2 { print $3 - $2, $1, $4 }' | sort -rn
}

# sums WHEN: all of it in KiB, slab objects of all caches in one
sums() {
	sed 's/:[^ ]*//' "$tmp/memory.$1" | awk '{ sum[$1] += $2 * $3 / 1024 }
		END { for (what in sum) print what, sum[what] }' | sort
}

# look WHEN: at what is in use, without the test's load, which holds more at one time than at another
look() {
	end_load
	remember "$1" || fail "memory in use: cannot be read"
}

# run_cycles COMMAND CYCLES [HOOKS]: some to warm up, then so many, under the load of the test's begin_load and
# end_load, which have to leave everything as it was, no hooks but HOOKS, and no page that $group pays for. What others
# take and give meanwhile is allowed for: an object of a cache that counts which is left each time shows with 50, each other time with 100; what
# is too large for a cache, and a page that is mapped, with 20.
run_cycles() {
	local cycle nr=$2 warm=10
	# of the threads that idle there is one a CPU
	[ "$(grep -cE "$stack_makers" /proc/vmallocinfo)" -gt "$(nproc)" ] || fail "no stack is known by who mapped it"
	open_account || fail "no account: $?"
	begin_load
	for ((cycle = -warm; cycle < nr; cycle++)); do
		[ $cycle != 0 ] || { look first && begin_load; }
		note "cycle $cycle of $nr after $SECONDS s" >"$shown"
		"$1" $((cycle + warm))
	done
	look last
	expect "left behind" "$(leftovers)" "${3:-}"
	expect "pages that sessions have left behind" $(($(account_at_last) / 4096)) 0
	rmdir $group || fail "rmdir: $?"
	join <(sums first) <(sums last) >"$tmp/sums"
	note "$((warm + nr)) cycles; KiB at first and at last: $(awk '{ printf "%s%s %d %d", (NR > 1 ? ", " : ""), $1, $2, $3 }' "$tmp/sums")"
	awk -v cycles="$nr" '
		BEGIN {
			slack["slab"] = 128 + 0.6 * cycles
			slack["large"] = 128 + 0.6 * cycles
			slack["mapped"] = slack["mappings"] = 24 + 0.2 * cycles
			slack["Percpu"] = 16
		}
		$3 - $2 > slack[$1] { print $1 " " $3 - $2 " more after " cycles " cycles"; bad = 1 }
		END { exit bad || NR != 5 }' "$tmp/sums" || fail "something is left behind; more: $(more | xargs)"
	note "most more: $(more | head -n 5 | cut -d ' ' -f 1,2 | xargs)"
	# fewer than 45 may be one process that is there by chance
	more | awk -v cycles="$nr" '$2 ~ /^slab:/ && $1 >= 45 && $1 >= 0.45 * cycles { print; bad = 1 }
		END { exit bad }' || fail "an object of a kind is left behind each time, or nearly each other time"
}
