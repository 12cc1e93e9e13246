#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# usage: check_probe_symbols.sh OBJECT...
#
# Fails if an object that runs inside probes refers to a kernel symbol that is not
# listed in probe_symbols.  The module's own symbols begin with ktrc_.
set -eu

allowed=$(sed '/^#/d; s/ .*//' "$(dirname "$0")/probe_symbols")
foreign=$(${NM:-nm} -u "$@" | awk '$1 == "U" { print $2 }' | sort -u | grep -v '^ktrc_' |
	grep -vxF "$allowed") || exit 0
echo "probe code refers to symbols that kmod/probe_symbols does not allow:" >&2
echo "$foreign" >&2
exit 1
