#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A read that finds nothing says why, and what to do, in one sentence and one hint.
. tests/functional/lib.sh

failed=0

# says CODE ERROR HINT COMMAND...: regular expressions; HINT - : none is needed
says() {
	local code=$1 error=$2 hint=$3 got=0 lines
	shift 3
	"$@" >/tmp/out 2>/tmp/err || got=$?
	mapfile -t lines </tmp/err
	if [ $got != "$code" ] || [ -s /tmp/out ] || [ ${#lines[@]} -gt 2 ] ||
		! [[ ${lines[0]:-} =~ ^ktrc-(read|ctl):\ .*$error ]] ||
		{ [ "$hint" != - ] && ! [[ ${lines[1]:-} =~ ^hint:\ .*$hint ]]; }; then
		note "$*: exit code $got, wanted $code; \"$error\", \"$hint\"; got:"
		cat /tmp/out /tmp/err
		failed=1
	fi
}

# every view says the same
views_say() {
	local view
	for view in summary faults events; do
		says "$@" ktrc-read $view
	done
}

as_nobody() {
	setpriv --reuid=65534 --clear-groups --inh-caps=-all "$@"
}

rmmod ktrc
says 3 "ktrc is not loaded" "modprobe ktrc" ktrc-read
says 3 "ktrc is not loaded" "modprobe ktrc" ktrc-read --follow
says 3 "ktrc is not loaded" "modprobe ktrc" ktrc-ctl status
insmod ktrc.ko

says 3 'no session "default"' "ktrc-ctl start" ktrc-read
says 3 'no session "default"' "ktrc-ctl start" ktrc-read --save /tmp/empty
says 3 'no session "other"' "ktrc-ctl start --session=other" ktrc-read --session=other
says 3 "no session" "ktrc-ctl start" ktrc-ctl status

control new || fail "control: $?"
views_say 3 "never started" "ktrc-ctl start"

control start_in_silence || fail "control: $?"
views_say 3 "fault is unavailable: kprobes are switched off" "ktrc-ctl doctor"
ktrc-ctl stop || fail "stop: $?"
views_say 3 "recorded for [0-9.]+ s, but no event happened" "ktrc-ctl status"
echo 1 >/sys/kernel/debug/kprobes/enabled

ktrc-ctl start -q --events=process || fail "start: $?"
sh -c :
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read -q --save /run/process || fail "save: $?"
for view in "faults fault" "reclaim reclaim" "compaction compaction" "madvise madvise" "throttle throttle"; do
	says 3 "it does not record ${view#* }\$" "ktrc-ctl start --events=${view#* }" ktrc-read "${view% *}"
	says 3 "it does not record ${view#* }\$" - ktrc-read "${view% *}" /run/process
done

says 4 "not permitted" "root|CAP_PERFMON" as_nobody ktrc-read
says 4 "CAP_PERFMON" "root|CAP_PERFMON" as_nobody ktrc-ctl status
says 4 "CAP_PERFMON" "root|CAP_PERFMON" as_nobody ktrc-ctl start
ktrc-ctl reset
[ $failed = 0 ]
