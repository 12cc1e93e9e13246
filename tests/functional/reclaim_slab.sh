#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each call of a shrinker is recorded, as many as the kernel's tracepoints show in the same run, by
# hand and in a memory cgroup's reclaim: with its task, function, node, the objects that it freed
# and how long it took, and the cgroup whose objects they are, by its path, also when that is
# gone; the view adds them up, in a table of their own. A cgroup that was asked to give memory back is short of none.
# guest: icount
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
cgroup=/sys/fs/cgroup/dentries
files=2003

# "pid function node freed ns" of each call
by_tracefs() {
	awk '{ match($0, /-[0-9]+ +\[/); who = substr($0, RSTART + 1, RLENGTH - 2) + 0
		match($0, / [0-9]+: mm_shrink/); now = substr($0, RSTART + 1) + 0 }
		/ mm_shrink_slab_start: / { begin[who] = now }
		/ mm_shrink_slab_end: / {
			match($0, /_end: [^ +]+/); function_ = substr($0, RSTART + 6, RLENGTH - 6)
			match($0, /nid: [0-9]+/); node = substr($0, RSTART + 5, RLENGTH - 5)
			print who, function_, node, $NF, now - begin[who] }' "$tmp/tracefs"
}

by_ktrc() {
	jq -r 'select(.event == "reclaim.slab") | "\(.pid) \(.fields.shrinker | sub(" .*"; "")) \(.fields.node) \(.fields.freed) \(.fields.dur_ns)"' \
		"$tmp/ktrc"
}

# sum FIELD FILTER: of the records
sum() {
	jq -s "map(select(.event == \"reclaim.slab\") | select($2).fields.$1) | add // 0" "$tmp/ktrc"
}

echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir $cgroup "$tmp/tree"
modprobe brd rd_nr=1 rd_size=16384 || fail "modprobe brd"
mke2fs -q /dev/ram0 || fail "mke2fs"
mount /dev/ram0 "$tmp/tree" || fail "mount"
echo 2 >/proc/sys/vm/drop_caches
ktrc-ctl start -q --events=reclaim --memory=16M || fail "start: $?"
echo x86-tsc >$trace/trace_clock
echo 16384 >$trace/buffer_size_kb
echo 1 | tee $trace/events/vmscan/mm_shrink_slab_{start,end}/enable >/dev/null
# names that are not there: objects of the cgroup, which nothing else holds
cgid=$(stat -c %i $cgroup)
in_cgroup $cgroup bash -c "for ((i = 0; i < $files; i++)); do [ ! -e $tmp/tree/\$i ] || exit 1; done" ||
	fail "names: $?"
# it cannot have so much back
echo 2M >$cgroup/memory.reclaim 2>/dev/null
echo 2 >/proc/sys/vm/drop_caches
echo 0 | tee $trace/events/vmscan/mm_shrink_slab_{start,end}/enable >/dev/null
ktrc-ctl stop -q || fail "stop: $?"
cat $trace/trace >"$tmp/tracefs"
echo local >$trace/trace_clock
rmdir $cgroup
umount "$tmp/tree"
rmmod brd

json_events >"$tmp/ktrc" || fail "read: $?"
ktrc-read reclaim --format=json >"$tmp/view" || fail "reclaim: $?"
ktrc-read reclaim >"$tmp/text" || fail "reclaim: $?"

expect "kinds of who was asked" "$(jq -r --argjson cgid "$cgid" 'select(.event == "reclaim" and .fields.cgid == $cgid).fields.kind' \
	"$tmp/ktrc" | sort -u)" asked
expect "begun by who was asked" "$(jq -r --argjson cgid "$cgid" 'select(.event == "reclaim.begin" and .fields.cgid == $cgid).fields.kind' \
	"$tmp/ktrc" | sort -u)" asked
grep -q 'entries-in-buffer/entries-written: \([0-9]*\)/\1 ' "$tmp/tracefs" || fail "tracefs lost some"
by_tracefs >"$tmp/theirs"
by_ktrc >"$tmp/ours"
nr=$(wc -l <"$tmp/theirs")
note "$nr calls; $(sum freed true) objects freed, $(sum freed ".fields.cgid == $cgid") of the cgroup"
[ "$nr" -ge 11 ] || fail "only $nr calls"
diff <(cut -d ' ' -f 1-4 "$tmp/theirs") <(cut -d ' ' -f 1-4 "$tmp/ours") >"$tmp/diff" ||
	fail "not the same calls, tracefs first: $(head -n 20 "$tmp/diff")"
# on a kernel that checks itself an interrupt between the two that look is a long one: once
interrupts=0
[[ $(uname -r) != *-ktrcdbg ]] || interrupts=1
paste -d ' ' "$tmp/theirs" "$tmp/ours" | awk -v interrupts=$interrupts '
	$10 < 0.9 * $5 - 3000 || $10 > 1.1 * $5 + 3000 { print "# tracefs first: " $0; bad++ }
	{ theirs += $5; ours += $10 }
	END {
		print "# by ktrc " ours / theirs " times as long"
		exit bad > interrupts || ours < 0.9 * theirs || ours > 1.1 * theirs
	}' || fail "not as long"
grep -q " super_cache_scan " "$tmp/ours" || fail "nobody shrank a file system's cache"
[ "$(sum freed ".fields.cgid == $cgid")" -ge $files ] || fail "of the cgroup only $(sum freed ".fields.cgid == $cgid")"
expect "the cgroup's path" "$(jq -rs "map(select(.event == \"reclaim.slab\" and .fields.cgid == $cgid).fields.cgroup) | unique | .[]" "$tmp/ktrc")" /dentries
expect "calls in the view" "$(jq '[.shrinkers[].calls] | add' "$tmp/view")" "$nr"
expect "freed in the view" "$(jq '[.shrinkers[].freed] | add' "$tmp/view")" "$(sum freed true)"
expect "freed of the cgroup" "$(jq '[.shrinkers[] | select(.cgroup == "/dentries" and .shrinker == "super_cache_scan").freed] | add' "$tmp/view")" \
	"$(sum freed ".fields.cgid == $cgid and .fields.shrinker == \"super_cache_scan\"")"
/usr/bin/python3 -W ignore -m jsonschema -i "$tmp/view" docs/schemas/ktrc.reclaim-1.json ||
	fail "its JSON is not as docs/schemas says"
ktrc-read -q --save "$tmp/trace" || fail "save: $?"
expect "saved" "$(ktrc-read reclaim --format=json "$tmp/trace" | jq -c .shrinkers)" "$(jq -c .shrinkers "$tmp/view")"
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
jq -e '[.. | .lost? | numbers] | add == 0' "$tmp/stats" >/dev/null || fail "hits were lost: $(cat "$tmp/stats")"
ktrc-read check >"$tmp/check" || fail "check: $(cat "$tmp/check")"
ktrc-ctl reset -q
