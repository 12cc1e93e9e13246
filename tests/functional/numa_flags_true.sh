#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A hint fault of memory that another process has mapped as well says that the kernel takes it for shared, one of
# other memory does not; one of pages that somebody holds says that they were to be moved and were not, and
# that they are where they were. Of as many pages as the kernel counts a move says that they could not be moved, of which
# the kernel tells no hint fault; with those of the hint faults they are all that a second tool sees not moved.
# guest: nodes
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

echo never >/sys/kernel/mm/transparent_hugepage/enabled
echo 0 >/proc/sys/vm/compaction_proactiveness
modprobe brd rd_nr=1 rd_size=16384 || fail "modprobe brd"
mkfs.ext2 -q /dev/ram0 || fail "mkfs"
mkdir "$tmp/disk"
mount /dev/ram0 "$tmp/disk" || fail "mount"
trap 'echo 0 >/proc/sys/kernel/numa_balancing; umount "$tmp/disk"; rmmod brd' EXIT
# of a file's pages those that are written are left alone; all of it is on node 1
taskset -c 1 head -c $((264 * 4096)) /dev/zero >"$tmp/disk/file"
sync
ktrc-ctl start -q --events=numa,fault --memory=64M || fail "start: $?"
trace=/sys/kernel/tracing
# shellcheck disable=SC2016 # tracefs' variable
echo 'r:unmoved migrate_misplaced_page ret=$retval' >$trace/kprobe_events || fail "kprobe_events"
echo 'ret == 0' >$trace/events/kprobes/unmoved/filter || fail "filter"
echo 1 >$trace/events/kprobes/enable
stuck=$(counter pgmigrate_fail)
echo 1 >/proc/sys/kernel/numa_balancing
# used from node 0; prints who, and the first and the end page of what is held, private and shared
/usr/bin/python3 - "$tmp/disk/file" >"$tmp/where" <<'END' || fail "the memory"
import ctypes, mmap, os, sys, time
class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]
def address(where):
    return ctypes.addressof(ctypes.c_char.from_buffer(where))
os.sched_setaffinity(0, {1})
file = os.open(sys.argv[1], os.O_RDWR)
held = mmap.mmap(file, 13 << 12)
held.madvise(mmap.MADV_DONTFORK)
shared = mmap.mmap(file, 251 << 12, offset=13 << 12)
end, go_on = os.pipe()
reached, ready = os.pipe()
if os.fork() == 0:
    os.close(go_on)
    shared.find(b"y", 0)
    os.write(ready, b"x")
    os.read(end, 1)
    os._exit(0)
os.read(reached, 1)
alone = mmap.mmap(-1, 509 << 12, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
alone.write(b"x" * len(alone))
held.find(b"y", 0)
here = Iovec(address(held), len(held))
if ctypes.CDLL(None).vmsplice(os.pipe()[1], ctypes.byref(here), 1, 0) != len(held):
    raise SystemExit("vmsplice")
os.sched_setaffinity(0, {0})
until = time.time() + 15
while time.time() < until:
    for where in held, alone, shared:
        where.find(b"y", 0)
for where in held, alone, shared:
    print(os.getpid(), address(where) >> 12, address(where) + len(where) >> 12)
END
echo 0 >/proc/sys/kernel/numa_balancing
stuck=$(($(counter pgmigrate_fail) - stuck))
echo 0 >$trace/events/kprobes/enable
unmoved=$(grep -c ' unmoved: ' $trace/trace)
echo >$trace/kprobe_events
ktrc-ctl stop -q || fail "stop: $?"
json_events >"$tmp/records" || fail "read: $?"

# "tid page node local moved move_failed shared" of each hint fault: the fault that it is in is written next
jq -r 'select(.event == "numa" or .event == "fault") | "\(.tid) \(.event) \(.fields.page) \(.fields |
	"\(.node) \(.local) \(.moved) \(.move_failed) \(.shared)")"' "$tmp/records" |
	awk '$2 == "numa" { hint[$1] = $4 " " $5 " " $6 " " $7 " " $8 }
		$2 == "fault" && $1 in hint { print $1, $3, hint[$1]; delete hint[$1] }' >"$tmp/hints"
exec 9<"$tmp/where"
for kind in held alone shared; do
	read -ru 9 tid low high
	while read -r who page rest; do
		[ "$who" != "$tid" ] || ((page < low || page >= high)) || echo "$rest"
	done <"$tmp/hints" >"$tmp/$kind"
	note "$kind, node local moved move_failed shared:" "$(sort "$tmp/$kind" | uniq -c | awk '{ $1 = $1 " of"; print }' | paste -sd ';')"
done

[ "$(wc -l <"$tmp/held")" -ge 13 ] || fail "few hint faults of what is held"
[ "$(wc -l <"$tmp/alone")" -ge 509 ] || fail "few hint faults of private memory"
[ "$(wc -l <"$tmp/shared")" -ge 251 ] || fail "few hint faults of shared memory"
expect "shared, of what others have as well" "$(cut -d ' ' -f 5 "$tmp/shared" | sort -u)" 1
expect "shared, of what is private" "$(cut -d ' ' -f 5 "$tmp/held" "$tmp/alone" | sort -u)" 0
expect "where it is and what came, of what is held" "$(cut -d ' ' -f 1-3 "$tmp/held" | sort -u)" "1 0 0"
failed=$(jq -s 'map(select(.event == "numa" and .fields.move_failed == 1).fields.pages) | add // 0' "$tmp/records")
tried=$(jq -s 'map(select(.event == "numa.migrate" and .fields.migrate_reason == "numa_misplaced").fields.failed_pages) | add // 0' \
	"$tmp/records")
note "$unmoved pages were to be moved and were not: it was tried of $tried, the kernel: $stuck; hint faults tell of $failed"
expect "pages that could not be moved" "$tried" "$stuck"
expect "pages that were not moved, tried or told" "$((tried + failed))" "$unmoved"
[ "$(grep -c '^1 0 0 1 ' "$tmp/held")" -ge 13 ] || fail "what is held was not to be moved"
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
ktrc-ctl reset -q
