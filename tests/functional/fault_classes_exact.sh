#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A prime number of pages swapped in, copied after a fork, written after the zero page was read, also in huge pages,
# read from a file on a disk and from the disk itself, mapped again when they are in memory, huge, of hugetlb's, or of a ring of perf's, which
# is a driver's memory: that many faults of that class, in the view of faults too, and as many as the kernel counts, those that
# begin I/O within 0.1 %, also where others wait for it, or for what was read ahead.
# Each NUMA hint fault that the kernel counts is one of class numa.
# guest: nodes
# long
. tests/functional/lib.sh

pages=10007
tmp=$(mktemp -d /run/XXXXXX)

# record NAME COUNTER COMMAND...: sets $tmp/NAME to its faults, where to what it printed, and grown
# to how much that counter of the kernel's has grown; grown_around: with what is before the session and after it
declare -A where
record() {
	local name=$1 counter=$2 around before
	shift 2
	around=$(counter "$counter")
	ktrc-ctl start -q --events=fault --memory=32M || fail "start: $?"
	before=$(counter "$counter")
	where[$name]=$("$@") || fail "$*"
	grown=$(($(counter "$counter") - before))
	ktrc-ctl stop -q || fail "stop: $?"
	grown_around=$(($(counter "$counter") - around))
	ktrc-read events >"$tmp/$name" || fail "read: $?"
	ktrc-read faults --format=json >"$tmp/$name.view" || fail "faults: $?"
}

# groups NAME: of what the command did where it says
groups() {
	fault_groups fault "$tmp/$1" "${where[$1]}"
}

# elsewhere NAME CLASS: faults of that class that anybody took where the command does not say
elsewhere() {
	# shellcheck disable=SC2086 # words
	printf '%d 0x%x 0x%x\n' ${where[$1]} | awk -v class=" class=$2 " '
		NR == FNR { tid = $1; low = $2; high = $3; next }
		/ fault: / && !/ result=retry/ && index($0, class) {
			match($0, / page=[^ ]*/)
			page = substr($0, RSTART + 6, RLENGTH - 6)
			nr += $4 != tid || page < low || page >= high
		}
		END { print nr + 0 }' - "$tmp/$1"
}

