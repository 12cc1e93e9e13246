# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What a test may use.  It runs as root in the guest with the module loaded and no
# session, finds ktrc-ctl, ktrc-read and the programs of prog/ in its PATH, and says
# by its exit status whether the promise in its name holds.
set -uo pipefail

note() {
	echo "# $*"
}

fail() {
	note "$@"
	exit 1
}

skip() {
	note "$@"
	exit 77
}

# expect WHAT GOT WANTED
expect() {
	[ "$2" = "$3" ] || fail "$1: got '$2', wanted '$3'"
}
