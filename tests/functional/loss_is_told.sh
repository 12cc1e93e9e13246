#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What was lost is told by every view and every way to save, in what is printed or in a
# note that -q silences; where nothing was lost there is no note.  More than --max-loss is
# exit code 6, as much is not.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

# said: how much was lost, by the last command
said() {
	grep -Eho '(^|[^0-9])(lost [0-9]+|[0-9]+ hits lost)' "$tmp/out" "$tmp/err" | grep -Eo '[0-9]+' | sort -u
	jq .lost "$tmp/out" 2>/dev/null | sort -u
}

# tells LOST ARGUMENT...: of ktrc-read
tells() {
	local lost=$1
	shift
	ktrc-read "$@" >"$tmp/out" 2>"$tmp/err" || fail "$*: $?: $(cat "$tmp/err")"
	[[ $'\n'$(said)$'\n' == *$'\n'$lost$'\n'* ]] ||
		fail "$*: lost $lost, said $(said): $(cat "$tmp/err"; head -5 "$tmp/out")"
}

# quiet ARGUMENT...
quiet() {
	ktrc-read -q "$@" >/dev/null 2>"$tmp/err" || fail "-q $*: $?"
	[ ! -s "$tmp/err" ] || fail "-q $*: $(cat "$tmp/err")"
}

# views LOST
views() {
	local view
	for view in summary faults madvise reclaim compaction throttle frag events; do
		tells "$1" $view
		tells "$1" $view --no-header
		tells "$1" $view --format=json
		tells "$1" $view --format=ndjson
		quiet $view --no-header
	done
	for view in reclaim:drsnoop compaction:compactsnoop; do
		tells "$1" "${view%:*}" --compat="${view#*:}"
		tells "$1" "${view%:*}" --compat="${view#*:}" --no-header
		quiet "${view%:*}" --compat="${view#*:}"
	done
	tells "$1" check --format=json
	tells "$1" check --no-header
	tells "$1" check --format=ndjson
}

# limit CODE OPTION...
limit() {
	local code=$1 got=0
	shift
	ktrc-read faults "$@" >/dev/null 2>"$tmp/err" || got=$?
	expect "exit code of $*: $(cat "$tmp/err")" $got "$code"
}

# some_of_each: of the families that faults do not crowd out, as they come first
some_of_each() {
	local cgroup=/sys/fs/cgroup/short
	advise each 1 >/dev/null || fail "advise: $?"
	echo 1 >/proc/sys/vm/compact_memory
	echo "+cpu +memory" >/sys/fs/cgroup/cgroup.subtree_control
	mkdir $cgroup || fail "mkdir"
	spin taskset -c 1
	echo $spinner >$cgroup/cgroup.procs || fail "cannot move"
	echo "5000 100000" >$cgroup/cpu.max
	sleep 1
	echo max >$cgroup/cpu.max
	kill $spinner
	wait $spinner
	echo 8M >$cgroup/memory.max
	echo 3 >/proc/sys/vm/drop_caches
	# shellcheck disable=SC2016 # that shell's
	in_cgroup $cgroup sh -c 'cat /usr/bin/*d | head -c 16M >/dev/null'
	rmdir $cgroup || fail "rmdir"
}

ktrc-ctl start -q --mode=stream --events=fault,madvise,reclaim,compaction,throttle --memory=256K --packet=4K ||
	fail "start: $?"
# it may take half a minute, after which a stream stops by itself that has no consumer
attend &
attending=$!
some_of_each
touch_pages storm 20000 >/dev/null
kill -0 $attending || fail "attend has ended"
kill $attending
wait $attending
ktrc-ctl stop -q || fail "stop: $?"
lost=$(ktrc-ctl stats --format=json | jq .lost)
[ "$lost" -gt 1000 ] || fail "only $lost lost"

views "$lost"
tells "$lost" --save "$tmp/trace"
tells "$lost" events "$tmp/trace"
tells "$lost" summary --no-header "$tmp/trace"
ktrc-ctl snapshot "$tmp/snapshot" 2>"$tmp/err" || fail "snapshot: $?"
grep -q " $lost hits lost" "$tmp/err" || fail "snapshot: $(cat "$tmp/err")"
quiet --save "$tmp/quiet"
limit 6 --max-loss=0
limit 6 --fail-on-loss
limit 6 --max-loss=$((lost - 1))
limit 0 --max-loss="$lost"
tells "$lost" --follow --save "$tmp/followed"
tells "$lost" events --follow
ktrc-read events >"$tmp/out" 2>"$tmp/err"
expect "exit code when a consumer has it all" $? 3
expect "what it says was lost" "$(said)" "$lost"
ktrc-ctl reset

ktrc-ctl start -q --memory=4M || fail "start: $?"
touch_pages read 1009 >/dev/null
ktrc-ctl stop -q || fail "stop: $?"
limit 0 --fail-on-loss
for view in summary faults events; do
	ktrc-read $view --no-header --format=ndjson >/dev/null 2>"$tmp/err" || fail "$view: $?"
	! grep lost "$tmp/err" || fail "nothing was lost, but $view says so"
done
ktrc-ctl reset
