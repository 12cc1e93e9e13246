# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# For tests of several sessions: what each holds, in $tmp.

# balanced SESSION: the books of a stopped session are exact, and the records that can be
# read are the ones that were written
balanced() {
	local session=$1 read
	ktrc-ctl stats --session="$session" --format=json >"$tmp/$session.stats" ||
		fail "stats of $session: $?"
	expect "$session: counters that do not balance" "$(jq -c '[.counters[] |
		select(.unbalanced != 0 or .lost_full + .lost_nest + .lost_recursion +
			.lost_noring + .lost_missed != 0)]' "$tmp/$session.stats")" "[]"
	read=$(awk 'END { print NR }' "$tmp/$session")
	expect "$session: records written, read" "$(jq '[.counters[].written] | add' \
		"$tmp/$session.stats")" "$read"
}

# collect SESSION...: stops them, and keeps their records in $tmp/SESSION
collect() {
	local session
	for session; do
		ktrc-ctl stop -q --session="$session" || fail "stop $session: $?"
	done
	for session; do
		ktrc-read events -q --no-header --session="$session" >"$tmp/$session" || [ $? = 3 ] ||
			fail "read $session"
		balanced "$session"
	done
}

# in_range SESSION EVENT "TID LOW HIGH..." [PATTERN]: how many records of it, that match, lie
# in the pages of these lines of touch_pages
in_range() {
	# shellcheck disable=SC2086 # words
	printf '%d 0x%x 0x%x\n' $3 | awk -v event="$2:" -v pattern="${4:-}" '
		NR == FNR { low[$1] = $2; high[$1] = $3; next }
		$4 in low && $6 == event && $0 ~ pattern && match($0, /page=[^ ]*/) {
			page = substr($0, RSTART + 5, RLENGTH - 5)
			n += page >= low[$4] && page < high[$4]
		}
		END { print n + 0 }' - "$tmp/$1"
}

# of_tids SESSION TIDS [CONDITION]: their records without their times, in an order of their
# own; CONDITION is one of awk, of a record with its duration in dur_ns
of_tids() {
	awk -v tids="$2" 'BEGIN { for (n = split(tids, tid); n; n--) wanted[tid[n]] }
		!($4 in wanted) { next }
		{ dur_ns = match($0, /dur_ns=[0-9]*/) ? substr($0, RSTART + 7, RLENGTH - 7) + 0 : 0 }
		'"${3:-1}"' { $1 = $2 = ""; print }' "$tmp/$1" | sort
}
