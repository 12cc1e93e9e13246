#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A prime number of calls of each advice that this kernel knows, and as many of process_madvise with each
# that this takes: each gives one record, with that call, that advice, its pages and its errno. An independent probe of the kernel's own, on the same
# function, counts as many; the view adds up to the same; books are exact. The module names no tracepoint of system calls.
# long
. tests/functional/lib.sh
. tests/sessions.sh

tmp=$(mktemp -d /run/XXXXXX)
calls=10007
# it finds tracepoints by their names
grep -qaF mm_vmscan_throttled ktrc.ko || fail "there are no names in it"
! grep -qaE 'sys_(enter|exit)' ktrc.ko || fail "a tracepoint of system calls"
trace=/sys/kernel/tracing
events=$trace/events/kprobes

# by_kernel EVENT KEY: "value count" of each group of its histogram, of that process
by_kernel() {
	tr -d '{}:,' <"$events/$1/hist" | awk -v pid="$pid" -v key="$2" '
		$1 == "common_pid" && $2 == pid && $3 == key { print $4, $6 }' | sort
}

# by_ktrc FIELD NUMBERS: the same of its records; NUMBERS has "name number" of the values
by_ktrc() {
	awk -v field=" $1=" 'NR == FNR { number[$1] = $2; next }
		{ split($0, rest, field); split(rest[2], value, " "); n[value[1]]++ }
		END { for (v in n) print v in number ? number[v] : v, n[v] }' "$2" "$tmp/ours" | sort
}

# defined PREFIX HEADER: "name number" of what it defines
defined() {
	awk -v prefix="^$1" '$1 == "#define" && $2 ~ prefix { print $2, $3 }' "/usr/include/asm-generic/$2.h"
}

cat >$trace/kprobe_events <<-'END' || fail "the kernel's own probe"
	p:advice do_madvise advice=$arg4:u32
	r:answer do_madvise error=$retval:u32
	p:others __x64_sys_process_madvise
END
echo 'hist:keys=common_pid,advice' >$events/advice/trigger || fail "histogram"
echo 'hist:keys=common_pid,error' >$events/answer/trigger || fail "histogram"
echo 'hist:keys=common_pid' >$events/others/trigger || fail "histogram"
ktrc-ctl start -q --session=all --events=madvise --memory=32M || fail "start: $?"
advise each $calls >"$tmp/said" || fail "advise: $?"
collect all
pid=$(head -n 1 "$tmp/said")
by_kernel advice advice >"$tmp/kernel.advice"
by_kernel answer error | awk '{ print $1 ? 2 ^ 32 - $1 : 0, $2 }' | sort >"$tmp/kernel.error"
echo '!hist:keys=common_pid,advice' >$events/advice/trigger
by_process_madvise=$(tr -d '{}:,' <$events/others/hist | awk -v pid="$pid" '$1 == "common_pid" && $2 == pid { print $4 }')
echo '!hist:keys=common_pid,error' >$events/answer/trigger
echo '!hist:keys=common_pid' >$events/others/trigger
echo >$trace/kprobe_events

{ printf '%s\n' "MADV_GUARD_INSTALL 102" "MADV_GUARD_REMOVE 103" && defined MADV_ mman-common; } >"$tmp/advices"
{ echo none 0 && defined E errno-base; } >"$tmp/errors"
awk -v pid="$pid" '$4 == pid && $6 == "madvise:"' "$tmp/all" >"$tmp/ours"
by_ktrc advice "$tmp/advices" >"$tmp/ktrc.advice"
by_ktrc error "$tmp/errors" >"$tmp/ktrc.error"
for what in advice error; do
	diff "$tmp/kernel.$what" "$tmp/ktrc.$what" || fail "$what: the kernel counts others"
done

tail -n +2 "$tmp/said" | awk '{ print $1, $3 }' | sort >"$tmp/want"
nr=$(wc -l <"$tmp/want")
[ "$nr" -ge 25 ] || fail "this kernel knows only $nr advices"
diff "$tmp/want" <(awk '$2 > 1' "$tmp/ktrc.advice") || fail "records: not as many as calls"
expect "records of process_madvise" "$(grep -c ' call=process_madvise ' "$tmp/ours")" "$by_process_madvise"
[ "$by_process_madvise" -ge $((3 * calls)) ] || fail "process_madvise: $by_process_madvise calls"
note "$by_process_madvise by process_madvise; $nr advices, $(wc -l <"$tmp/ours") calls; by errno: $(tr '\n' ';' <"$tmp/ktrc.error")"

# what the view says of them: advice, calls, pages, failed
ktrc-read madvise --session=all --format=json >"$tmp/view" || fail "madvise: $?"
jq -r --argjson pid "$pid" '.processes[] | select(.pid == $pid and .calls > 1) |
	"\(.advice) \(.calls) \(.pages) \(.failed)"' "$tmp/view" | sort >"$tmp/view.processes"
tail -n +2 "$tmp/said" | awk 'NR == FNR { name[$2] = $1; next }
	{ print name[$1], $3, ($3 - 1) * $2 }' "$tmp/advices" - | sort >"$tmp/want"
diff "$tmp/want" <(cut -d ' ' -f 1-3 "$tmp/view.processes") || fail "the view: other calls or pages"
expect "the view: errors" "$(jq -r --argjson pid "$pid" '[.failures[] | select(.pid == $pid)] |
	group_by(.error) | map("\(.[0].error) \(map(.calls) | add)")[]' "$tmp/view")" \
	"$(awk '{ for (i = 7; i <= NF; i++) if (sub(/^error=/, "", $i) && $i != "none") n[$i]++ }
		END { for (e in n) print e, n[e] }' "$tmp/ours" | sort)"
for table in advices processes cgroups; do
	jq -e "([.${table}[].calls] | add) == $(wc -l <"$tmp/all")" "$tmp/view" >/dev/null || fail "the view: calls, $table"
	jq -e "([.${table}[].failed] | add) == ([.failures[].calls] | add)" "$tmp/view" >/dev/null || fail "the view: failed, $table"
	jq -e "([.${table}[].total_ns] | add) - .total_ns | fabs < 1000" "$tmp/view" >/dev/null || fail "the view: time, $table"
	jq -e "[.${table}[].total_ns] | . == (sort | reverse)" "$tmp/view" >/dev/null || fail "the view: not by time, $table"
done
ktrc-ctl reset -q --session=all
