#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory that CPU 1 wrote is used from CPU 0 until the kernel moves it to that node; other memory is
# moved by a change of its cpuset: as many hint faults as the kernel counts, in all and of memory that was
# on the right node, and as many pages moved, by reason, from their node and to the other, or not moved as somebody holds them;
# of huge pages each of their pages.  Each fault says on which node the memory is then.  What a hint fault took is less
# than the fault that it is, as `fault` sees it, and more than what it took to move the page.
# guest: nodes
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
cgroup=/sys/fs/cgroup/nodes

# close_to WHAT GOT WANTED [LEAST]: between two readings, which are not quite those of the session
close_to() {
	note "$1: $2 of $3"
	[ "$3" -ge "${4:-1000}" ] || fail "$1: the kernel has only $3"
	[ $(($2 > $3 ? $2 - $3 : $3 - $2)) -le $(($3 / 1000)) ] || fail "$1: $2, the kernel has $3"
}

# sum FILTER FIELD: over the records
sum() {
	jq -s "[.[] | select($1) | .fields.$2] | add // 0" "$tmp/records"
}

# nr FILTER: of records
nr() {
	jq -s "map(select($1)) | length" "$tmp/records"
}

echo never >/sys/kernel/mm/transparent_hugepage/enabled
echo 0 >/proc/sys/vm/compaction_proactiveness
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir $cgroup || fail "no cgroup"
trap 'echo 0 >/proc/sys/kernel/numa_balancing; kill "$perl"; wait; rmdir $cgroup' EXIT
perl=
ktrc-ctl start -q --events=numa --memory=16M || fail "start: $?"
faults=$(counter numa_hint_faults) near=$(counter numa_hint_faults_local) moved=$(counter numa_pages_migrated)
echo 1 >/proc/sys/kernel/numa_balancing
touch_again balance 10007 >/dev/null || fail "touch_again"
echo 0 >/proc/sys/kernel/numa_balancing

