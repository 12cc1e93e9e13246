#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What can be mapped of a ring, what can be done to the mapping, who gets at what is in it and
# how long it lasts: every call gets the errno that docs/abi.md has for it and leaves the
# mapping as it was.  Nothing stays pinned: after the last unmap the memory is given back and
# the module can go; pages that somebody left in a pipe follow when that is read.
. tests/functional/lib.sh
. tests/account.sh

cpu=/sys/devices/system/cpu/cpu1/online
rows=0 bytes=0 failed=

# What a program says: "N rows", "N bytes", rows that differ as notes.  Ends with line $1.
heed() {
	local line
	while read -r line && [ "$line" != "$1" ]; do
		case $line in
		*' rows') rows=$((rows + ${line% rows})) ;;
		*' bytes') bytes=${line% bytes} ;;
		*) echo "$line" ;;
		esac
	done
}

for program in mmap_table mmap_abuse mmap_access mmap_life; do
	$program document
done >/run/rows
sed -n '/^<!-- mmap: begin -->$/,/^<!-- mmap: end -->$/ { /^|/p }' docs/abi.md | tail -n +3 |
	diff - /run/rows || fail "docs/abi.md has not the rows that the programs have"

trap 'echo 1 >$cpu' EXIT
echo /run/core >/proc/sys/kernel/core_pattern
modprobe brd rd_nr=1 rd_size=1024 || fail "modprobe brd"
open_account || fail "no account: $?"
in_cgroup $group ktrc-ctl start -q --memory=16M --packet=64K || fail "start: $?"
taskset -c 0 touch_pages read 10007 >/dev/null
ktrc-ctl stop -q || fail "stop: $?"
echo 0 >$cpu || fail "cannot take CPU 1 offline"
in_cgroup $group ktrc-ctl start -q --session=late --memory=1M || fail "start late: $?"
ktrc-ctl stop -q --session=late || fail "stop late: $?"

for program in mmap_table mmap_abuse mmap_access; do
	$program >/run/said || failed+=" $program"
	heed '' </run/said
done
rmmod brd
ktrc-ctl reset -q --session=late || fail "reset late: $?"
echo 1 >$cpu

coproc life { exec mmap_life $group; }
life_pid=$! from=${life[0]} to=${life[1]}
heed mapped <&"$from"
mapped=$(($(account_settled) / 4096))
! rmmod ktrc 2>/dev/null || fail "the module is gone, but mapped"
echo >&"$to"
heed piped <&"$from"
piped=$(($(account_settled) / 4096))
rmmod ktrc || fail "the module is still in use"
! grep -F '[ktrc]' /proc/vmallocinfo || fail "memory is left over"
echo >&"$to"
heed drained <&"$from"
echo >&"$to"
wait $life_pid || failed+=" mmap_life"
drained=$(account_at_last)
rmdir $group

note "$rows rows; pages on the account: $mapped mapped, $piped in a pipe; $drained bytes at last"
[ -z "$failed" ] || fail "other answers than wanted:$failed"
expect "rows" "$rows" 166
[ "$mapped" -ge 4096 ] || fail "the memory of a mapping is gone"
[ "$piped" -ge $((bytes / 4096)) ] || fail "the memory of what is in the pipe is gone"
expect "pages that are left over" "$((drained / 4096))" 0
