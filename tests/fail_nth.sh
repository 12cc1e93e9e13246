# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# For tests in which each allocation and copy that the kernel makes for a way to control ktrc fails once.

# All ways of prog/fail_nth: those that are tried everywhere; those that take minutes, as each try attaches
# hooks or there are many; those that attach all hooks there are.
few=(open session_new "session_new bound" session_del "session_del running" "attach bound" attach info mmap
	start "session_set stop" stop consume session_get "session_get dump" schema_get counters_get names_get
	"session_new beside one that records")
more=("session_new running" "session_new of each family" "session_new filtered" "close bound" "session_new replace"
	"session_set start")
with_every_event=("session_new with every event" "session_set start with every event"
	"session_set stop with every event" "session_del with every event")

test=$(basename "$0" .sh)

# Functions that allocate: who calls them first is who wanted the memory.
allocators='^(dump_stack|warn_alloc|should_|kasan|__kasan|(__|___)?(alloc|get_free|kmalloc|kmem_cache|slab|vmalloc|get_vm_area)'
allocators+='|allocate_slab|new_slab|vzalloc|pcpu_|show_mem)'

# The kernel says so when its own allocations fail; ktrc's come without a word.  Nothing else
# may be said.
quiet() {
	dmesg | grep "begin $test\$" >/dev/null || return
	! dmesg | sed "1,/begin $test\$/d" | grep -E 'WARNING:|BUG|KASAN|possible (circular|recursive)|suspicious RCU|sleeping function|kmemleak: [0-9]' || return
	! dmesg | sed "1,/begin $test\$/d;s/^\[[^]]*\] //" | awk -v allocators="$allocators" '
		/^Call Trace:/ { open = 1; next }
		open && /^ [^?<]/ && $1 !~ allocators { print; open = 0 }' | sort | uniq -c | tee /run/told | grep -F '[ktrc]'
}

nr_dying() {
	sed -n 's/^nr_dying_descendants //p' /sys/fs/cgroup/cgroup.stat
}

# A session that is left, or a reference to the cgroup that it gave not back, keeps it dying.
cgroup_is_gone() {
	local i
	rmdir "$group" || fail "the cgroup is not empty"
	for ((i = 0; i < 20 && $(nr_dying) > dying; i++)); do
		echo 3 >/proc/sys/vm/drop_caches # files that it was the first to read
		sleep 0.5
	done
	# one that was there before may have gone meanwhile
	[ "$(nr_dying)" -le "$dying" ] || fail "$(nr_dying) dying cgroups, before $dying"
}

# inject FILE VALUE
inject() {
	echo "$2" >"/sys/kernel/debug/$1" || fail "no fault injection: $1"
}

prepare() {
	local kind i
	[ -d /sys/kernel/debug/failslab ] || skip "this kernel injects no faults"
	for kind in failslab fail_page_alloc fail_usercopy; do
		inject $kind/verbose 0
	done
	for kind in failslab fail_page_alloc; do
		inject $kind/ignore-gfp-wait N
	done
	inject fail_page_alloc/min-order 0
	inject fail_page_alloc/ignore-gfp-highmem N

	# the kernel makes one allocation for each call in flight
	rmmod ktrc
	insmod ktrc.ko max_in_flight=8 || fail "insmod: $?"

	hooks_before=$(leftovers)
	expect "hooks before" "$hooks_before" "$(grep ktrc /proc/misc)"
	# of those that are dying most go soon
	for ((i = 0; i < 40 && $(nr_dying) > 0; i++)); do
		echo 3 >/proc/sys/vm/drop_caches
		sleep 0.5
	done
	dying=$(nr_dying)
	open_account || fail "no account: $?"
}

# fail_each WAY...: what is said of each is in /run/said then; KTRC_PLACES=FIRST-LAST: only the places with these numbers
fail_each() {
	local line session only=()
	[ -z "${KTRC_PLACES:-}" ] || only=(-n "$KTRC_PLACES")
	expect "ways" "$(fail_nth | sort)" "$(printf '%s\n' "${few[@]}" "${more[@]}" "${with_every_event[@]}" | sort)"
	prepare
	dmesg -n 1
	# who writes the file pays for its pages
	in_cgroup "$group" fail_nth "${only[@]}" "$@" 2>&1 | tee /run/said | sed -u 's/^/# /' >"$shown" || fail "$(cat /run/said)"
	quiet || fail "the kernel says something of ktrc"
	while read -r line; do
		note "$line"
	done </run/told
	dmesg -C
	echo "<4>begin $test" >/dev/kmsg
	dmesg -n 5
	while IFS= read -r line; do
		note "$line"
	done </run/said
	expect "ways that were tried" "$(wc -l </run/said)" $#
	# of these nothing can but the notice: docs/testing.md, "Not covered"
	! grep ': 0 of' /run/said | grep -vE '^(stop|close bound): 0 of [1-9]' || fail "a way in which nothing can fail"
	for session in kept new; do
		ktrc-ctl reset --session=$session 2>/dev/null
	done
	! grep -F '[ktrc]' /proc/vmallocinfo || fail "memory is left over"
	expect "left behind" "$(leftovers)" "$hooks_before"
	# of pages, and of what there is of for each CPU, kmemleak knows nothing
	expect "pages that the cgroup pays for still" $(($(account_at_last) / 4096)) 0
	cgroup_is_gone
}
