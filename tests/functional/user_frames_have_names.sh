#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Frames of user stacks are named by function, file, place in it and build id, as nm and readelf of binutils tell them
# of the program's file and of the C library: of a session and of a saved trace, also when the file was deleted while
# it runs; a file that is made to do harm does none. A trace keeps the names when the process has ended; a session has
# none then, and none when the process runs another program, unless it records what is mapped: then they are as right,
# also of a process that was there before the session, and that has ended before anybody looked;
# but of a file that was replaced by one of another build, or deleted, there are path and build id alone; one that was
# written anew is another one. Each file that is mapped to be run stands there with its build id.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
ulimit -c 0
# each page of a library that is run faults, whatever ran before
echo 4096 >/sys/kernel/debug/fault_around_bytes

# record [,EVENTS]: as well
record() {
	ktrc-ctl start -q --events="madvise:stack=user,fault.light:stack=ip${1-}" --memory=16M || fail "start: $?"
	coproc program { exec "$tmp/known_stacks" stay two 1009 503; }
	pid=$!
	for _ in 1 2; do read -r _ <&"${program[0]}" || fail "known_stacks"; done
	cp "/proc/$pid/maps" "$tmp/maps"
	ktrc-ctl stop -q || fail "stop: $?"
}

# read_into FILE [TRACE]: what it recorded
read_into() {
	json_events --stacks "${@:2}" >"$tmp/all" || fail "events: $?"
	jq -c "select(.pid == $pid and .comm == \"known_stacks\")" "$tmp/all" >"$1"
}

# right ROWS: frames of the program's own file that are named as nm names them, those that are not; of the C
# library with its build id, those without
right() {
	python3 - "$1" "$tmp/maps" build/functional/known_stacks <<'END'
import json, re, subprocess, sys
rows, maps, program = sys.argv[1:]
def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
def build_id(path):
    return re.search('Build ID: ([0-9a-f]+)', output('readelf', '-n', path))[1]
regions = []
for line in open(maps, encoding='ascii'):
    addresses, mode, offset, _, _, *path = line.strip().split(maxsplit=5)
    if 'x' in mode and path:
        regions.append((*(int(at, 16) for at in addresses.split('-')), int(offset, 16), path[0]))
functions = [(int(f[0], 16), int(f[1], 16), f[3]) for f in (line.split() for line in output('nm', '-S', program).splitlines())
             if len(f) == 4 and f[2] in 'tTwW']
segments = [(int(s[1], 16), int(s[2], 16), int(s[4], 16)) for s in
            (line.split() for line in output('readelf', '-lW', program).splitlines()) if s[:1] == ['LOAD']]
own, library = [0, 0], [0, 0]
ids = {}
for row in map(json.loads, open(rows, encoding='utf-8')):
    for i, frame in enumerate(row.get('user_stack', {'frames': []})['frames']):
        at = int(frame['address'], 16)
        region = next((r for r in regions if r[0] <= at < r[1]), None)
        if not region or not region[3].startswith('/'):
            continue
        offset = at - region[0] + region[2]
        path = region[3].removesuffix(' (deleted)')
        if not path.endswith('/known_stacks'):
            ids[path] = ids.get(path) or build_id(path)
            library[(frame.get('file'), frame.get('build_id'), frame.get('file_offset')) != (path, ids[path], offset)] += 1
            continue
        segment = next(s for s in segments if s[0] <= offset < s[0] + s[2])
        where = offset - segment[0] + segment[1]
        wanted = {(name, where - begin) for begin, size, name in functions if begin <= where - (i > 0) < begin + size}
        ids[program] = ids.get(program) or build_id(program)
        got = (frame.get('function'), frame.get('offset'))
        if got in wanted and frame['file_offset'] == offset and frame['build_id'] == ids[program] and path in frame['file']:
            own[0] += 1
        else:
            own[1] += 1
            print(frame, wanted, file=sys.stderr)
print(own[0] >= 2 * 1512, own[1], library[0] > 10, library[1])
END
}

