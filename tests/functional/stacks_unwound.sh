#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# stack=dwarf follows user stacks of code without frame pointers, through the C library: 1,009 calls have
# exactly the callers that the compiler's runtime finds, named; where the copy of a deeper stack ends, as many
# of them as it holds.  A saved trace says the same when the process has ended; of a session nothing is left
# then but where it was, unless it records what is mapped and the files are still there.  The same holds of what
# leads to reclaim, and to compaction.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
event=madvise arguments=(1009)
cgroups=/sys/fs/cgroup

# read_into FILE [TRACE]: what it recorded
read_into() {
	json_events --stacks "${@:2}" >"$tmp/all" || fail "events: $?"
	jq -c "select(.pid == $pid and .event == \"$event\")" "$tmp/all" >"$1"
}

# another_build: comes to where the file was, of the same code
another_build() {
	python3 - "$tmp/unwound" <<'END'
import os, sys
with open(sys.argv[1], 'rb') as file:
    code = bytearray(file.read())
code[code.index(b'\x14\0\0\0\3\0\0\0GNU\0') + 16] ^= 1 # its build id
os.unlink(sys.argv[1])
with open(sys.argv[1], 'wb') as file:
    file.write(code)
END
}

# callers FUNCTION [FILE]: of the records that come from it, from the caller of what advises on: how often, end, addresses
callers() {
	jq -r "select(any(.user_stack.frames[]; .function == \"$1\")) | .user_stack |
		select(.unwound and .frames[1].function == \"advise\") |
		[.stack_end, .frames[2:][].address] | join(\" \")" "${2:-$tmp/rows}" | sort | uniq -c | sed 's/^ *//'
}

# counted COPIED UNWOUND [TRACE]: what check says
counted() {
	ktrc-read check "${@:3}" >"$tmp/check" || fail "check: $?"
	expect "counted" "$(ktrc-read check --format=json "${@:3}" | jq -c '.total | [.copied_stacks, .unwound_stacks]')" "[$1,$2]"
}

# record [,EVENTS] [COMMAND...]: as well, of the program that this runs
record() {
	ktrc-ctl start -q --events="$event:stack=dwarf${1-}" --memory=16M || fail "start: $?"
	install build/functional/unwound "$tmp/unwound" # another build is not executable
	coproc program { exec "${@:2}" "$tmp/unwound" "${arguments[@]}"; }
	pid=$!
	read -r sort <&"${program[0]}" || fail "unwound"
	read -r deep <&"${program[0]}" || fail "unwound"
	ktrc-ctl stop -q || fail "stop: $?"
}

end() {
	eval "exec ${program[1]}>&-"
	wait "$pid"
}

record
ktrc-ctl stats --format=json >"$tmp/stats"
all_accounted "$tmp/stats"
counted 2019 2019
read_into "$tmp/rows"
expect "callers of advice by way of the C library" "$(callers compare)" "1009 whole $sort"
got=$(callers call_below)
nr=$(wc -w <<<"$got")
expect "callers under much on the stack" "$got" "1009 depth $(cut -d ' ' -f "1-$((nr - 2))" <<<"$deep")"
[ "$nr" -ge 7 ] || fail "only $nr callers"
expect "function, file of the caller in the C library" \
	"$(jq -r '.user_stack.frames[] | select(.function == "qsort_r" or .function == "qsort") | .file' "$tmp/rows" | sort -u | sed 's|.*/||')" libc.so.6
expect "kernel stacks" "$(jq -r '.kernel_stack.frames | any(.[]; .function == "__x64_sys_madvise")' "$tmp/rows" | sort | uniq -c | tr -s ' ')" " 2019 true"
ktrc-read events --stacks >"$tmp/text" || fail "text: $?"
grep -qE "^	 *[0-9a-f]+ compare\\+0x[0-9a-f]+ \\(.*/unwound\\)\$" "$tmp/text" || fail "no name in the text"

# its file is deleted, then the process ends
ktrc-read -q --save "$tmp/trace" || fail "save: $?"
rm "$tmp/unwound"
read_into "$tmp/deleted"
sed 's/ (deleted)"/"/g' "$tmp/deleted" | cmp "$tmp/rows" - || fail "of a deleted file something else is found"
end
read_into "$tmp/saved" "$tmp/trace"
cmp "$tmp/rows" "$tmp/saved" || fail "the saved trace does not say the same"
counted 2019 0
grep -q "2019 of 2019 copied stacks not unwound" "$tmp/check" || fail "check does not say so"
counted 2019 2019 "$tmp/trace"
read_into "$tmp/ended"
expect "stacks of a process that has ended" "$(jq -c '.user_stack | [.unwound, (.frames | length)]' "$tmp/ended" | sort | uniq -c | tr -s ' ')" " 2019 [false,1]"
ktrc-read events --stacks >"$tmp/text" || fail "text: $?"
grep -qE "^	 *user not unwound\$" "$tmp/text" || fail "the text does not say that it was not unwound"
ktrc-ctl reset -q

# what it has mapped is recorded
record ,map,process
read_into "$tmp/rows"
expect "callers of advice by way of the C library" "$(callers compare)" "1009 whole $sort"
end
read_into "$tmp/ended"
cmp "$tmp/rows" "$tmp/ended" || fail "stacks of a process that has ended are others"
ktrc-read -q --save "$tmp/trace_of_ended" || fail "save: $?"
another_build
read_into "$tmp/replaced"
expect "stacks by a file that was replaced" "$(callers compare "$tmp/replaced")" ""
expect "frames by a file that was replaced" "$(jq -c '.user_stack | [.stack_end, .frames[].address]' "$tmp/replaced" | sort -u)" \
	"$(jq -c '.user_stack | ["broken", .frames[:2][].address]' "$tmp/rows" | sort -u)" # by the C library it is known who called it
read_into "$tmp/saved" "$tmp/trace_of_ended"
cmp "$tmp/rows" "$tmp/saved" || fail "the saved trace of a process that has ended does not say the same"
ktrc-ctl reset -q

# it has ended, and its parent has not asked how
record ,map,process perl -e 'exec @ARGV if !fork; close STDIN; sleep 1000'
parent=$pid
pid=$(pgrep -P "$parent") || fail "no child"
read_into "$tmp/rows"
expect "callers of advice by way of the C library" "$(callers compare)" "1009 whole $sort"
eval "exec ${program[1]}>&-"
until grep -q "^State:.Z" "/proc/$pid/status"; do sleep 0.1; done
read_into "$tmp/ended"
cmp "$tmp/rows" "$tmp/ended" || fail "stacks of a zombie are others"
kill "$parent"
wait "$parent"
ktrc-ctl reset -q

# leads_to EVENT ARGUMENT...: of another event, to which the program comes with these
leads_to() {
	event=$1 arguments=("${@:2}")
	record
}

# led: it was the same callers, 11 times or more, as not every way leads there
led() {
	local nr
	read_into "$tmp/rows"
	nr=$(jq -c 'select(any(.user_stack.frames[]; .function == "compare"))' "$tmp/rows" | wc -l)
	[ "$nr" -ge 11 ] || fail "$event: $nr records"
	expect "callers of what leads to $event" "$(callers compare)" "$nr whole $sort"
	end
	ktrc-ctl reset -q
}

echo +memory >$cgroups/cgroup.subtree_control
mkdir $cgroups/reclaimed
leads_to reclaim 11 $cgroups/reclaimed/memory.reclaim 64K
led
rmdir $cgroups/reclaimed

sysctl -q vm.compaction_proactiveness=0 # it would leave nothing to do
sysctl -q vm.watermark_boost_factor=0 # what must stay free must not grow beyond what is
mkfifo "$tmp/go"
fragment $(($(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo) - 16)) <"$tmp/go" >"$tmp/said" &
exec {go}>"$tmp/go"
until grep -q ready "$tmp/said"; do
	kill -0 $! || fail "no fragments"
	sleep 0.1
done
echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
echo always >/sys/kernel/mm/transparent_hugepage/defrag
leads_to compaction 61 huge
exec {go}>&-
led
