# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For tests of cgroups that are short of memory.

cgroups=/sys/fs/cgroup

# make_cgroup NAME FILE LIMIT: with the limit that is in this file; prints its id
make_cgroup() {
	mkdir "$cgroups/$1" || fail "mkdir $1"
	echo "$3" >"$cgroups/$1/$2" || fail "$2 of $1"
	stat -c %i "$cgroups/$1"
}

# pid_in CGROUP COMMAND...: runs it there, and prints its pid only
pid_in() {
	# shellcheck disable=SC2016 # that shell's
	in_cgroup "$cgroups/$1" bash -c 'echo $$; exec "$@" >/dev/null' - "${@:2}"
}
