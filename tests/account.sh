# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For tests that look at what the memory cgroup $group pays for.

group=/sys/fs/cgroup/payer

open_account() {
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control && mkdir $group
}

# Bytes on its account that the kernel took, but for the slab's. What each CPU that is online has at
# hand for that goes back to the account when that is over its limit, soon.
account() {
	echo 0 >$group/memory.high
	echo max >$group/memory.high
	awk '$1 == "kernel" { bytes += $2 }
		$1 == "slab" { bytes -= $2 }
		END { print bytes }' $group/memory.stat
}

# The same once nothing is under way: less than a page if nothing is left. What two CPUs have at hand may be a page
# together, and who is next to ask for an object on that account sees that, if the other has nothing.
account_settled() {
	account >/dev/null
	sleep 0.1
	# shellcheck disable=SC2016 # that shell's
	taskset -c 0 bash -c 'echo $$ >"$0/cgroup.procs" && exec true' $group
	sleep 0.1
	account >/dev/null
	sleep 0.1
	account
}

# And once that is less than a page, or after a while.
account_at_last() {
	local bytes i
	for ((i = 0; i < 50; i++)); do
		bytes=$(account_settled)
		((bytes < 0 || bytes >= 4096)) || break
	done
	echo "$bytes"
}
