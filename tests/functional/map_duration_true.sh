#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The duration of a long mmap, munmap, mremap or brk is what two probes of the kernel's own, at the beginning
# and the end of the same function, say of the same call, within 10 %, in a guest whose clock counts instructions.
# guest: icount
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
calls=13
least=1000000 # ns, of a call that takes memory away

# "CALL NS" of each call, in order of time
by_kernel() {
	awk -v tid="$tid" '
		{ match($0, /-[0-9]+ +\[/); who = substr($0, RSTART + 1, RLENGTH - 2) + 0 }
		who != tid { next }
		{ match($0, / [0-9]+\.[0-9]+: [a-z]+_(in|out): /); now = substr($0, RSTART + 1) + 0
			split(substr($0, RSTART, RLENGTH), word, /[ _]/); call = word[3] }
		/_in: / { begin[call] = now }
		/_out: / { printf "%s %d\n", call, (now - begin[call]) * 1e9 }' "$tmp/trace"
}

# but for those that the kernel makes while a program is loaded, and what a program that ends gives up
by_ktrc() {
	jq -r --argjson tid "$tid" 'select(.event == "map" and .tid == $tid).fields | "\(.map_call) \(.dur_ns | floor)"' \
		"$tmp/rows" | sed 's/^brk_down /brk /' | grep -E '^(mmap|munmap|mremap|brk) '
}

echo never >/sys/kernel/mm/transparent_hugepage/enabled
cat >$trace/kprobe_events <<-'END' || fail "the kernel's own probes"
	p:mmap_in do_mmap
	r:mmap_out do_mmap
	p:munmap_in __vm_munmap
	r:munmap_out __vm_munmap
	p:mremap_in __x64_sys_mremap
	r:mremap_out __x64_sys_mremap
	p:brk_in __x64_sys_brk
	r:brk_out __x64_sys_brk
END
echo mono >$trace/trace_clock
ktrc-ctl start -q --events=map --memory=16M || fail "start: $?"
echo 1 >$trace/events/kprobes/enable
tid=$(map_long $calls) || fail "map_long: $?"
echo 0 >$trace/events/kprobes/enable
ktrc-ctl stop -q || fail "stop: $?"
json_events >"$tmp/rows" || fail "read: $?"
cat $trace/trace >"$tmp/trace"
echo >$trace/kprobe_events
echo local >$trace/trace_clock

by_kernel >"$tmp/theirs"
by_ktrc >"$tmp/ours"
expect "calls" "$(cut -d ' ' -f 1 "$tmp/ours" | xargs)" "$(cut -d ' ' -f 1 "$tmp/theirs" | xargs)"
paste -d ' ' "$tmp/theirs" "$tmp/ours" | awk -v least=$least '$2 >= least' >"$tmp/long"
for call in brk mmap mremap munmap; do
	[ "$(grep -c "^$call " "$tmp/long")" -ge $calls ] || fail "$call: not $calls long calls: $(cat "$tmp/long")"
done
awk '
	$4 < 0.9 * $2 || $4 > 1.1 * $2 { print; bad++ }
	{ ns += $2; ratio += $4 / $2 }
	END { print "# " NR " calls of " int(ns / NR) " ns: by ktrc " ratio / NR " times as long"; exit bad > 0 }' "$tmp/long" ||
	fail "off by more than 10 %, the kernel's first"
ktrc-ctl reset -q
