#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# usage: check_probes.sh PROBE_OBJECT... -- CONTROL_OBJECT...
#
# Holds the objects that run inside probes to what docs/design.md allows them: first the
# loops of their sources, then those of their machine code, then where preemption is off, then what
# else is in it. Prints the loops, what is taken from the kernel and the deepest stack; complaints go to stderr.
set -eu

export LC_ALL=C
here=$(dirname "$0")
objects=$*
probes=${objects%% -- *} control=${objects##* -- }
sources=
for object in $probes; do
	sources="$sources $here/$(basename "$object" .o).c"
done
loops=$(mktemp)
dump=$(mktemp)
trap 'rm -f "$loops" "$dump"' EXIT
status=0
echo "objects $probes"

# shellcheck disable=SC2086 # words: Kbuild takes no names with blanks
{
	${AWK:-awk} -f "$here/probe_loops.awk" $sources "$here"/*.h "$here"/compat/*.h \
		"$here"/../uapi/*.h >"$loops" || status=1
	${OBJDUMP:-objdump} -dlr --no-show-raw-insn $probes >"$dump"
	${AWK:-awk} -v probes="$probes" -f "$here/probe_objects.awk" -f "$here/probe_rounds.awk" "$loops" "$dump" || status=1
	${AWK:-awk} -f "$here/probe_objects.awk" -f "$here/probe_preempt.awk" "$dump" || status=1
	for what in -t -r -dr; do
		${OBJDUMP:-objdump} $what --no-show-raw-insn $probes
	done >"$dump"
	${OBJDUMP:-objdump} -t $control >>"$dump"
	${AWK:-awk} -v probes="$probes" -v control="$control" -f "$here/probe_objects.awk" \
		-f "$here/probe_code.awk" "$here/probe_symbols" "$dump" || status=1
}
exit $status