cp build/functional/known_stacks "$tmp/known_stacks"
record
read_into "$tmp/rows"
expect "named, or not; in libraries" "$(right "$tmp/rows" 2>"$tmp/wrong")" "True 0 True 0"
for function in advise one_caller another_caller; do
	grep -q "\"function\":\"$function\"" "$tmp/rows" || fail "nobody is called $function"
done
ktrc-read -q --save "$tmp/trace" || fail "save: $?"
rm "$tmp/known_stacks"
read_into "$tmp/deleted"
expect "deleted: named, or not; in libraries" "$(right "$tmp/deleted" 2>"$tmp/wrong")" "True 0 True 0"
grep -q "\"file\":\"$tmp/known_stacks (deleted)\"" "$tmp/deleted" || fail "it is not said to be deleted"
read_into "$tmp/saved" "$tmp/trace"
cmp "$tmp/rows" "$tmp/saved" || fail "the saved trace does not say the same"

# harmful WHAT: the program, without symbols and naming a FIFO as what has them (link), or with a function
# that never ends (size)
harmful() {
	python3 - build/functional/known_stacks "$tmp/section" "../../../../../../../$tmp/fifo" "$tmp/known_stacks" "$1" <<'END'
import struct, subprocess, sys
program, section, link, out, what = sys.argv[1:]
def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
with open(section, 'wb') as file:
    file.write((link.encode() + b'\0').ljust((len(link) + 4) // 4 * 4, b'\0') + b'\1\2\3\4')
if what == 'link':
    output('objcopy', '--strip-all', f'--add-section=.gnu_debuglink={section}', program, out)
    sys.exit()
image = bytearray(open(program, 'rb').read())
offset = int(next(line.split(']')[1].split()[3] for line in output('readelf', '-SW', program).splitlines() if ' .symtab ' in line), 16)
number = next(int(line.split(':')[0]) for line in output('readelf', '-sW', program).split("'.symtab'")[1].splitlines()
              if line.endswith(' one_caller'))
struct.pack_into('<Q', image, offset + 24 * number + 16, 2**64 - 1)
open(out, 'wb').write(image)
END
	chmod +x "$tmp/known_stacks"
	record
	timeout 30 ktrc-read events --stacks --format=ndjson | sed '$d' >"$tmp/all" || fail "$1: $?"
	timeout 30 ktrc-read -q --save "$tmp/$1" || fail "$1: save: $?"
	json_events --stacks "$tmp/$1" | cmp - "$tmp/all" || fail "$1: the trace does not say the same"
	grep -q "\"file\":\"$tmp/known_stacks\"" "$tmp/all" || fail "$1: the file has no name"
}

killed() {
	kill "$pid"
	wait "$pid"
}

end() {
	killed
	rm -f "$tmp/known_stacks"
	ktrc-ctl reset -q
}

end
mkfifo "$tmp/fifo"
harmful link
end
harmful size
grep -q '"function":"one_caller"' "$tmp/all" || fail "a function that never ends has no name"

become_another() {
	kill -USR1 "$pid"
	until [ "$(tr '\0' ' ' <"/proc/$pid/cmdline")" = "known_stacks 1000 " ]; do sleep 0.1; done
}

become_another
read_into "$tmp/other"
expect "another program's names" "$(jq -r '.user_stack | values | .frames[].file' "$tmp/other" | sort -u)" null
killed
read_into "$tmp/ended"
expect "names of a process that has ended" "$(jq -r '.user_stack | values | .frames[].file' "$tmp/ended" | sort -u)" null
ktrc-read events --stacks "$tmp/trace" >"$tmp/text" || fail "text: $?"
grep -qE "^	 *[0-9a-f]+ one_caller\\+0x[0-9a-f]+ \\($tmp/known_stacks\\)\$" "$tmp/text" || fail "no name in the text"
ktrc-ctl reset -q

# what is mapped is recorded
record ,map,process
become_another
read_into "$tmp/rows"
expect "another program: named, or not; in libraries" "$(right "$tmp/rows" 2>"$tmp/wrong")" "True 0 True 0"
jq -r 'select(.event == "map" and .fields.prot_exec == 1 and .fields.file) | .fields | [.file, .build_id] | @tsv' "$tmp/rows" |
	sort -u >"$tmp/code"
expect "build ids of what it ran" "$(cut -f1 "$tmp/code" | xargs readelf -n | sed -n 's/.*Build ID: //p')" \
	"$(cut -f2 "$tmp/code")"
grep -q "^$tmp/known_stacks	" "$tmp/code" || fail "the program's own file is not among those that it mapped"
killed
read_into "$tmp/ended"
cmp "$tmp/rows" "$tmp/ended" || fail "a process that has ended has other names"
ktrc-read -q --save "$tmp/trace_of_ended" || fail "save: $?"

# own_names FILE: what frames of the program's own file have for names
own_names() {
	jq -c --arg path "$tmp/known_stacks" '.user_stack | values | .frames[] | select(.file == $path) |
		[.function, .build_id, .file_offset != null]' "$1" | sort -u
}

id=$(readelf -n build/functional/known_stacks | sed -n 's/.*Build ID: //p')
cp --remove-destination build/functional/touch_pages "$tmp/known_stacks"
read_into "$tmp/replaced"
expect "names by a file that was replaced" "$(own_names "$tmp/replaced")" "[null,\"$id\",true]"
rm "$tmp/known_stacks"
read_into "$tmp/deleted"
expect "names by a file that was deleted" "$(own_names "$tmp/deleted")" "[null,\"$id\",true]"
cp build/functional/known_stacks "$tmp/known_stacks"
read_into "$tmp/again"
cmp "$tmp/rows" "$tmp/again" || fail "a file of the same build has other names"
read_into "$tmp/saved" "$tmp/trace_of_ended"
cmp "$tmp/rows" "$tmp/saved" || fail "the trace of a process that has ended does not say the same"
ktrc-ctl reset -q

# one that was there before
mkfifo "$tmp/told" "$tmp/says"
exec 6<>"$tmp/told" 7<>"$tmp/says"
"$tmp/known_stacks" wait two 1009 503 <&6 >&7 &
pid=$!
read -ru 7 _ || fail "known_stacks wait"
cp "/proc/$pid/maps" "$tmp/maps"
ktrc-ctl start -q --events="madvise:stack=user,fault.light:stack=ip,map,process" --memory=16M || fail "start: $?"
echo go >&6
cat <&7 >/dev/null & # it says much
reader=$!
wait "$pid" || fail "known_stacks: $?"
kill "$reader"
read_into "$tmp/old"
expect "of one that was there before: named, or not; in libraries" "$(right "$tmp/old" 2>"$tmp/wrong")" "True 0 True 0"
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read -q --save "$tmp/trace_of_old" || fail "save: $?"
read_into "$tmp/saved" "$tmp/trace_of_old"
cmp <(jq -c .user_stack "$tmp/old") <(jq -c .user_stack "$tmp/saved") || fail "the trace of one that was there before does not say the same"
ktrc-ctl reset -q

# of a file that was written anew in its place, which is the same inode, what it is now
ktrc-ctl start -q --events=madvise:stack=user,map,process || fail "start: $?"
cp --remove-destination build/functional/touch_pages "$tmp/known_stacks"
"$tmp/known_stacks" read 1 >/dev/null || fail "touch_pages: $?"
cp build/functional/known_stacks "$tmp/known_stacks"
"$tmp/known_stacks" two 3 2 >/dev/null || fail "known_stacks: $?"
ktrc-ctl stop -q || fail "stop: $?"
json_events --stacks | jq -c 'select(.fields.advice == "MADV_NORMAL" and .comm == "known_stacks")' \
	>"$tmp/anew" || fail "events: $?"
expect "build ids by a file that was written anew" "$(own_names "$tmp/anew" | jq -r '.[1]' | sort -u)" "$id"
own_names "$tmp/anew" | grep one_caller >/dev/null || fail "a file that was written anew gives no names"
ktrc-ctl reset -q
