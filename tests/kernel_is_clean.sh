# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash

# kernel_is_clean: what only a debug kernel can tell: nothing leaked, and lockdep was on to the end.
kernel_is_clean() {
	local leaks=/sys/kernel/debug/kmemleak
	# young objects are passed over
	echo scan >"$leaks" && sleep 6 && echo scan >"$leaks" || return
	! grep . "$leaks" || return
	grep '^ *debug_locks: *1$' /proc/lockdep_stats
}
