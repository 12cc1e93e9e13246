#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory that is mapped, unmapped and moved in each way that there is, 211 times, well or not, by
# 64-bit and by 32-bit system calls: a record each, in order, with range, errno, protection and flags as
# the program knows them.  The file behind a mapping is named by its path, also when
# the process and the file are gone, and in a saved trace; one that is being written by the last part of that.  Each call of the kernel's own do_mmap is recorded, of
# whichever process.  What a process has when it ends is told as /proc tells it, part by part, and what it has when it
# begins another program.  Books balance.
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
echo 2 >/proc/sys/vm/nr_hugepages
map_data "$tmp/data" >"$tmp/maps" || fail "map_data: $?"
echo 0 >/proc/sys/vm/nr_hugepages
ls / >/dev/null
perl -e 'exec @ARGV' cat /dev/null
echo 0 >$trace/events/kprobes/ktrc_test/enable
ktrc-ctl stop -q || fail "stop: $?"
json_events >"$tmp/rows" || fail "read: $?"
of_program >"$tmp/ours"
[ "$(wc -l <"$tmp/known")" -eq $((211 * (36 + 4 * ${#of_32[@]}))) ] || fail "$(wc -l <"$tmp/known") calls"
diff "$tmp/known" "$tmp/ours" >"$tmp/diff" || fail "not the same, the program's first: $(head -n 20 "$tmp/diff")"
expect "calls of do_mmap by others and the program" \
	"$(jq -r 'select(.event == "map" and .fields.map_call == "mmap") | .comm' "$tmp/rows" | grep -cE '^(maps|ls)$')" \
	"$(grep -cE ' *(maps|ls)-[0-9]+ .*ktrc_test: ' $trace/trace)"
echo >$trace/kprobe_events

# names
named() {
	jq -r --arg comm "$1" 'select(.event == "map" and .comm == $comm and .fields.file_id != 0).fields |
		select(.map_call != "exit").file' "$2" | sort | uniq -c | sed 's/^ *//' | sort -n
}
named map_data "$tmp/rows" >"$tmp/names"
expect "a file that is written, and read when it was deleted" "$(grep '[ /]data$' "$tmp/names" | sort)" "1 $tmp/data
2 data"
named maps "$tmp/rows" >"$tmp/names"
expect "mappings of the file" "$(sed -n "s,^\([0-9]*\) $tmp/a file\$,\1,p" "$tmp/names")" 422
grep -qE '^[0-9]+ /[^ ]*/libc\.so\.6$' "$tmp/names" || fail "no library: $(cat "$tmp/names")"
grep -q null "$tmp/names" && fail "no name: $(cat "$tmp/names")"

# at its end: "PAGE PAGES PROTECTION OFFSET NAME" of each part
by_proc() {
	python3 - "$1" <<'END'
import os, sys
for line in open(sys.argv[1], encoding='ascii'):
    addresses, mode, offset, _, _, *name = line.rstrip('\n').split(maxsplit=5)
    name = os.path.basename(name[0].removesuffix(' (deleted)')) if name else ''
    begin, end = (int(at, 16) >> 12 for at in addresses.split('-'))
    if name in ('[vdso]', '[vvar]', '[vsyscall]'):
        continue
    if name in ('zero', 'anon_hugepage') or not name:
        name, offset = 'shared' if mode[3] == 's' else 'anon', '0'
    print(begin, end - begin, mode, int(offset, 16) >> 12, name)
END
}
by_records() {
	jq -r 'select(.event == "map" and .fields.map_call == "exit" and .comm == "map_data").fields |
		[.page, .pages, (if .prot_read == 1 then "r" else "-" end) + (if .prot_write == 1 then "w" else "-" end) +
		(if .prot_exec == 1 then "x" else "-" end) + (if .map_shared == 1 then "s" else "p" end), .from,
		(if .heap == 1 then "[heap]" elif .stack == 1 then "[stack]" elif .anon == 0 then (.file | split("/") | last)
		elif .map_shared == 1 then "shared" else "anon" end)] | join(" ")' "$tmp/rows"
}
by_proc "$tmp/maps" >"$tmp/had"
by_records >"$tmp/left"
[ "$(wc -l <"$tmp/had")" -ge 20 ] || fail "it had too little: $(cat "$tmp/maps")"
diff "$tmp/had" "$tmp/left" >"$tmp/diff" || fail "not what it had, by /proc first: $(cat "$tmp/diff")"
for flag in locked noreserve hugetlb growsdown heap stack; do
	jq -e "select(.event == \"map\" and .fields.map_call == \"exit\" and .comm == \"map_data\").fields.$flag == 1" "$tmp/rows" |
		grep -c true
done | xargs >"$tmp/flags"
expect "flags" "$(cat "$tmp/flags")" "3 1 2 2 3 1"
expect "memory that is shared, of a file that the kernel made too" "$(jq -r 'select(.event == "map" and .fields.map_call == "mmap" and
	.comm == "map_data" and .fields.map_shared == 1 and .fields.anon == 1).fields | "\(.pages) \(.from) \(.file_id)"' "$tmp/rows" |
	xargs)" "1 0 0 3 0 0 512 0 0"
expect "a heap that grows, also locked" "$(jq -r 'select(.event == "map" and .fields.map_call == "brk" and .comm == "map_data").fields |
	select(.pages > 0) | "\(.pages) \(.populate) \(.locked)"' "$tmp/rows" | xargs)" "5 0 0 3 1 1 2 0 1"

# programs PROGRAM: what its process ran when it gave up its memory
programs() {
	local pid
	pid=$(jq -r --arg comm "$1" 'select(.comm == $comm).pid' "$tmp/rows" | sort -u)
	jq -r --arg pid "$pid" 'select(.event == "map" and (.pid | tostring) == $pid and .fields.map_call == "exit" and
		.fields.from_pages == 0).comm' "$tmp/rows"
}
expect "programs of a process that ran one" "$(programs ls)" ls
expect "programs of a process that ran two" "$(programs cat | xargs)" "perl cat"

ktrc-read -q --save "$tmp/trace" || fail "save: $?"
json_events "$tmp/trace" >"$tmp/saved" || fail "saved: $?"
cmp "$tmp/rows" "$tmp/saved" || fail "the saved trace does not say the same"
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
jq -e '[.. | .lost? | numbers] | add == 0' "$tmp/stats" >/dev/null || fail "hits were lost: $(cat "$tmp/stats")"
ktrc-ctl reset -q
