#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each packet that is left of a long flight recording explains itself: read alone it gives the same
# records as the whole trace does there, each with its task and its stacks, of whichever family. What lies at a frame's
# address other packets may have to tell.
# guest: nodes
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

# bytes that were overwritten on the CPU with the fewest
gone() {
	ktrc-ctl status | awk '$1 ~ /^[0-9]+$/ { print $4 }' | sort -n | head -n 1
}

ktrc-ctl start -q --memory=4M \
	--events=fault,fault.light:stack=both,madvise:stack=dwarf,reclaim,throttle,map,process:stack=kernel,compaction,numa ||
	fail "start: $?"
storm
nice -n 19 touch_pages rename 1000000000 >/dev/null &
storms+=($!)
until [ "$(gone)" -gt 3000000 ]; do
	for _ in {1..10}; do
		advise each 7 >/dev/null || fail "advise: $?"
	done
done
calm
for _ in {1..199}; do
	/bin/true
done
advise each 7 >/dev/null || fail "advise: $?"
echo 1 >/proc/sys/vm/compact_memory
# each family once more, so that some of it is left
cgroup=/sys/fs/cgroup/tight
echo "+cpu +memory" >/sys/fs/cgroup/cgroup.subtree_control
mkdir $cgroup || fail "mkdir: $?"
echo "5000 50000" >$cgroup/cpu.max
for _ in 1 2 3; do
	in_cgroup $cgroup perl -e '1 for 1 .. 1e6' &
	loads+=($!)
done
wait "${loads[@]}"
in_cgroup $cgroup dash -c "echo 64K >$cgroup/memory.reclaim; :" 2>/dev/null
rmdir $cgroup
# shellcheck disable=SC2016 # perl's: migrate_pages(2), from each node to the other one
perl -e 'syscall 256, 0, 64, pack("Q", $_), pack("Q", 3 - $_) for 1, 2'
echo 1 >/proc/sys/kernel/numa_balancing
touch_again balance 1009 >/dev/null || fail "touch_again: $?"
echo 0 >/proc/sys/kernel/numa_balancing
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read -q --save "$tmp/trace" || fail "save: $?"
/usr/bin/python3 -B - "$tmp/trace" "$tmp/alone" <<'END' || fail "not the same"
import collections, hashlib, json, shutil, subprocess, sys
sys.path.insert(0, 'tests/fuzz')
import decode


def events(trace):
    """Its records, without the names of what their stacks lead through."""
    command = ['ktrc-read', 'events', '--stacks', '--format=ndjson', trace]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as reader:
        for row in map(json.loads, reader.stdout):
            if 'event' not in row: # the last one tells of all
                continue
            for stack in ('user_stack', 'kernel_stack'):
                for frame in row.get(stack, {}).get('frames', []):
                    for name in frame.keys() - {'address'}:
                        del frame[name]
            yield row
    if reader.returncode:
        raise SystemExit(f'{trace}: exit status {reader.returncode}')


def short(row):
    """Enough to know it by: of all of them not everything fits into memory."""
    line = json.dumps(row)
    return line[:300] + hashlib.sha1(line.encode()).hexdigest()


def put(trace, packet, alone):
    """A trace of one packet: of every other CPU nothing."""
    shutil.copytree(trace.path, alone, ignore=lambda *_: [f'cpu_{n}' for n in trace.cpus])
    about = dict(trace.about, streams=[])
    for cpu in trace.cpus:
        data = packet if cpu == decode.HEADER.unpack_from(packet)[9] else b''
        about['streams'].append({'cpu': cpu, 'bytes': len(data)})
        with open(f'{alone}/cpu_{cpu}', 'wb') as file:
            file.write(data)
    with open(f'{alone}/ktrc/ktrc.json', 'w', encoding='utf-8') as file:
        json.dump(about, file)


trace, more, nr = decode.Trace(sys.argv[1]), collections.Counter(), 0
stacks, bare, nameless, tasks, kinds = 0, 0, 0, set(), set()
for cpu in trace.cpus:
    stream, at = trace.stream(cpu), 0
    while at < len(stream.data):
        _, size, _ = stream.header(at)
        put(trace, stream.data[at:at + size], sys.argv[2])
        for row in events(sys.argv[2]):
            more[short(row)] += 1
            stacks += 'user_stack' in row and 'kernel_stack' in row
            bare += row['event'] == 'madvise' and 'user_stack' not in row
            tasks.add((row['tid'], row['comm']))
            # of an interval it is nobody
            nameless += row['comm'] in (None, '?') and row['event'] not in ('throttle', 'throttle.begin')
            kinds.add(row['event'])
        shutil.rmtree(sys.argv[2])
        at, nr = at + size, nr + 1
missing = {'fault', 'fault.light', 'madvise', 'map', 'process', 'process.exec', 'process.exit', 'compaction.zone',
           'reclaim', 'reclaim.begin', 'throttle', 'throttle.begin', 'throttle.gap', 'numa', 'numa.migrate'
           } - kinds
whole = 0
for row in events(sys.argv[1]):
    more[short(row)] -= 1
    whole += 1
print(f'# {nr} packets, {whole} records of {len(tasks)} tasks, {nameless} without one, '
      f'{stacks} with stacks, {bare} of madvise without')
differ = [(line, times) for line, times in more.items() if times]
for line, times in differ[:9]:
    print(f'# alone {times:+} times: {line}')
for event in missing:
    print(f'# no record of {event}')
sys.exit(differ != [] or missing != set() or nr < 12 or whole < 10007 or len(tasks) < 101 or
         nameless + bare > 0 or stacks < 1009)
END
ktrc-ctl reset -q
