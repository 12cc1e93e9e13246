#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Under overflow in both modes, with interrupts that write over writers, a slow
# reader and a killed one: nothing is recorded that was not hit, nothing hit is
# unaccounted for.  For each CPU and event, exactly:
#   hits = written + filtered + lost        (by the module's counters)
#   written = read + overwritten + unread   (by a reader that trusts no counter)
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

# touch_both MODE FAULTS: on each CPU
touch_both() {
	local cpu pids=()
	for cpu in 0 1; do
		taskset -c $cpu touch_pages "$1" "$2" >/dev/null &
		pids+=($!)
	done
	wait "${pids[@]}" || fail "touch_pages"
}

# disturbed HITS: with interrupts that fault, too, until so many of those hit came over
# another writer
disturbed() {
	local module
	module=$(awk '$1 == "ktrc" { print "core=" $6, "core_bytes=" $2 }' /proc/modules)
	# shellcheck disable=SC2086 # two parameters
	insmod build/functional/ktrc_nest.ko $module || fail "insmod ktrc_nest"
	until
		touch_both storm 10000
		touch_both rename 5000
		ktrc-ctl stats --format=json | jq -e "[.counters[].nested] | add >= $1" >/dev/null
	do :; done
	rmmod ktrc_nest || fail "rmmod ktrc_nest"
}

# books: "cpu event written" of each CPU, after checking the first equation
books() {
	ktrc-ctl stats --format=json >"$tmp/stats" || fail "stats: $?"
	all_accounted "$tmp/stats"
	jq -r '{ "fault": 1, "fault.light": 2 } as $id | .counters[] | select(.cpu != null)
		| "\(.cpu) \($id[.event]) \(.written)"' "$tmp/stats" | sort
}

# sum COUNTER [EVENT]
sum() {
	jq --arg event "${2:-}" "[.counters[] | select(\$event == \"\" or .event == \$event).$1] | add" \
		"$tmp/stats"
}

flight() {
	ktrc-ctl start --events=fault,fault.light --memory=512K --packet=4K || fail "start: $?"
	touch_both storm 250000
	disturbed 6000
	ktrc-ctl stop || fail "stop: $?"
	books >"$tmp/written"
	tally | sort >"$tmp/tally" || fail "tally"
	expect "flight: written" "$(cat "$tmp/written")" \
		"$(awk '{ print $1, $2, $3 + $4 }' "$tmp/tally")"
	awk '$3 == 0 { exit 1 }' "$tmp/tally" || fail "nothing overwritten: $(cat "$tmp/tally")"
}

stream() {
	local reader
	ktrc-ctl start --events=fault,fault.light --mode=stream --memory=512K --packet=4K ||
		fail "start: $?"
	rm -f "$tmp/cells"
	consume "$tmp/cells" 300 >/dev/null & # too slow
	reader=$!
	touch_both rename 20000
	kill -KILL $reader
	wait $reader
	touch_both storm 20000 # nobody reads: more than a ring holds
	consume "$tmp/cells" >"$tmp/read" &
	reader=$!
	touch_both storm 250000
	disturbed 6000
	ktrc-ctl stop || fail "stop: $?"
	wait $reader || fail "consume: $?"
	books >"$tmp/written"
	expect "stream: written" "$(cat "$tmp/written")" "$(sort "$tmp/read")"
	jq -e '[.counters[] | select(.cpu != null) | .lost_full] | all(. > 0)' "$tmp/stats" \
		>/dev/null || fail "a stream was never full: $(cat "$tmp/stats")"
}

flight >&2
faults=$(sum hits fault) nested=$(sum nested)
stream >&2
faults=$((faults + $(sum hits fault))) nested=$((nested + $(sum nested)))
ktrc-ctl reset
note "$faults faults, $nested hits of interrupts over another writer"
[ "$faults" -ge 1000000 ] || fail "only $faults faults"
[ "$nested" -ge 10000 ] || fail "only $nested nested hits"
