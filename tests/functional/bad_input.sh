#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Wrong command lines, files, calls and messages: each gets its exit code or errno and
# one line that says what is wrong, and changes neither a session nor a counter.
. tests/functional/lib.sh

dir=/tmp/bad_input
rows=0 failed=0

complain() {
	note "$1: exit code $got"
	cat $dir/out $dir/err
	failed=1
}

# One line "ktrc-...: ...", then at most one "hint: ..."; HINT - : none is needed.
is_well_said() {
	local lines
	mapfile -t lines <$dir/err
	[ ${#lines[@]} -le 2 ] && [[ ${lines[0]:-} =~ ^ktrc-(ctl|read)(\ [a-z]+)?:\ .*$1 ]] &&
		{ [ ${#lines[@]} = 1 ] || [[ ${lines[1]} =~ ^hint:\ . ]]; } &&
		{ [ "$2" = - ] || [[ ${lines[1]:-} =~ $2 ]]; }
}

# bad CODE ERROR HINT COMMAND...: regular expressions
bad() {
	local code=$1 error=$2 hint=$3 got=0
	shift 3
	rows=$((rows + 1))
	"$@" >$dir/out 2>$dir/err </dev/null || got=$?
	[ $got = "$code" ] || complain "$*: wanted exit code $code"
	[ ! -s $dir/out ] || complain "$*: printed something"
	is_well_said "$error" "$hint" || complain "$*: wanted \"$error\", \"$hint\""
	[ "$(control $look)" = "$state" ] && return
	complain "$*: changed sessions or counters"
	state=$(control $look)
}

# Which hits become records, and how long.
filters() {
	local stacks='stack=user|kernel|both|ip|none depth=N'
	local can="min=TIME major user kernel count 1/N $stacks"
	bad 2 'fault: no option "mayor"' "$can" ktrc-ctl start --events=fault:mayor
	bad 2 'fault: no option ""' "$can" ktrc-ctl start --events=fault:
	bad 2 'fault: no option "min"' "$can" ktrc-ctl start --events=fault:min
	bad 2 'fault.light: no option "min=1ms"' 'user kernel' ktrc-ctl start --events=fault.light:min=1ms
	bad 2 'min="1" is not a duration' - ktrc-ctl start --events=fault:min=1
	bad 2 'min="0ms" is not a duration' - ktrc-ctl start --events=fault:min=0ms
	bad 2 'min="1d" is not a duration' - ktrc-ctl run --events=fault:min=1d 1s
	bad 2 'min-ns is above an hour' - ktrc-ctl start --events=fault:min=2h
	bad 2 'stack="users" is none of user, kernel' - ktrc-ctl start --events=fault:stack=users
	bad 2 'stack="dwarf" is none of' - ktrc-ctl start --events=fault:stack=dwarf
	bad 2 'stack="users" is none of user, kernel, both, ip, dwarf' - ktrc-ctl start --events=madvise:stack=users
	bad 2 'packet-bytes must be 8192 or more' - ktrc-ctl start --events=madvise:stack=dwarf --packet=4K
	bad 2 'stack="" is none of' - ktrc-ctl start --events=fault:stack=
	bad 2 'depth="65" is not a number of frames' - ktrc-ctl start --events=fault:stack=user:depth=65
	bad 2 'depth="0" is not' - ktrc-ctl start --events=fault:stack=user:depth=0
	bad 2 'depth=9: there is no stack' 'fault:stack=user:depth=9' ktrc-ctl start --events=fault:depth=9
	bad 2 'depth=9: there is no stack' - ktrc-ctl start --events=fault:stack=ip:depth=9
	bad 2 'fault: no option "stack"' "$can" ktrc-ctl start --events=fault:stack
	bad 2 'what is only counted has no stacks' - ktrc-ctl start --events=fault:count:stack=user
	bad 2 'throttle: no option "stack=user"' - ktrc-ctl start --events=throttle:stack=user
	bad 2 '"1/0" is not one in so many' - ktrc-ctl start --events=fault:1/0
	bad 2 '"1/4294967296" is not one' - ktrc-ctl start --events=fault:1/4294967296
	bad 2 'user and kernel exclude' - ktrc-ctl start --events=fault:user:kernel
	bad 2 'user and kernel exclude' - ktrc-ctl start --events=fault:user --kernel
	bad 2 '"fault" is named twice' - ktrc-ctl start --events=fault,fault:major
	bad 2 '"reclaim.begin" is not recorded by itself' 'with "reclaim"' \
		ktrc-ctl start --events=reclaim.begin
	bad 2 'no event "reclame"' '"reclaim"' ktrc-ctl start --events=reclame:min=1ms
	bad 2 '--major: none of the events' 'ktrc-ctl list' ktrc-ctl start --events=reclaim --major
	bad 2 '--min: none of the events' 'ktrc-ctl list' ktrc-ctl start --events=fault.light --min=1ms
	bad 2 '--min: "x" is not a duration' - ktrc-ctl start --min=x
	bad 2 '--sample: "64" is not one in so many' - ktrc-ctl start --sample=64
	bad 2 '--pid: "0" is not' - ktrc-ctl start --pid=0
	bad 2 '--pid: "" is not' - ktrc-ctl start --pid=1,
	bad 2 '--pid: "init" is not' - ktrc-ctl run --pid=init 1s
	bad 2 '--pid: more than 16' - ktrc-ctl start --pid=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
	bad 2 '--cgroup: nobody: no such cgroup' 'system.slice' ktrc-ctl start --cgroup=nobody
	bad 2 '--cgroup: : no such cgroup' 'system.slice' ktrc-ctl start --cgroup=
	bad 2 '--cgroup: /tmp: no such cgroup' 'system.slice' ktrc-ctl start --cgroup=/tmp
	bad 2 '--max-time: "500ms" is not a number of whole' - ktrc-ctl start --max-time=500ms
	bad 2 '--max-time: "721h" is more than 30 days' - ktrc-ctl start --max-time=721h
	bad 2 '--max-time: "-1s" is not a duration' - ktrc-ctl run --max-time=-1s 1s
	bad 2 '--window: "0s" is not a duration' - ktrc-ctl start --window=0s
	bad 2 '--memory or --window' - ktrc-ctl start --window=1m --memory=1M
	bad 2 'DIR, .*missing' - ktrc-ctl snapshot
	bad 2 'one DIR' - ktrc-ctl snapshot a b
	bad 1 'cannot save.*exists' 'does not exist yet' ktrc-ctl snapshot $dir
	bad 3 'no session "nobody"' 'ktrc-ctl start' ktrc-ctl snapshot $dir/x --session=nobody
	bad 2 'notices have no end' 'ndjson' ktrc-ctl monitor --format=json
	bad 2 '"x"' - ktrc-ctl monitor x
}

# The words on a command line, whatever sessions there are.
command_lines() {
	bad 2 'unknown verb "strat"' '"start"' ktrc-ctl strat
	bad 2 'unknown verb' - ktrc-ctl ""
	bad 2 'unknown verb "strat"' '"start"' ktrc-ctl help strat
	bad 2 'unknown option .*evens' 'events' ktrc-ctl start --evens=fault
	bad 2 'unknown option' - ktrc-ctl start -z
	bad 2 'requires an argument' - ktrc-ctl start --session
	bad 2 'no event "fualt"' '"fault"' ktrc-ctl start --events=fualt
	bad 2 'no event "falt.light"' '"fault.light"' ktrc-ctl start --events=fault,falt.light
	bad 2 'no event "task"' 'ktrc-ctl list' ktrc-ctl start --events=task
	bad 2 'no event .*empty place of ""' 'ktrc-ctl list' ktrc-ctl start --events=
	bad 2 'no event .*empty place of ","' 'ktrc-ctl list' ktrc-ctl start --events=,
	bad 2 'no event .*empty place of "fault,"' 'ktrc-ctl list' ktrc-ctl start --events=fault,
	bad 2 'no event .*empty place of ",fault"' 'ktrc-ctl list' ktrc-ctl run --events=,fault 1s
	bad 2 '"0" is not a size' - ktrc-ctl start --memory=0
	bad 2 '"12Q" is not a size' - ktrc-ctl start --memory=12Q
	bad 2 '"-1" is not a size' - ktrc-ctl start --memory=-1
	bad 2 'is not a size' - ktrc-ctl start --memory=99999999999999999999
	bad 2 'is not a size' - ktrc-ctl start --packet=64KB
	filters
	bad 2 '"fly" is neither flight nor stream' - ktrc-ctl start --mode=fly
	bad 2 '"extra"' - ktrc-ctl start extra
	bad 2 '1 to 31' - ktrc-ctl start --session=
	bad 2 '1 to 31' - ktrc-ctl start --session=../default
	bad 2 '31' - ktrc-ctl start --session=12345678901234567890123456789012
	bad 2 'DURATION' - ktrc-ctl run
	bad 2 '"10x"' - ktrc-ctl run 10x
	bad 2 '"0s"' - ktrc-ctl run 0s
	bad 2 'one DURATION' - ktrc-ctl run 1s 2s
	bad 2 'not both' - ktrc-ctl run 1s -- true
	bad 2 'does not take an argument' - ktrc-ctl run --quiet=1 1s
	bad 2 'unknown format "xml"' - ktrc-ctl run --format=xml 1s
	bad 2 '"x"' - ktrc-ctl list x
	bad 3 'no session "nobody"' 'ktrc-ctl start' ktrc-ctl status --session=nobody
	bad 3 'no session "nobody"' 'ktrc-ctl start' ktrc-ctl stats --session=nobody
	bad 3 'no session "nobody"' 'ktrc-ctl start' ktrc-ctl stop --session=nobody
	bad 3 'no session "nobody"' 'ktrc-ctl start' ktrc-ctl reset --session=nobody
	bad 3 'no session "nobody"' 'ktrc-ctl start' ktrc-read --session=nobody
	bad 2 'unknown view "sumary"' '"summary"' ktrc-read sumary
	bad 2 'one TRACE' - ktrc-read $dir $dir
	bad 2 '"x" is not a number' - ktrc-read --top=x
	bad 2 '"-1" is not a number' - ktrc-read --max-loss=-1
	bad 2 '"maybe"' - ktrc-read --color=maybe
	bad 2 'unknown format "yaml"' - ktrc-read --format=yaml
	bad 2 'unknown option .*fomat' 'format' ktrc-read --fomat=json
	bad 2 'requires an argument' - ktrc-read --save
	bad 2 'requires an argument' - ktrc-read -qn
	bad 2 'unknown option "-y"' - ktrc-read -qy
	bad 3 'no session "nobody"' - ktrc-read --save -dir -snobody
	bad 3 'no session "nobody"' - ktrc-read --save -- -qn5 -s nobody
	bad 2 '--save: .*missing' - ktrc-read --save=
	bad 1 'cannot save.*exists' 'does not exist yet' ktrc-ctl run --save=$dir 1s
	bad 1 'No such file' 'name a directory' ktrc-ctl run --save=$dir/missing/trace 1s
	bad 2 'TRACE' - ktrc-read --follow $dir
	bad 2 'not both' - ktrc-read faults --follow --save=$dir/trace
}

as_nobody() {
	setpriv --reuid=65534 --clear-groups --inh-caps=-all "$@"
}

# What a stopped session does not do, and where it cannot be saved.
stopped_session() {
	bad 3 'not recording' 'ktrc-read' ktrc-ctl stop
	bad 1 'flight recorder' '--mode=stream' ktrc-read --follow
	bad 4 'CAP_PERFMON|Permission denied' 'root|CAP_PERFMON' as_nobody ktrc-ctl stop
	bad 4 'CAP_PERFMON|Permission denied' 'root|CAP_PERFMON' as_nobody ktrc-ctl reset
	bad 1 'cannot save.*exists' 'does not exist yet' ktrc-read --save $dir
	bad 1 'Read-only' 'can be written' ktrc-read --save $dir/readonly/trace
	bad 1 'No such file' 'name a directory' ktrc-read --save $dir/missing/trace
	bad 1 'Not a directory' 'name a directory' ktrc-read --save $dir/out/trace
	bad 1 "$dir/small/trace/.*No space left" 'free some space' ktrc-read --save $dir/small/trace
	expect "left on the full disk" "$(ls -A $dir/small)" ""
	bad 1 'standard output: .*No space left' 'free some space' sh -c 'exec ktrc-read >/dev/full'
	bad 1 'standard output: .*No space left' 'space' sh -c 'exec ktrc-read events >/dev/full'
}

# The stopped recording is dropped for a new one only if there can be a new one.
impossible_sizes() {
	bad 2 'too small' - ktrc-ctl start --memory=64
	bad 2 'power of two' - ktrc-ctl start --packet=3000
	bad 1 'max_mb' - ktrc-ctl start --memory=2G
}

running_session() {
	bad 1 'already recording' 'ktrc-ctl stop' ktrc-ctl start
	bad 1 'already recording' 'ktrc-ctl stop' ktrc-ctl start --mode=stream --memory=1M
	bad 1 'already recording' 'ktrc-ctl stop' ktrc-ctl run --session=default 1s
}

# damaged HOW...: runs HOW on a copy of the trace, in it
damaged() {
	rm -rf $dir/copy
	cp -a $dir/trace $dir/copy
	(cd $dir/copy && "$@") || fail "$*"
}

edited() {
	damaged true
	jq "$1" $dir/trace/ktrc/ktrc.json >$dir/copy/ktrc/ktrc.json
}

no_traces() {
	bad 1 'No such file' - ktrc-read $dir/missing
	bad 1 'not a ktrc trace' 'save' ktrc-read $dir
	bad 1 'not a ktrc trace: not a directory' 'save' ktrc-read $dir/err
	bad 1 'not a ktrc trace' 'save' ktrc-read faults $dir/small
	damaged rm ktrc/ktrc.json
	bad 1 'not a ktrc trace' 'save' ktrc-read $dir/copy
	damaged truncate -s 100 ktrc/ktrc.json
	bad 1 'ktrc.json' - ktrc-read $dir/copy
	damaged truncate -s 0 ktrc/ktrc.json
	bad 1 'ktrc.json' - ktrc-read $dir/copy
	edited '{}'
	bad 7 "$dir/copy/ktrc/ktrc.json: format \"none\"" 'babeltrace2' ktrc-read $dir/copy
	edited '.streams = 7'
	bad 1 'streams' - ktrc-read $dir/copy
	edited '.format = "ktrc.trace/99"'
	bad 7 'format "ktrc.trace/99", this tool reads "ktrc.trace/1"' 'babeltrace2' ktrc-read $dir/copy
	edited '.clock.hz = 0'
	bad 1 "$dir/copy/ktrc/ktrc.json: it is damaged" - ktrc-read $dir/copy
	damaged sh -c 'rm cpu_0 && mkfifo cpu_0'
	bad 1 'cpu_0: cannot open' - timeout 10 ktrc-read $dir/copy
	damaged rm cpu_0
	bad 1 'cpu_0.*No such file' - ktrc-read $dir/copy
	damaged chmod 700 .
	bad 4 'Permission denied' - as_nobody ktrc-read $dir/copy
}

# cut MESSAGE: check says that the trace is damaged; summary shows the rest and says so
cut() {
	rows=$((rows + 2))
	! ktrc-read check $dir/copy >/dev/null 2>&1 || complain "check of a trace, $1"
	ktrc-read $dir/copy >$dir/out 2>$dir/err || complain "summary of a trace, $1: $?"
	[ -s $dir/out ] || complain "summary of a trace, $1: nothing"
	is_well_said "$1" - || complain "summary of a trace: wanted \"$1\""
}

cut_traces() {
	local got=0
	damaged truncate -s -1000 cpu_0
	cut 'cut short: [0-9]+ bytes'
	damaged truncate -s 64K cpu_0
	cut 'cut short: [0-9]+ bytes'
	damaged dd if=/dev/zero of=cpu_0 bs=64 seek=1024 count=1 conv=notrunc status=none
	cut 'damaged'
}

# Colours only on a terminal, where NO_COLOR is empty.
colours() {
	local got=0 escape=$'\e'
	rows=$((rows + 5))
	ktrc-read --color=always >$dir/out || complain "ktrc-read --color=always"
	grep -q "$escape" $dir/out || complain "no colour with --color=always"
	! ktrc-read | grep "$escape" || complain "colour in a pipe"
	! NO_COLOR=1 script -qec ktrc-read /dev/null | grep "$escape" || complain "NO_COLOR"
	! ktrc-read events 2>&1 >/dev/full | grep -vE '^(ktrc-read|hint):' || complain "full output"
	expect "messages when the reader of a pipe has gone" \
		"$( (ktrc-read events | head -n 1 >/dev/null) 2>&1)" ""
}

umount $dir/small $dir/readonly 2>/dev/null
rm -rf $dir && mkdir -m 755 $dir $dir/small $dir/readonly
mount -t tmpfs -o size=40k none $dir/small || fail "mount"
mount -t tmpfs -o ro none $dir/readonly || fail "mount"

look=state
state=$(control $look)
command_lines
bad 1 '/nonexistent: cannot run: No such file' - ktrc-ctl run -- /nonexistent

# all that the summary shows, so that it has nothing to say but of the damage
ktrc-ctl start -q --events=fault,reclaim --memory=4M || fail "start: $?"
taskset -c 0 touch_pages read 20011 >/dev/null
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read -q --save $dir/trace || fail "save: $?"
state=$(control $look)
stopped_session
no_traces
cut_traces
colours
bad_netlink || failed=1
bad_ioctl || failed=1
impossible_sizes

ktrc-ctl start -q --memory=1M || fail "start: $?"
look=sessions # while it runs its counters do not stand still
state=$(control $look)
running_session
echo 0 >/sys/kernel/debug/kprobes/enabled # now they do
look=state state=$(control state)
bad_netlink running || failed=1
ktrc-ctl reset
echo 1 >/sys/kernel/debug/kprobes/enabled

ktrc-ctl start -q --mode=stream --memory=1M || fail "start: $?"
ktrc-ctl stop -q || fail "stop: $?"
bad_ioctl || failed=1
ktrc-ctl reset
umount $dir/small $dir/readonly
note "$rows command lines"
[ $failed = 0 ]
