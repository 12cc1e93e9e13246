#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The duration of a long call is what two probes of the kernel's own, at its beginning and its
# end, say of the same call, within 10 %. A session that asks for a least duration gets exactly
# the calls that last so long and counts the others, one that names a cgroup those given in it.
. tests/functional/lib.sh
. tests/sessions.sh

tmp=$(mktemp -d /run/XXXXXX)
trace=/sys/kernel/tracing
cgroup=/sys/fs/cgroup/in
calls=13
populate=23

# durations of POPULATE_WRITE by its tid, in ns, in order of time
by_kernel() {
	awk -v tid="$1" '
		{ match($0, /-[0-9]+ +\[/); who = substr($0, RSTART + 1, RLENGTH - 2) + 0 }
		who != tid { next }
		{ match($0, / [0-9]+\.[0-9]+: /); now = substr($0, RSTART + 1) + 0 }
		/: begin: / { begin = now; match($0, /advice=[0-9]+/); advice = substr($0, RSTART + 7, RLENGTH - 7) }
		/: end: / && advice == '$populate' { printf "%.0f\n", (now - begin) * 1e9 }' "$tmp/trace"
}

by_ktrc() {
	awk -v tid="$1" '$4 == tid && /advice=MADV_POPULATE_WRITE/' "$tmp/all" | sed 's/.* dur_ns=\([0-9]*\) .*/\1/'
}

mkdir $cgroup || fail "cgroup"
cat >$trace/kprobe_events <<-'END' || fail "the kernel's own probes"
	p:begin do_madvise advice=$arg4:u32
	r:end do_madvise
END
echo mono >$trace/trace_clock
ktrc-ctl start -q --session=all --events=madvise || fail "start: $?"
ktrc-ctl start -q --session=min --events=madvise:min=2ms || fail "start: $?"
ktrc-ctl start -q --session=cgroup --events=madvise --cgroup=in || fail "start: $?"
echo 1 >$trace/events/kprobes/enable
tid=$(advise populate $calls 4001) || fail "advise: $?"
tid_in=$(in_cgroup $cgroup advise populate 3 101) || fail "advise: $?"
echo 0 >$trace/events/kprobes/enable
collect all min cgroup
cat $trace/trace >"$tmp/trace"
echo >$trace/kprobe_events
echo local >$trace/trace_clock
rmdir $cgroup

by_kernel "$tid" >"$tmp/theirs"
by_ktrc "$tid" >"$tmp/ours"
expect "calls" "$(wc -l <"$tmp/ours") $(wc -l <"$tmp/theirs")" "$calls $calls"
paste -d ' ' "$tmp/theirs" "$tmp/ours" | awk '
	$2 < 0.9 * $1 || $2 > 1.1 * $1 { print; bad++ }
	{ ns += $1; ratio += $2 / $1 }
	END { print "# " NR " calls of " int(ns / NR) " ns: by ktrc " ratio / NR " times as long"; exit bad > 0 }' ||
	fail "off by more than 10 %, the kernel's first"

# same SESSION TIDS CONDITION: it holds those records of these tasks for which it is true
same() {
	of_tids all "$2" "$3" >"$tmp/want"
	of_tids "$1" "$2" >"$tmp/got"
	note "$1: $(wc -l <"$tmp/want") records"
	[ -s "$tmp/want" ] || fail "$1: the test has no such record"
	diff "$tmp/want" "$tmp/got" >"$tmp/diff" || fail "$1: $(head -n 5 "$tmp/diff")"
}
same min "$tid $tid_in" "dur_ns >= 2000000"
same cgroup "$tid $tid_in" "\$4 == $tid_in"
expect "durations that were counted" \
	"$(jq '[.durations[] | select(.event == "madvise").hist[].count] | add' "$tmp/min.stats")" "$(wc -l <"$tmp/all")"
for session in all min cgroup; do
	ktrc-ctl reset -q --session=$session
done
