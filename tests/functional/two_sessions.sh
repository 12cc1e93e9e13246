#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two sessions with different events each hold exactly their own; with the same events both
# hold all of it; one that is started and stopped again and again leaves the other, under
# load, whole.
# long
. tests/functional/lib.sh
. tests/sessions.sh

tmp=$(mktemp -d /run/XXXXXX)
pages=10007

# start SESSION EVENTS [FILTER]
start() {
	ktrc-ctl start -q --session="$1" --events="$2" --memory=32M "${@:3}" || fail "start $1: $?"
}

start one fault
start two fault.light
where=$(touch_pages read $pages)
collect one two
expect "different events: one's" "$(in_range one fault "$where")" $pages
expect "different events: two's" "$(in_range two fault.light "$where")" $pages
expect "different events: the other's" \
	"$(in_range one fault.light "$where") $(in_range two fault "$where")" "0 0"

start one fault,fault.light
start two fault
where=$(touch_pages write $pages)
collect one two
expect "the same event: both" \
	"$(in_range one fault "$where") $(in_range two fault "$where")" "$pages $pages"
expect "the same event: one's other" "$(in_range one fault.light "$where")" $pages
# shellcheck disable=SC2016 # awk's
of_tids one "${where%% *}" '$6 == "fault:"' | cmp -s - <(of_tids two "${where%% *}") ||
	fail "the same faults are other records"

# filtered NAME...: two sessions in this order; "all" has no filter, that of "user" lets the
# workload's faults pass, that of "init" none
filtered() {
	local name event where pages=1009
	local -A filter=([user]=--user [init]=--pid=1) wanted=([all]=$pages [user]=$pages [init]=0)
	for name; do
		start "$name" fault,fault.light ${filter[$name]:+"${filter[$name]}"}
	done
	where=$(touch_pages read $pages)
	collect "$@"
	for name; do
		for event in fault fault.light; do
			expect "$event in $name of $*" "$(in_range "$name" $event "$where")" "${wanted[$name]}"
		done
		ktrc-ctl reset -q --session="$name" || fail "reset $name: $?"
	done
}

filtered all init
filtered init all
filtered all user
filtered user all
filtered init user
filtered user init

# faults of many processes, while something happens
load() {
	for _ in {1..12}; do
		touch_pages read 5003 || return
		sleep 0.2
	done
}

start one fault
load >"$tmp/where" &
load=$!
turns=0
while kill -0 $load 2>/dev/null; do
	start two fault
	where=$(touch_pages read 1009)
	ktrc-ctl stop -q --session=two || fail "stop two: $?"
	turns=$((turns + 1))
done
wait $load || fail "load: $?"
note "the other was started and stopped $turns times"
[ $turns -ge 3 ] || fail "only $turns turns"
collect one
expect "under load" "$(in_range one fault "$(cat "$tmp/where")")" $((12 * 5003))
ktrc-read events -q --no-header --session=two >"$tmp/two" || fail "read two"
balanced two
expect "in the last turn" "$(in_range two fault "$where")" 1009
expect "both are there" "$(ktrc-ctl status --format=json | jq -c '[.sessions[].session] | sort')" \
	'["one","two"]'
ktrc-ctl reset --session=one && ktrc-ctl reset --session=two
