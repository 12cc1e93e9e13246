#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A ring can be mapped whole, shared and read-only and in no other way; no call makes
# the mapping writable, splits, moves or passes it on.  It outlives its file and its
# session, and its memory is free after the last unmap.
. tests/functional/lib.sh

group=/sys/fs/cgroup/map_is_readonly

# the rings are on the account of who makes the session
account() {
	echo $(($(<$group/memory.current) >> 20))
}

echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir $group
in_cgroup $group ktrc-ctl start --memory=64M || fail "start: $?"
touch_pages read 5003 >/dev/null
ktrc-ctl stop || fail "stop: $?"

coproc program { exec map_is_readonly; }
program_pid=$!
while read -r line <&"${program[0]}" && [ "$line" != mapped ]; do
	echo "$line"
done
mapped=$(account)
echo >&"${program[1]}"
read -r _ <&"${program[0]}"
unmapped=$(account)
echo >&"${program[1]}"
wait $program_pid || fail "map_is_readonly: $?"
note "MiB on the account: $mapped while the deleted session is mapped, $unmapped after"
[ "$mapped" -ge 64 ] || fail "the memory of a mapping is gone"
[ "$unmapped" -le 4 ] || fail "memory is left over"
rmdir $group
