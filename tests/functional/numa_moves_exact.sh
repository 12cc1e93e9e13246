#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory that move_pages, migrate_pages and mbind move between two nodes: a record of each run of pages that goes to the
# same node, with why, from where and to where it goes, and as many pages as the call was asked to move; where it was asked for
# all that a process has, as the kernel counts. Each takes as long as by a second tool. Where mbind's go a policy says, page by page: that is not known.
# guest: icount_pair
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

echo never >/sys/kernel/mm/transparent_hugepage/enabled
echo 0 >/proc/sys/vm/compaction_proactiveness
echo 0 >/proc/sys/kernel/numa_balancing
ktrc-ctl start -q --events=numa || fail "start: $?"
trace=/sys/kernel/tracing
printf '%s\n' 'p:ktrc_in migrate_pages' 'r:ktrc_out migrate_pages' >$trace/kprobe_events || fail "kprobe_events"
echo mono >$trace/trace_clock
echo 1 >$trace/events/kprobes/enable
# prints its thread, then "reason from_node to_node migrated failed_pages" of each record that there has to be
taskset -c 0 /usr/bin/python3 - >"$tmp/wanted" <<'END' || fail "the memory"
import ctypes, mmap, os
MIGRATE_PAGES, MBIND, MOVE_PAGES = 256, 237, 279 # system calls
BIND, STRICT, MOVE = 2, 1, 2 # of linux/mempolicy.h
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    ret = libc.syscall(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if ret < 0:
        raise SystemExit(f"system call {arguments[0]}: errno {ctypes.get_errno()}")
    return ret
def pages_from(first, nr):
    return (ctypes.c_void_p * nr)(*[memory + (first + i) * 4096 for i in range(nr)])
def move(first, nodes):
    nr = len(nodes)
    status = (ctypes.c_int * nr)()
    if call(MOVE_PAGES, 0, nr, pages_from(first, nr), (ctypes.c_int * nr)(*nodes), status, MOVE) or list(status) != nodes:
        raise SystemExit(f"move_pages: {list(status)}")
def mask(node):
    return ctypes.byref(ctypes.c_ulong(1 << node))
def migrate(source, to):
    before = counter("pgmigrate_success")
    left = call(MIGRATE_PAGES, 0, 64, mask(source), mask(to))
    print("syscall", source, to, counter("pgmigrate_success") - before, left)
def counter(name):
    return int(next(line for line in open("/proc/vmstat") if line.startswith(name + " ")).split()[1])
def all_on(node):
    status = (ctypes.c_int * 401)()
    call(MOVE_PAGES, 0, 401, pages_from(0, 401), None, status, 0)
    if set(status) != {node}:
        raise SystemExit(f"on nodes {set(status)}, not {node}")
mapping = mmap.mmap(-1, 401 * 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
mapping.write(b"x" * len(mapping))
memory = ctypes.addressof(ctypes.c_char.from_buffer(mapping))
print(os.getpid())
all_on(0)
move(0, [1] * 101)
print("syscall 0 1 101 0")
move(88, [0] * 13 + [1] * 37)
print("syscall 1 0 13 0")
print("syscall 0 1 37 0")
migrate(0, 1)
all_on(1)
migrate(1, 0)
all_on(0)
call(MBIND, memory, 73 * 4096, BIND, mask(1), 64, MOVE | STRICT)
print("mempolicy_mbind 0 1023 73 0")
END
echo 0 >$trace/events/kprobes/enable
cp $trace/trace "$tmp/tracefs"
echo >$trace/kprobe_events
ktrc-ctl stop -q || fail "stop: $?"

json_events >"$tmp/records" || fail "read: $?"
read -r tid <"$tmp/wanted"
jq -r "select(.event == \"numa.migrate\" and .tid == $tid).fields |
	\"\(.migrate_reason) \(.from_node) \(.to_node) \(.migrated) \(.failed_pages)\"" "$tmp/records" >"$tmp/got"
note "reason, from, to, pages, pages left: $(paste -sd ';' "$tmp/got")"
expect "what was moved" "$(cat "$tmp/got")" "$(tail -n +2 "$tmp/wanted")"
sed -n "s/^ *[^ ]*-$tid  *[^ ]* [^ ]*  *\\([0-9.]*\\): ktrc_\\(in\\|out\\): .*/\\1 \\2/p" "$tmp/tracefs" |
	awk '$2 == "in" { begin = $1; next } { printf "%.0f\n", ($1 - begin) * 1e6 }' >"$tmp/theirs"
jq -r "select(.event == \"numa.migrate\" and .tid == $tid).fields.dur_ns / 1000" "$tmp/records" >"$tmp/ours"
expect "as many as by tracefs" "$(wc -l <"$tmp/ours")" "$(wc -l <"$tmp/theirs")"
as_long moves "$tmp/ours" "$tmp/theirs" 20
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
ktrc-ctl reset -q
