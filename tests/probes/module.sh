# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For tests/probes: copies of the module, which stay, so that the next run builds what has
# changed.
export LC_ALL=C KDIR=${KDIR:-$(tests/kdir)}

fail() {
	echo "# $*"
	exit 1
}

# copy_module DIRECTORY: the sources as they are now, and none that are gone
copy_module() {
	mkdir -p "$1/kmod"
	rm -f "$1"/kmod/{probe_*,bad_*}.c
	find Kbuild kmod uapi -type f ! -name '*.o' ! -name '.*' ! -name have.h ! -name '*.ok' -print0 |
		tar -c --null -T - | tar -x -C "$1"
}

# build_module DIRECTORY [OPTION]...
build_module() {
	local directory=$1
	shift
	make -s "$@" -C "$KDIR" M="$directory" modules
}
