#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Of 1/N of the hits that become records the rule stays with them: in `status`, in `stats`,
# in a saved trace and in what other CTF readers see of it.  Weighted with it the records
# make up the hits, to less than N on each CPU.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

# estimate EVENT N [TRACE]: the hits, by the records of `ktrc-read events`
estimate() {
	ktrc-read events -q --no-header "${@:3}" | awk -v event="$1:" -v n="$2" '
		$6 == event { hits += n }
		END { print hits + 0 }'
}

ktrc-ctl start -q --events=fault:1/7,fault.light:min=1ms 2>/dev/null
expect "exit code: fault.light has no duration" $? 2
ktrc-ctl start -q --events=fault:1/7,fault.light --sample=1/61 || fail "start: $?"
touch_pages read 10007 >/dev/null
touch_pages write 5003 >/dev/null
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read -q --save "$tmp/trace" >/dev/null || fail "save: $?"
ktrc-ctl stats --format=json >"$tmp/stats" || fail "stats: $?"
cpus=$(jq '[.counters[].cpu] | unique | map(select(. != null)) | length' "$tmp/stats")

# near WHAT EVENT N [TRACE]
near() {
	local hits by
	by=$(estimate "${@:2}")
	hits=$(jq --arg event "$2" '[.counters[] | select(.event == $event).hits] | add' "$tmp/stats")
	note "$1: $2: $hits hits, by the records $by"
	[ "$by" -ge "$hits" ] || fail "$1: too few"
	[ "$by" -lt $((hits + cpus * $3)) ] || fail "$1: too many"
}
near "live" fault 7
near "live" fault.light 61
near "saved" fault 7 "$tmp/trace"
near "saved" fault.light 61 "$tmp/trace"

rules='fault 1/7 fault.light 1/61'
expect "status" "$(ktrc-ctl status --format=json |
	jq -r '.sessions[0].events[] | .event, .rule' | xargs)" "$rules"
expect "stats" "$(jq -r '.filters.rules[] | .event, .rule' "$tmp/stats" | xargs)" "$rules"
expect "weights" "$(jq -c '[.counters[] | [.event, .weight]] | unique' "$tmp/stats")" \
	'[["fault",7],["fault.light",61]]'
expect "trace" "$(jq -r '.session.filters.rules[] | .event, .sample' \
	"$tmp/trace/ktrc/ktrc.json" | xargs)" "fault 7 fault.light 61"
expect "CTF" "$(babeltrace2 -c sink.text.details "$tmp/trace" |
	sed -n 's/.*rule_fault[a-z_]*: //p' | awk '!seen[$0]++' | xargs)" "1/7 1/61"
ktrc-ctl reset
