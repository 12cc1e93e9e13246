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

# all_accounted FILE: in this output of `ktrc-ctl stats --format=json` every hit was written,
# filtered or lost.
all_accounted() {
	jq -e '[.counters[] | .hits - .written - .filtered - .lost_full - .lost_nest
		- .lost_recursion - .lost_noring - .lost_missed] | all(. == 0)' "$1" >/dev/null ||
		fail "hits are unaccounted for: $(cat "$1")"
}

# counted CPU COUNTER: of all events of the session
counted() {
	ktrc-ctl stats --format=json |
		jq --argjson cpu "$1" "[.counters[] | select(.cpu == \$cpu) | .$2] | add"
}

# counter NAME: of /proc/vmstat
counter() {
	sed -n "s/^$1 //p" /proc/vmstat
}

# pause SECONDS: without a process, which on a slow kernel begins later than what is waited for ends
pause() {
	[ -n "${never:-}" ] || exec {never}<> <(:)
	read -rt "$1" -u "$never"
}

# json_events ARGUMENT...: an object a line for each record; the last line of NDJSON is of none
json_events() {
	ktrc-read events --format=ndjson "$@" | sed '$d'
}

# in_cgroup DIR COMMAND...: runs it there
in_cgroup() {
	# shellcheck disable=SC2016 # that shell's
	bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$@"
}

# called_by FILTER FUNCTION: each stall in reclaim that jq's filter lets pass has that function among its callers, and
# they end where the kernel was entered, or with its thread's first; some stall has
called_by() {
	local callers
	callers=$(json_events --stacks | jq -r "select(.event == \"reclaim\" and ($1)).kernel_stack.frames |
		map(.function // \"?\") | \"\(if index(\"$2\") then \"$2\" else .[0] end) \(.[-1])\"" | sort | uniq -c) || fail "$1: a stall without a stack"
	note "$1: $(sed 's/^ *//' <<<"$callers" | paste -sd ,)"
	[ -n "$callers" ] || fail "$1: no stall"
	expect "other callers" "$(grep -vE " $2 (entry_SYSCALL_64|asm_exc_page_fault|ret_from_fork)" <<<"$callers")" ""
}

# lie_between WHAT THEIRS OURS: each of OURS, "pid end_ns dur_ns", lies between the first and the last of THEIRS, "pid
# first begin end last" in us of the same clock, and takes at least from begin to end; in sum they take at most 5 % and 200 us
# each longer than that
lie_between() {
	paste -d ' ' "$2" "$3" | awk -v what="$1" '
		{ first = $2 * 1e3; last = ($5 + 1) * 1e3; theirs += $4 - $3; ours += $8 / 1e3 }
		$1 != $6 || $7 - $8 < first || $7 > last || $8 < ($4 - $3 - 1) * 1e3 || $8 > last - first { if (!bad++) print }
		END {
			printf "# %d %s took %d us, %d by tracefs\n", NR, what, ours, theirs
			exit bad > 0 || !NR || ours > 1.05 * theirs + 200 * NR
		}' || fail "$1: not those that tracefs shows, its first"
}

# as_long WHAT INNER OUTER MOST: each of OUTER takes at least as long as that of INNER, both in us and last of their lines, whose
# hooks lie inside; what these and the way there take more is MOST us at most for half of them, and for all 1 % and MOST us each
as_long() {
	paste -d ' ' <(awk '{ print $NF }' "$2") <(awk '{ print $NF }' "$3") |
		awk '{ print $2 - $1, $1, $2 }' | sort -n | awk -v what="$1" -v most="$4" '
		{ more[NR] = $1; inner += $2; outer += $3 }
		END {
			half = more[int((NR + 1) / 2)]
			printf "# %d %s took %d us, %d from outside; half of them %.1f us more at most\n", NR, what, inner, outer, half
			exit !NR || more[1] < -1 || half > most || outer > 1.01 * inner + most * NR
		}' || fail "$1: not as long, the inner ones first: $(paste "$2" "$3" | head -n 20)"
}

# fault_groups EVENT FILE "TID FIRST_PAGE END_PAGE": how many of that event's records, in what
# `ktrc-read events` said, are alike in these pages; lines are "time ticks cpu tid comm event:
# name=value...", pages of equal length
fault_groups() {
	local tid low high
	read -r tid low high <<<"$3"
	awk -v event="$1:" -v tid="$tid" -v low="$(printf '0x%x' "$low")" \
		-v high="$(printf '0x%x' "$high")" '
		$4 != tid || $6 != event { next }
		{
			delete f
			f["result"] = "-"
			for (i = 7; i <= NF; i++) {
				split($i, pair, "=")
				f[pair[1]] = pair[2]
			}
		}
		f["page"] >= low && f["page"] < high {
			n[f["mode"] " write=" f["write"] " " f["class"] " " f["result"]]++
		}
		END { for (group in n) print n[group], group }' "$2" | sort
}

# storm [CPU...]: faults without end on these CPUs, or on both, until calm
storms=()
storm() {
	local cpu
	[ $# -gt 0 ] || set -- 0 1
	for cpu; do
		nice -n 19 taskset -c "$cpu" touch_pages storm 1000000000 >/dev/null &
		storms+=($!)
	done
}

calm() {
	kill "${storms[@]}"
	wait "${storms[@]}"
	storms=()
}

# spin COMMAND...: by that command a process that never waits any more; $spinner
spin() {
	rm -f /run/spins
	"$@" perl -e 'open F, ">", "/run/spins" or die; close F; 1 while 1' &
	spinner=$!
	until [ -e /run/spins ]; do
		kill -0 $spinner || fail "$* has ended"
		sleep 0.02
	done
}

# swap KIB [DISKS]: so much of it on the first of so many RAM disks of that size
swap() {
	modprobe brd rd_nr="${2:-1}" rd_size="$1" || fail "modprobe brd"
	mkswap /dev/ram0 >/dev/null || fail "mkswap"
	swapon /dev/ram0 || fail "swapon"
}

# let_real_time_run: real-time tasks have a CPU to themselves for most of a minute. What waits for that CPU, as the end of
# a grace period may, waits no longer than this.
let_real_time_run() {
	echo 60000000 >/proc/sys/kernel/sched_rt_period_us
	echo 50000000 >/proc/sys/kernel/sched_rt_runtime_us
}

# restrain_real_time: as it was
restrain_real_time() {
	echo 950000 >/proc/sys/kernel/sched_rt_runtime_us
	echo 1000000 >/proc/sys/kernel/sched_rt_period_us
}

# ask_client DIR SESSION LAST COMMAND...: runs a client that makes SESSION, says what it was
# told with LAST at the end, and goes on when it reads a line.  DIR gets what it said, and
# what the tools say meanwhile: said, status, stats, schema.  $client is its process.
ask_client() {
	local dir=$1 session=$2 last=$3 go
	shift 3
	mkfifo "$dir/go"
	"$@" <"$dir/go" >"$dir/said" 2>"$dir/err" &
	client=$!
	exec {go}>"$dir/go"
	until grep -q "$last" "$dir/said"; do
		kill -0 $client 2>/dev/null || fail "it ended: $(cat "$dir/err" "$dir/said")"
		sleep 0.1
	done
	ktrc-ctl status --session="$session" --format=json >"$dir/status"
	ktrc-ctl stats --session="$session" --format=json >"$dir/stats" || fail "stats: $?"
	ktrc-ctl list --format=json >"$dir/schema" || fail "list: $?"
	echo >&"$go"
	wait $client || fail "client: $?: $(cat "$dir/err")"
	cat "$dir/said"
}