mkfifo "$tmp/never"
exec 9<>"$tmp/never"
# shellcheck disable=SC2016 # perl's
taskset -c 0 perl -e '$n = 4096 * 9765; $x = "x" x $n; $| = 1; print "filled\n"; <STDIN>' <"$tmp/never" >"$tmp/said" &
perl=$!
until grep -q filled "$tmp/said"; do sleep 0.1; done
by_hand=$(counter pgmigrate_success)
echo 0 >$cgroup/cpuset.mems
echo $perl >$cgroup/cgroup.procs
echo 1 >$cgroup/cpuset.mems
sleep 1
by_hand=$(($(counter pgmigrate_success) - by_hand))
stuck=$(counter pgmigrate_fail)
/usr/bin/python3 - <<'END' || fail "memory that cannot be moved"
import ctypes, mmap, os
class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]
libc = ctypes.CDLL(None)
nr, memory = 13 * 4096, mmap.mmap(-1, 64 * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.write(b"x" * len(memory))
here = Iovec(ctypes.addressof(ctypes.c_char.from_buffer(memory)), nr)
if libc.vmsplice(os.pipe()[1], ctypes.byref(here), 1, 0) != nr:
    raise SystemExit("vmsplice")
for old, new in (1, 2), (2, 1):
    libc.syscall(256, 0, 64, ctypes.byref(ctypes.c_ulong(old)), ctypes.byref(ctypes.c_ulong(new))) # migrate_pages
END
stuck=$(($(counter pgmigrate_fail) - stuck))
# last: what was made inaccessible is so until it is used
faults=$(($(counter numa_hint_faults) - faults)) near=$(($(counter numa_hint_faults_local) - near)) moved=$(($(counter numa_pages_migrated) - moved))
ktrc-ctl stop -q || fail "stop: $?"

json_events >"$tmp/records" || fail "read: $?"
close_to "hint faults" "$(nr '.event == "numa"')" $faults
close_to "of memory on the right node" "$(nr '.event == "numa" and .fields.local == 1')" $near 0
close_to "pages moved for it" "$(sum '.event == "numa.migrate" and .fields.migrate_reason == "numa_misplaced"' migrated)" $moved
close_to "and the faults that say so" "$(sum '.event == "numa" and .fields.moved == 1' pages)" $moved
expect "from and to" "$(jq -rc 'select(.event == "numa.migrate" and .fields.migrate_reason == "numa_misplaced").fields |
	[.from_node, .to_node]' "$tmp/records" | sort | uniq -c | sort -rn | head -n 1 | awk '{ print $2 }')" "[1,0]"
close_to "pages moved by hand" "$(sum '.event == "numa.migrate" and .fields.migrate_reason == "syscall" and .comm != "python3"' migrated)" $by_hand
[ "$(sum '.event == "numa.migrate" and .fields.migrate_reason == "syscall" and .fields.from_node == 0 and .fields.to_node == 1' migrated)" -ge 9765 ] ||
	fail "moved by hand, but not from node 0 to node 1"
close_to "pages that somebody held" "$(sum '.event == "numa.migrate" and .comm == "python3"' failed_pages)" $stuck 13
# the kernel moves it to the node of the CPU that uses it, which is the node's only one, unless that changes meanwhile
elsewhere=$(nr '.event == "numa" and (.fields.node == .cpu) != (.fields.local == 1 or .fields.moved == 1)')
note "$elsewhere faults whose memory is not where it should be"
[ $((1000 * elsewhere)) -le "$faults" ] || fail "$elsewhere of $faults faults whose memory is not where it should be"
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
ktrc-ctl reset -q

# each of a huge page's pages counts
echo always >/sys/kernel/mm/transparent_hugepage/enabled
ktrc-ctl start -q --events=numa --memory=16M || fail "start: $?"
moved=$(counter numa_pages_migrated)
echo 1 >/proc/sys/kernel/numa_balancing
/usr/bin/python3 - <<'END' || fail "memory in huge pages"
import mmap, os, time
os.sched_setaffinity(0, {1})
memory = mmap.mmap(-1, 32 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.write(b"x" * len(memory))
os.sched_setaffinity(0, {0})
end = time.time() + 10
while time.time() < end:
    memory.find(b"y", 0)
END
echo 0 >/proc/sys/kernel/numa_balancing
moved=$(($(counter numa_pages_migrated) - moved))
ktrc-ctl stop -q || fail "stop: $?"
json_events >"$tmp/records" || fail "read: $?"
close_to "pages moved, of huge ones" "$(sum '.event == "numa" and .fields.moved == 1' pages)" $moved
[ "$(nr '.event == "numa" and .fields.moved == 1 and .fields.pages == 512')" -ge 3 ] || fail "no huge page was moved"
expect "pages of faults" "$(jq 'select(.event == "numa").fields.pages' "$tmp/records" | sort -un | xargs)" "1 512"
ktrc-ctl reset -q
echo never >/sys/kernel/mm/transparent_hugepage/enabled

# of each thread what was written one after the other, from the inside to the outside
ktrc-ctl start -q --events=numa,fault --memory=64M || fail "start: $?"
echo 1 >/proc/sys/kernel/numa_balancing
touch_again balance 2003 >/dev/null || fail "touch_again"
echo 0 >/proc/sys/kernel/numa_balancing
ktrc-ctl stop -q || fail "stop: $?"
json_events | grep -E '"event":"numa|"class":"numa"' >"$tmp/records" || fail "read: $?"
jq -r '"\(.tid) \(.event) \(.fields.dur_ns) \(.fields.moved) \(.fields.migrate_reason)"' "$tmp/records" |
	awk '$2 == "numa.migrate" && $5 == "numa_misplaced" { moved[$1] = $3 }
		$2 == "numa" { nr++; hint[$1] = $3
			if ($3 == 0) unknown++
			else if ($4 == 1 && !($1 in moved)) missing++
			else if ($4 == 1 && moved[$1] > $3) outside++
			delete moved[$1] }
		$2 == "fault" && $1 in hint { pairs++; if (hint[$1] > $3) longer++; all += $3; ours += hint[$1]; delete hint[$1] }
		END { print nr, pairs, unknown + 0, missing + 0, outside + 0, longer + 0, all, ours }' >"$tmp/held"
note "hint faults, in faults, of unknown duration, without move, shorter than it, longer than the fault, ns of faults, of hints: $(cat "$tmp/held")"
read -r nr pairs unknown missing outside longer all ours <"$tmp/held"
[ "$nr" -ge 1009 ] || fail "only $nr hint faults"
expect "hint faults in faults" "$pairs" "$nr"
expect "of unknown duration, without move, shorter than it, longer than the fault" "$unknown $missing $outside $longer" "0 0 0 0"
[ $((2 * ours)) -ge "$all" ] || fail "hint faults took $ours ns of $all ns"
ktrc-ctl reset -q
