# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For tests with tasks that wait for a disk, /dev/nullb9, of requests of one page each.

disk=/sys/kernel/config/nullb/nullb9

# slow_disk NS DEPTH: it, where each request takes so long, and so many are taken at a time
slow_disk() {
	modprobe null_blk nr_devices=0 || fail "modprobe null_blk"
	mount -t configfs none /sys/kernel/config
	mkdir $disk || fail "no disk"
	echo 48 >$disk/size
	echo 1 >$disk/memory_backed
	echo 1 >$disk/submit_queues
	echo "$2" >$disk/hw_queue_depth
	echo 2 >$disk/irqmode
	echo 8 >$disk/max_sectors
	echo "$1" >$disk/completion_nsec
	echo 1 >$disk/discard
	echo 1 >$disk/power || fail "no disk"
}

no_disk() {
	echo 0 >$disk/power
	rmdir $disk
	rmmod null_blk
	umount /sys/kernel/config
}

# slow_swap NS: swaps to it, one request at a time
slow_swap() {
	slow_disk "$1" 1
	mkswap /dev/nullb9 >/dev/null || fail "mkswap"
	swapon /dev/nullb9 || fail "swapon"
}

no_swap() {
	swapoff /dev/nullb9 || fail "swapoff"
	no_disk
}

# is_in_reclaim PID: it waits until the disk takes a page of its to swap out.  Not by its stack: the
# kernel warns of those of tasks that run inside a kretprobe's function.
is_in_reclaim() {
	[ "$(cat "/proc/$1/wchan")" = blk_mq_get_tag ]
}
