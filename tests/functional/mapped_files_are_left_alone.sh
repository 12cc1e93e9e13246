#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# To record what is mapped changes nothing for who maps it: a file that was opened for writing, or locked, can at
# once be locked again, leased and run, and memory that the kernel cannot see, of a user without
# rights, is not looked at. Both have names all the same.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
none="0 locked, 0 leased, 0 busy"
none="$none
$none
$none"
chmod 777 "$tmp"
expect "files, without ktrc" "$(use_mapped "$tmp" 3)" "$none"
# a kernel may have no such memory
secrets=0
! use_mapped secret 1 2>/dev/null || secrets=31
ktrc-ctl start -q --events=map --memory=8M || fail "start: $?"
use_mapped "$tmp" 53 >"$tmp/used" || fail "use_mapped: $?"
setpriv --reuid 65534 --clear-groups use_mapped secret $secrets || fail "secrets: $?"
ktrc-ctl stop -q || fail "stop: $?"
expect "refused, of files that are written, and locked in either way" "$(cat "$tmp/used")" "$none"
json_events >"$tmp/rows" || fail "read: $?"
# named NAME: mappings of a file of that name
named() {
	jq -r --arg name "$1" 'select(.event == "map" and .comm == "use_mapped" and .fields.map_call == "mmap" and .fields.file == $name).pid' "$tmp/rows" | wc -l
}
expect "mappings of a locked file" "$(named 17)" 3
expect "mappings of secrets" "$(named secretmem)" $((2 * secrets))
note "$secrets secrets"
ktrc-ctl reset -q
