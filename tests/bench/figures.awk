# SPDX-License-Identifier: GPL-2.0
# Makes figures.txt from what tests/bench/guest measured.  -v release=KERNEL, after base.awk.
BEGIN {
	print "# What ktrc adds to a page fault or a switch: name, instructions of one, bytes of ring an event."
	print "# From tests/bench/run --update on " release "; make bench fails when 5 % worse."
}
{ cost[$1] = $2 }
NF > 4 {
	printf "%-14s %7.1f %7.2f\n", $1, $2 - cost[base_of($1)], $6 ? $5 / $6 : 0
}