# in_view NAME CLASS PAGES: so many faults of that class did the command take, and all of them are in the view
in_view() {
	expect "$1, class $2 in the view" "$(jq "[.classes[] | select(.class == \"$2\").faults] | add // 0" "$tmp/$1.view")" \
		$(($3 + $(elsewhere "$1" "$2")))
}

# reconciled LEAST: the last session's major faults are the kernel's, which are so many at least
reconciled() {
	ktrc-read check --format=json >"$tmp/check" || fail "check: $?"
	jq -e ".total.pgmajfault | .vmstat >= $1 and (.traced - .vmstat | fabs) <= .vmstat / 1000" "$tmp/check" >/dev/null ||
		fail "pgmajfault: $(jq -c .total.pgmajfault "$tmp/check")"
}

trap 'swapoff /dev/ram0; umount "$tmp/disk"; rmmod brd; echo 0 >/proc/sys/kernel/numa_balancing' EXIT
echo never >/sys/kernel/mm/transparent_hugepage/enabled
echo 0 >/proc/sys/kernel/numa_balancing
echo 4096 >/sys/kernel/debug/fault_around_bytes

for mode in rewrite fork reuse; do
	record $mode pgfault touch_again $mode $pages
done
expect "written after it was read" "$(groups rewrite)" "$pages user write=0 anon minor
$pages user write=1 cow minor"
in_view rewrite anon $pages
in_view rewrite cow $pages
expect "written by a child" "$(groups fork)" "$pages user write=1 cow minor"
expect "written when a child had ended" "$(groups reuse)" "$pages user write=1 anon minor
$pages user write=1 cow minor"

record perf pgfault touch_pages perf 257
expect "of a ring of perf's" "$(groups perf)" "257 user write=0 device minor"

swap 100000 2
echo 0 >/proc/sys/vm/page-cluster
record swap pswpin touch_again swap $pages
expect "swapped in" "$(groups swap)" "$pages user write=0 swap major
$pages user write=1 anon minor"
expect "pages swapped in by the kernel's count" "$grown" $pages
in_view swap swap $pages
reconciled $pages
echo 3 >/proc/sys/vm/page-cluster
record swap_ahead pgmajfault touch_again swap $pages
reconciled 1009
swapoff /dev/ram0 || fail "swapoff"

record ram1 pgmajfault touch_file /dev/ram1 1009
expect "of a disk itself" "$(groups ram1)" "1009 user write=0 file minor
1009 user write=0 file retry_io"
mkfs.ext2 -q /dev/ram1 || fail "mkfs"
mkdir "$tmp/disk"
mount /dev/ram1 "$tmp/disk" || fail "mount"
head -c $((pages * 4096)) /dev/zero >"$tmp/disk/file"
sync
echo 3 >/proc/sys/vm/drop_caches
record major pgmajfault touch_file "$tmp/disk/file" $pages
expect "read from a disk" "$(groups major)" "$pages user write=0 file minor
$pages user write=0 file retry_io"
[ "$grown" -ge $pages ] || fail "the kernel counts $grown major faults"
in_view major file $pages
reconciled $pages
echo 16 >/sys/block/ram1/queue/read_ahead_kb
record ahead pgmajfault touch_file "$tmp/disk/file" $pages ahead
note "read ahead: $(groups ahead | paste -sd ';'); the kernel: $grown"
reconciled 1
[ "$(groups ahead | awk '$NF == "retry" { print $1 }')" -ge 101 ] || fail "nobody waited for what was read ahead"
record cached pgfault touch_file "$tmp/disk/file" $pages cached
expect "of a disk, but in memory" "$(groups cached)" "$pages user write=0 file minor"
umount "$tmp/disk"
rmmod brd

echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
record huge thp_fault_alloc touch_pages huge $((101 * 512))
expect "huge pages" "$(groups huge)" "101 user write=1 huge minor"
expect "huge pages by the kernel's count" "$grown" 101
in_view huge huge 101
for mode in rewrite fork reuse; do
	record huge_$mode thp_split_pmd touch_again $mode $((31 * 512)) huge
done
expect "huge, written after it was read" "$(groups huge_rewrite)" "$((31 * 512)) user write=1 cow minor
31 user write=0 huge minor"
expect "huge, written by a child" "$(groups huge_fork)" "$((31 * 512)) user write=1 cow minor"
expect "huge, written when a child had ended" "$(groups huge_reuse)" "31 user write=1 cow minor
31 user write=1 huge minor"

echo 11 >/proc/sys/vm/nr_hugepages
expect "pages of hugetlb" "$(cat /proc/sys/vm/nr_hugepages)" 11
for mode in hugetlb hugetlb_shared; do
	record $mode pgfault touch_pages $mode $((11 * 512))
done
echo 0 >/proc/sys/vm/nr_hugepages
expect "hugetlb" "$(groups hugetlb)" "11 user write=0 hugetlb minor
11 user write=1 hugetlb minor"
in_view hugetlb hugetlb 22
expect "hugetlb, shared" "$(groups hugetlb_shared)" "11 user write=0 hugetlb minor"

echo 1 >/proc/sys/kernel/numa_balancing
record balance numa_hint_faults touch_again balance $pages
echo 0 >/proc/sys/kernel/numa_balancing
numa=$(grep -c ' fault: .* class=numa' "$tmp/balance")
note "$numa faults of class numa; the kernel counts $grown to $grown_around; $(groups balance | tr '\n' ,)"
[ "$grown" -ge $((pages / 2)) ] || fail "the kernel has hardly looked"
((grown <= numa && numa <= grown_around)) || fail "they are not the same"
in_view balance numa "$(groups balance | awk '$4 == "numa" { nr += $1 } END { print nr + 0 }')"
ktrc-ctl reset -q
