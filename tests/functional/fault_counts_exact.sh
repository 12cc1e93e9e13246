#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A prime number of pages touched in each way: that many records, no more and no
# fewer, in the right class, for the timed and the light event.
# guest: plain
# guest: tsc
. tests/functional/lib.sh

pages=10007
tmp=$(mktemp -d /run/XXXXXX)

# count EVENT MODE: the groups of that event's records in the pages MODE touched
count() {
	fault_groups "$1" "$tmp/$2" "${where[$2]}"
}

echo never >/sys/kernel/mm/transparent_hugepage/enabled
echo 4096 >/sys/kernel/debug/fault_around_bytes
declare -A where
for mode in read write pread populate shmem file cow; do
	ktrc-ctl start --events=fault,fault.light --memory=32M 2>/dev/null || fail "start: $?"
	where[$mode]=$(touch_pages $mode $pages) || fail "touch_pages $mode"
	ktrc-ctl stop 2>/dev/null || fail "stop: $?"
	ktrc-read events >"$tmp/$mode" || fail "read: $?"
done
ktrc-ctl reset 2>/dev/null

expect "read, timed" "$(count fault read)" "$pages user write=0 anon minor"
expect "write, timed" "$(count fault write)" "$pages user write=1 anon minor"
expect "pread, timed" "$(count fault pread)" "$pages kernel write=1 anon minor"
expect "populate, timed" "$(count fault populate)" "$pages gup write=1 anon minor"
expect "shmem, timed" "$(count fault shmem)" "$pages user write=1 shmem minor"
expect "file, timed" "$(count fault file)" "$pages user write=0 shmem minor"
expect "cow, timed" "$(count fault cow)" "$pages user write=1 cow minor"
expect "read, light" "$(count fault.light read)" "$pages user write=0 unseen -"
expect "write, light" "$(count fault.light write)" "$pages user write=1 unseen -"
expect "pread, light" "$(count fault.light pread)" "$pages kernel write=1 unseen -"
expect "populate, light" "$(count fault.light populate)" ""
