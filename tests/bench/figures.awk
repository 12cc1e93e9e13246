# SPDX-License-Identifier: GPL-2.0
# Makes figures.txt from what tests/bench/guest measured.  -v release=KERNEL
BEGIN {
	print "# What ktrc adds to a page fault or a switch: name, instructions of one, bytes of ring an event."
	print "# From tests/bench/run --update on " release "; make bench fails when 5 % worse."
}
{ cost[$1] = $2 }
NF > 4 {
	base = "base" ($1 ~ /_(pread|deep|switch)$/ ? substr($1, match($1, /_[a-z]*$/)) : "")
	printf "%-14s %7.1f %7.2f\n", $1, $2 - cost[base], $6 ? $5 / $6 : 0
}
