#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Frames of the kernel are named as /proc/kallsyms names them, read by itself: of a session, of a
# saved trace and of a stream that was consumed, the same; those of the hook are not shown, so the
# innermost one is who called what is hooked.  Where the kernel hides its addresses they stay without
# a name.  How many user stacks have one frame is as many as there are.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
events=madvise:stack=both,fault:stack=kernel,fault.light:stack=kernel

record() {
	ktrc-ctl start -q "$@" --events=$events --memory=16M || fail "start: $?"
	known_stacks two 1009 503 >/dev/null || fail "known_stacks: $?"
	known_stacks lost 211 >/dev/null || fail "known_stacks: $?"
}

# right FILE: how many frames of the kernel have one of the names that begin there, and how many have not
right() {
	python3 - "$1" <<'END'
import bisect, json, sys
names = {}
with open('/proc/kallsyms', encoding='ascii') as file:
    for at, kind, name, *module in map(str.split, file):
        if kind in 'tTwW':
            names.setdefault(int(at, 16), set()).add((name, module[0][1:-1] if module else None))
begins = sorted(names)
right = wrong = 0
for row in map(json.loads, open(sys.argv[1], encoding='utf-8')):
    for frame in row.get('kernel_stack', {'frames': []})['frames']:
        at = int(frame['address'], 16)
        begin = begins[bisect.bisect_left(begins, at) - 1]
        if (frame.get('function'), frame.get('module')) in names[begin] and frame['offset'] == at - begin:
            right += 1
        else:
            wrong += 1
            print(frame, names[begin], file=sys.stderr)
print(right >= 3 * 1723, wrong)
END
}

# callers EVENT: the innermost functions of its kernel stacks
callers() {
	jq -r --arg event "$1" 'select(.event == $event).kernel_stack.frames[0].function' "$tmp/rows" | sort -u | tr '\n' ' '
}

record
ktrc-ctl stop -q || fail "stop: $?"
json_events --stacks >"$tmp/rows" || fail "events: $?"
expect "frames with their name, without" "$(right "$tmp/rows" 2>"$tmp/wrong")" "True 0"
expect "who gives advice" "$(callers madvise)" "__x64_sys_madvise "
# the compiler may make a function of the tracepoint's call
traced=$(sed -nE 's/.* (trace_page_fault_(kernel|user))$/\1/p' /proc/kallsyms | sort -u | tr '\n' ' ')
expect "who is traced at once" "$(callers fault.light)" "${traced:-exc_page_fault }"
callers fault | grep do_user_addr_fault >/dev/null || fail "who faults: $(callers fault)"
grep -q trampoline "$tmp/rows" && fail "the hook is shown: $(grep -m 1 trampoline "$tmp/rows")"
ktrc-read -q --save "$tmp/trace" || fail "save: $?"
json_events --stacks "$tmp/trace" >"$tmp/saved" || fail "saved: $?"
cmp "$tmp/rows" "$tmp/saved" || fail "the saved trace does not say the same"
ktrc-read events --stacks "$tmp/trace" >"$tmp/text" || fail "text: $?"
grep -qE '^	ffffffff[0-9a-f]{8} __x64_sys_madvise\+0x[0-9a-f]+$' "$tmp/text" || fail "no name in the text"

# the share
ktrc-read check --format=json >"$tmp/check" || fail "check: $?"
expect "user stacks, of one frame" "$(jq -c '[.total.user_stacks, .total.one_frame_stacks]' "$tmp/check")" \
	"$(jq -s -c '[.[].user_stack | values | .frames | length] | [length, (map(select(. == 1)) | length)]' "$tmp/rows")"
jq -e '.total.one_frame_stacks >= 211 and .total.user_stacks >= 1723' "$tmp/check" >/dev/null || fail "too few: $(cat "$tmp/check")"
percent=$(jq -r '.total | 10000 * .one_frame_stacks / .user_stacks | round / 100' "$tmp/check")
for view in check summary; do
	ktrc-read $view | grep "^stacks  .*$percent.*one frame: code without frame pointers" >/dev/null || fail "$view does not say it: $(ktrc-read $view)"
done
ktrc-ctl reset -q

# from a stream, as it is consumed
record --mode=stream
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read -q --follow --save="$tmp/stream" || fail "follow: $?"
json_events --stacks "$tmp/stream" >"$tmp/rows" || fail "stream: $?"
expect "followed: frames with their name, without" "$(right "$tmp/rows" 2>"$tmp/wrong")" "True 0"
ktrc-ctl reset -q

echo 2 >/proc/sys/kernel/kptr_restrict
record
ktrc-ctl stop -q || fail "stop: $?"
json_events --stacks >"$tmp/rows" || fail "hidden: $?"
ktrc-read -q --save "$tmp/hidden" || fail "save: $?"
echo 0 >/proc/sys/kernel/kptr_restrict
expect "hidden: names" "$(jq -r '.kernel_stack | values | .frames[].function' "$tmp/rows" | sort -u)" null
expect "hidden: saved names" "$(jq -c .functions "$tmp/hidden/ktrc/ktrc.json")" "[]"
ktrc-ctl reset -q
