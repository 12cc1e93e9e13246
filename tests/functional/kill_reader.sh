#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Readers killed at random moments, in both modes: the session records on, the next
# reader gets in at once, the books balance, nothing leaks, and of the directories
# they left none looks like a whole trace that is not.
. tests/functional/lib.sh

RANDOM=20261
traces=/tmp/kill_reader
kills=0 saves=0 within=900

# killed COMMAND...: at a random moment, having done nothing wrong; one that was too
# fast brings the next moments forward
killed() {
	local reader status=0
	"$@" >/dev/null 2>/tmp/complaint &
	reader=$!
	sleep "$(printf '0.%03d' $((RANDOM % within)))"
	kill -KILL $reader 2>/dev/null
	wait $reader 2>/dev/null || status=$?
	case $status in
	137) kills=$((kills + 1)) ;;
	0) within=$((within * 2 / 3 + 10)) ;;
	*) fail "$* ended with $status: $(cat /tmp/complaint)" ;;
	esac
}

# killed_saving DIR COMMAND...: once DIR is half there
killed_saving() {
	local dir=$1 reader
	shift
	"$@" 2>/tmp/complaint &
	reader=$!
	until compgen -G "$dir.tmp-*" >/dev/null; do
		kill -0 $reader 2>/dev/null || fail "$* has ended: $(cat /tmp/complaint)"
		sleep 0.05
	done
	kill -KILL $reader
	wait $reader 2>/dev/null
	kills=$((kills + 1))
}

hits() {
	ktrc-ctl stats --format=json | jq '[.counters[].hits] | add'
}

records_on() {
	local before after
	ktrc-ctl status --format=json | jq -e '.sessions[0] |
		.state == "running" and (.has_consumer | not)' >/dev/null ||
		fail "$1: $(ktrc-ctl status)"
	before=$(hits) after=$(hits)
	[ "$after" -gt "$before" ] || fail "$1: it does not record: $before, then $after hits"
}

balance() {
	ktrc-read check >/tmp/check || fail "$1: books do not balance: $(cat /tmp/check)"
}

flight() {
	ktrc-ctl start --memory=512K --packet=16K || fail "start: $?"
	storm
	ktrc-read --save $traces/first || fail "save: $?"
	until [ $kills = 12 ]; do
		killed ktrc-read --save "$traces/$((++saves))"
	done
	until [ $kills = 20 ]; do
		killed ktrc-read events --format=ndjson
	done
	records_on flight
	calm
	ktrc-ctl stop || fail "stop: $?"
	balance flight
}

# what each killed consumer wrote down and the last one read is all that was written
stream_consumed() {
	ktrc-ctl start --mode=stream --memory=512K --packet=4K || fail "start: $?"
	storm
	within=100
	until [ $kills = 38 ]; do
		killed consume /tmp/cells
	done
	records_on consume
	calm
	ktrc-ctl stop || fail "stop: $?"
	consume /tmp/cells | sort >/tmp/read || fail "consume: $?"
	ktrc-ctl stats --format=json |
		jq -r '.counters[] | select(.cpu != null) | "\(.cpu) \(.event_id) \(.written)"' |
		sort >/tmp/written
	expect "records read" "$(cat /tmp/read)" "$(cat /tmp/written)"
}

stream_followed() {
	ktrc-ctl start --mode=stream --memory=512K --packet=4K || fail "start: $?"
	storm
	within=400
	until [ $kills -ge 48 ]; do
		killed ktrc-read events --follow
		killed ktrc-read --follow --save "$traces/$((++saves))"
	done
	killed_saving $traces/last ktrc-read -q --follow --save $traces/last
	records_on follow
	calm
	ktrc-ctl stop || fail "stop: $?"
	balance stream
}

# a directory that opens is whole, or says that it is not; one with its final name is
judge_traces() {
	local dir whole=0 halves=0
	for dir in "$traces"/*; do
		if ktrc-read check "$dir" >/tmp/check 2>&1 && ! grep -q '^ktrc-read: this is not all' /tmp/check; then
			whole=$((whole + 1))
		elif [ -s /tmp/check ] && ! grep -q '^ktrc-read:' /tmp/check; then
			fail "$dir opens and is not whole: $(cat /tmp/check)"
		else
			halves=$((halves + 1))
			[[ $dir == *.tmp-* ]] || fail "$dir: $(cat /tmp/check)"
		fi
	done
	note "$whole whole traces, $halves half-written ones"
	[ $whole -ge 1 ] || fail "no trace was saved"
	[ $halves -ge 1 ] || fail "the reader that was killed while it saved has left nothing"
}

rm -rf $traces /tmp/cells
mkdir $traces
flight
stream_consumed
stream_followed
judge_traces
note "$kills readers killed"
ktrc-ctl reset || fail "reset: $?"
! grep -F '[ktrc]' /proc/vmallocinfo || fail "memory is left over"
rmmod ktrc || fail "the module is still in use"
