#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory that is mapped, unmapped and moved in each way that there is, 211 times, well or not, by
# 64-bit and by 32-bit system calls: a record each, in order, with range, errno, protection and flags as
# the program knows them.  The file behind a mapping is named by its path, also when
# the process and the file are gone, and in a saved trace; one that is being written by the last part of that.  Each call of the kernel's own do_mmap is recorded, of
# whichever process.  Books balance.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
head -c 65536 /dev/zero >"$tmp/a file"

# between the two calls of munmap that the program makes of nothing
of_program() {
	jq -r 'select(.comm == "maps" and .event == "map").fields | . as $f |
		"\(.map_call) \(.page) \(.pages) \(.error) \(.from) \(.from_pages) " +
		([("prot_read", "prot_write", "prot_exec", "anon", "map_shared", "fixed", "populate", "locked", "noreserve", "hugetlb", "growsdown", "dontunmap") |
			select($f[.] == 1)] | join(" "))' "$tmp/rows" | awk '/^munmap 0 0 EINVAL/ { between = !between; next } between'
}

# a kernel may have no system calls of 32-bit programs
of_32=()
! grep -q ' __ia32_sys_brk$' /proc/kallsyms || of_32=(32)
echo 'p:ktrc_test do_mmap' >$trace/kprobe_events
ktrc-ctl start -q --events=map --memory=16M || fail "start: $?"
echo 1 >$trace/events/kprobes/ktrc_test/enable
maps 211 "$tmp/a file" "${of_32[@]}" >"$tmp/known" || fail "maps: $?"
rm "$tmp/a file"
map_data "$tmp/data" || fail "map_data: $?"
ls / >/dev/null
echo 0 >$trace/events/kprobes/ktrc_test/enable
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read events --format=ndjson >"$tmp/rows" || fail "read: $?"
of_program >"$tmp/ours"
[ "$(wc -l <"$tmp/known")" -eq $((211 * (35 + 4 * ${#of_32[@]}))) ] || fail "$(wc -l <"$tmp/known") calls"
diff "$tmp/known" "$tmp/ours" >"$tmp/diff" || fail "not the same, the program's first: $(head -n 20 "$tmp/diff")"
expect "calls of do_mmap by others and the program" \
	"$(jq -r 'select(.event == "map" and .fields.map_call == "mmap") | .comm' "$tmp/rows" | grep -cE '^(maps|ls)$')" \
	"$(grep -cE ' *(maps|ls)-[0-9]+ .*ktrc_test: ' $trace/trace)"
echo >$trace/kprobe_events

# names
named() {
	jq -r --arg comm "$1" 'select(.event == "map" and .comm == $comm and .fields.file_id != 0).fields | .file' "$2" | sort | uniq -c | sed 's/^ *//' | sort -n
}
named map_data "$tmp/rows" >"$tmp/names"
expect "a file that is written, and read when it was deleted" "$(grep '[ /]data$' "$tmp/names" | sort)" "1 $tmp/data
2 data"
named maps "$tmp/rows" >"$tmp/names"
expect "mappings of the file" "$(sed -n "s,^\([0-9]*\) $tmp/a file\$,\1,p" "$tmp/names")" 422
grep -qE '^[0-9]+ /[^ ]*/libc\.so\.6$' "$tmp/names" || fail "no library: $(cat "$tmp/names")"
grep -q null "$tmp/names" && fail "no name: $(cat "$tmp/names")"
ktrc-read -q --save "$tmp/trace" || fail "save: $?"
ktrc-read events --format=ndjson "$tmp/trace" >"$tmp/saved" || fail "saved: $?"
cmp "$tmp/rows" "$tmp/saved" || fail "the saved trace does not say the same"
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
jq -e '[.. | .lost? | numbers] | add == 0' "$tmp/stats" >/dev/null || fail "hits were lost: $(cat "$tmp/stats")"
ktrc-ctl reset -q
