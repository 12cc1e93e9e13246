#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Disks with too little room for a trace, in blocks or in files, so that each file of it is the
# one that does not fit, under load: each way to save says so, and leaves either nothing or a
# trace of whole packets that tells the loss. What was consumed and what is left in the session
# is every record, once. Where there is no room for what is kept beside a session it stops all the same, and half
# of that is not kept.
# long
. tests/functional/lib.sh
. tests/recorder.sh

tmp=$(mktemp -d /run/XXXXXX)
blocks=$tmp/blocks files=$tmp/files journal=$tmp/journal
traces=0

make_disks() {
	mkdir "$blocks" "$files" "$journal"
	mount -t tmpfs -o size=2m none "$blocks" || fail "mount"
	mount -t tmpfs none "$files" || fail "mount"
	modprobe -a loop ext4 || fail "modprobe"
	truncate -s 8M "$tmp/image"
	mkfs.ext4 -q -m 0 "$tmp/image" || fail "mkfs.ext4"
	mount "$tmp/image" "$journal" || fail "mount"
}

# fill DISK KIB: until so much is left
fill() {
	local room
	rm -f "$1/filler"
	room=$(($(stat -f -c '%a * %S / 1024' "$1")))
	fallocate -l $((room - $2))K "$1/filler" || fail "fill $1"
}

# Looking at what one leaves may take longer than a stream records for nobody.
stop_stream() {
	ktrc-ctl stop -q || expect "why the stream stopped" \
		"$(ktrc-ctl status --format=json | jq -r '.sessions[0].stop_reason')" no_consumer
}

start_again() {
	stop_stream
	control start default || fail "start: $?"
}

# too_small WAY DISK
too_small() {
	local trace=$2/trace
	[ "$1" != follow ] || start_again
	try "$1" "$trace"
	complained "$trace" "No space left on device"
	left_of "$trace"
	[ -n "$left" ] || return 0
	expect "what $1 leaves" "$left" "$trace"
	told_where "$trace"
	whole_packets "$trace"
	expect "$trace is cut" "$is_cut" 1
	kept "$1" "$trace"
	babeltrace2 "$trace" >"$tmp/babeltrace" 2>"$tmp/complaints" || fail "babeltrace2: $?"
	! grep -v discarded "$tmp/complaints" || fail "babeltrace2 complains"
	rm -r "$trace"
	traces=$((traces + 1))
}

# kept WAY TRACE
kept() {
	case $1 in
	follow)
		ktrc-read events "$2" 2>&1 >/dev/null | grep ' hits lost' >/dev/null || fail "$2 does not tell the loss"
		records "$2" >>"$tmp/kept"
		;;
	run) [ "$(nr_records "$tmp/out")" -gt 20000 ] || fail "run: no summary: $(<"$tmp/out")" ;;
	*) fail "$1 leaves $2" ;;
	esac
}

# with_blocks WAY DISK KIB...: left on it
with_blocks() {
	local way=$1 disk=$2 kib
	shift 2
	for kib; do
		fill "$disk" "$kib"
		too_small "$way" "$disk"
	done
}

# with_files WAY NUMBER...: so many may be made
with_files() {
	local way=$1 nr
	shift
	for nr; do
		mount -o remount,nr_inodes=$((1 + nr)) "$files" || fail "remount"
		too_small "$way" "$files"
	done
	note "$way: $traces cut traces, $SECONDS s"
}

# KiB that are reserved for what describes a stream, as in trace_save.c
described() {
	ktrc-ctl run -q --save="$tmp/short" -- true >/dev/null || fail "run: $?"
	stat -c %s "$tmp/short/metadata" "$tmp/short/ktrc/ktrc.json" | awk '{ sum += 2 * $1 / 1024 + 64 } END { print int(sum) }'
}

make_disks
described=$(described)
note "a description takes $described KiB"
little=$((described + 60)) more=$((described + 260)) most=$((described + 160)) # the last one of a journal
load=(bash -c 'taskset -c 0 touch_pages storm 16000; taskset -c 1 touch_pages storm 16000')
storm
ktrc-ctl start -q --memory=1M --packet=16K || fail "start: $?"
wait_until '[.cpus[] | .gone_bytes > 0] | all'
with_blocks save "$blocks" 0 120 $little $more
with_blocks save "$journal" 60 $most
with_files save 0 2 4 5
with_blocks snapshot "$blocks" 0 $little
with_blocks snapshot "$journal" $most
with_files snapshot 2
wait_until '.state == "running" and (.has_consumer | not)'
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read check >/dev/null || fail "check: $?"
ktrc-ctl reset
expect "traces of what is still in the session" $traces 0

ktrc-ctl start -q --mode=stream --memory=64K --packet=4K || fail "start: $?"
wait_until '.lost > 0'
with_blocks follow "$blocks" 0 120 $little $more
with_blocks follow "$journal" 60 $most
with_files follow 0 2 4 6 7
calm
stop_stream
records >>"$tmp/kept"
none_lost "$tmp/kept"
[ $traces -ge 3 ] || fail "follow: only $traces traces"
ktrc-ctl reset

with_blocks run "$blocks" 0 $little $more
with_blocks run "$journal" 60 $most
with_files run 0 2 4 6 7
[ $traces -ge 6 ] || fail "run: only $traces traces with those of follow"
umount "$blocks" "$files" "$journal"

mkdir -p /run/ktrc
mount -t tmpfs -o size=64k none /run/ktrc || fail "mount"
ktrc-ctl start -q --events=fault,map,process || fail "start: $?"
touch_pages read 503 >/dev/null
fill /run/ktrc 0
ktrc-ctl stop >"$tmp/out" 2>&1 || fail "stop with a full /run: $?: $(<"$tmp/out")"
rm /run/ktrc/filler
expect "what is kept of a stop without room" "$(find /run/ktrc -name '*.mapped*' -o -size 0)" ""
ktrc-read check >/dev/null || fail "check: $?"
ktrc-ctl reset
umount /run/ktrc
note "$(wc -l <"$tmp/kept") records of a stream"
expect "runs" "$tries" 35
