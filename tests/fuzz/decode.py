#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""decode.py TRACE: prints every record of a saved trace.

Written from docs/trace-format.md and docs/abi.md and from nothing else, so that it shows whether
these are enough, and so that its mistakes are not ktrc-read's.  Prints for each CPU, in the order
of the file, "CPU TICKS EVENT TID PID CGID START COMM FIELD..." with text in hexadecimal, "user END
FRAME..." and "kernel END FRAME..." of a record with such stacks, "copy ID" of one with a copy of its
user stack, and
"= DAMAGED_PACKETS MISSING_BYTES" at its end.
"""
import json
import os
import struct
import sys
from collections import namedtuple

FORMAT = 'ktrc.trace/1'
FORMATS = 'count flag id page ticks stamp ns enum pad text address'.split()
MAGIC = 0xc1fc1fc1
HEADER = struct.Struct('<I16sIQQQQQQII')  # magic ... begin, end, content, size ... cpu, zero
MAX_PACKET = 64 << 20
EXTENDED = 31
LOW_BITS = (1 << 27) - 1

Task = namedtuple('Task', 'tid pid cgid start_ns comm')
Stack = namedtuple('Stack', 'end frames')
Record = namedtuple('Record', 'ticks event task fields user kernel copy')
UNKNOWN = Task(0, 0, 0, 0, b'?')
NO_STACKS = None, None, None
NR_SLOTS = 4096
MAX_FRAMES = 255
NR_COPY_SLOTS = 256
MAX_WORDS = 511
CLOCK_TICK_NS = 10**7  # of the kernel


class Refused(Exception):
    """Not a trace, or one that cannot be read."""


class Event:
    """One kind of record: how its payload falls into fields."""

    def __init__(self, row):
        self.id, self.bytes, self.label = row['id'], row['bytes'], row['label']
        self.name, self.fields, self.enums, self.formats = row['name'], [], {}, {}
        self.names = {self.name, self.label}
        end = 0
        for field in row['fields']:
            end = self.add(field, end)
        if not 0 <= self.id < 64 or self.bytes % 4 or not 0 < end == 8 * self.bytes:
            raise Refused(f'event {self.name}: id {self.id}, {self.bytes} bytes, {end} bits')

    def add(self, field, low):
        """A field where the one before it ends; returns where it ends."""
        width, form = field['width_bits'], field['format']
        if form not in FORMATS or field['offset_bits'] != low or width < 1:
            raise Refused(f'event {self.name}: field {field["name"]}')
        if width > 8 * self.bytes or form == 'text' and (low % 8 or width % 8):
            raise Refused(f'event {self.name}: width of {field["name"]}')
        self.fields.append((field['name'], form, low, (1 << width) - 1))
        self.enums[field['name']] = field.get('enum')
        self.formats[field['name']] = form
        return low + width

    def decode(self, payload):
        """The values of all fields, in order; text as bytes."""
        whole = int.from_bytes(payload, 'little')
        return [as_text(whole >> low & mask) if form == 'text' else whole >> low & mask
                for _, form, low, mask in self.fields]

    def named(self, values):
        return {name: value for (name, *_), value in zip(self.fields, values)}


def as_text(number):
    return number.to_bytes((number.bit_length() + 7) // 8, 'little').split(b'\0')[0]


class Schema:
    """What the records of a trace mean."""

    def __init__(self, row):
        self.events = {}
        for event in map(Event, row['events']):
            others = self.events.values()
            if event.id in self.events or event.names & set().union(*(e.names for e in others)):
                raise Refused(f'two events with id {event.id}, or called {event.names}')
            self.events[event.id] = event
        self.enums = {name: {v['number']: v['name'] for v in values}
                      for name, values in row['enums'].items()}

    def value(self, event, name, value):
        """A field as ktrc-read shows it in JSON: enumerations by name."""
        if isinstance(value, bytes):
            return plain(value)
        if event.formats[name] == 'address':
            return hex(value)
        return self.enums.get(event.enums[name], {}).get(value, value)


def plain(text):
    """A name as ktrc-read shows it: what is not printable ASCII is '?'."""
    return ''.join(chr(c) if 32 <= c < 127 else '?' for c in text)


def copy_id(regs, words):
    """What a trace calls a copy of these words."""
    number = 0xcbf29ce484222325 ^ (len(words) << 32 | regs)
    for word in words:
        number = (number ^ word) * 0x100000001b3 % 2**64
        number ^= number >> 32
    return number or 1


class Slots:
    """What the slots of a packet hold, while its `stack` records come in."""

    def __init__(self):
        self.held, self.coming = {}, None
        self.copies, self.copying = {}, None

    def take(self, part):
        """A part of a stack: the slot holds the stack when all of it is there."""
        key = bool(part['is_kernel']), part['slot']
        which, frames = key + (part['nr_frames'],), []
        if part['first']:
            before, frames, end = self.coming or (None, [], 0)
        else:
            before, end = which, part['stack_end']
        self.coming = None
        if not 0 < part['slot'] < NR_SLOTS or not 0 < part['nr_frames'] <= MAX_FRAMES:
            return
        if which != before or part['first'] != len(frames):
            return
        frames = (frames + [part[f'frame{i}'] for i in range(4)])[:part['nr_frames']]
        self.coming = which, frames, end
        self.held[key] = Stack(end, frames) if len(frames) == part['nr_frames'] else None

    def take_copy(self, part):
        """A part of a copy, likewise."""
        slot, which = part['slot'], (part['slot'], part['words'], part['regs'])
        before, words = self.copying if part['first'] and self.copying else (which, [])
        self.copying = None
        if not 0 < slot < NR_COPY_SLOTS or not 0 < part['words'] <= MAX_WORDS:
            return
        if which != before or part['regs'] > part['words'] or part['first'] != len(words):
            return
        words = (words + [part[f'word{i}'] for i in range(16)])[:part['words']]
        self.copying = which, words
        self.copies[slot] = copy_id(part['regs'], words) if len(words) == part['words'] else None

    def named(self, ref):
        """The user stack, the kernel stack and the copy that a stack_ref names."""
        return (self.held.get((False, ref['user_slot'])), self.held.get((True, ref['kernel_slot'])),
                self.copies.get(ref.get('copy_slot')))


class Stream:
    """The records of one CPU, and what is wrong with its file."""

    def __init__(self, schema, data, is_unfinished=False):
        self.schema, self.data, self.is_unfinished = schema, data, is_unfinished
        self.damaged = self.missing = 0

    def records(self):
        at = 0
        while at < len(self.data):
            damaged = self.damaged
            header = self.header(at)
            if header is None:
                if self.damaged > damaged or not self.is_unfinished:
                    self.missing += len(self.data) - at
                return
            begin, size, content = header
            yield from self.packet(at + HEADER.size, at + content, begin)
            at += size

    def header(self, at):
        """Begin, size and content of the packet at this place; None: there is no whole one."""
        left = len(self.data) - at
        if left < HEADER.size:
            return None
        magic, _, _, begin, _, content, size, *_ = HEADER.unpack_from(self.data, at)
        size, content = size // 8, content // 8
        if magic != MAGIC or not HEADER.size <= content <= size <= MAX_PACKET:
            self.damaged += 1
            return None
        return (begin, size, content) if size <= left else None

    def packet(self, at, end, time):
        task, named, slots, stacks = UNKNOWN, {}, Slots(), NO_STACKS
        while at < end:
            head = self.record_header(at, end, time)
            if head is None:
                self.damaged += 1
                return
            event, time, at = head
            values = event.decode(self.data[at:at + event.bytes])
            at += event.bytes
            if event.name == 'task':
                task = Task(**{k: v for k, v in event.named(values).items() if k in Task._fields})
                named[task.tid] = task
            elif event.name == 'task_ref':
                task = named.get(event.named(values)['tid'], UNKNOWN)
            yield Record(time, event, task, values, *stacks)
            stacks = NO_STACKS
            if event.name == 'stack':
                slots.take(event.named(values))
            elif event.name == 'stack_copy':
                slots.take_copy(event.named(values))
            elif event.name == 'stack_ref':
                stacks = slots.named(event.named(values))

    def record_header(self, at, end, time):
        """Event, time and place of the payload; None: no whole record stands there."""
        if end - at < 4:
            return None
        word, = struct.unpack_from('<I', self.data, at)
        number, time, at = word & 31, time & ~LOW_BITS | word >> 5, at + 4
        if number == EXTENDED:
            if end - at < 12:
                return None
            number, time = struct.unpack_from('<IQ', self.data, at)
            at += 12
        event = self.schema.events.get(number)
        return (event, time, at) if event and end - at >= event.bytes else None


class Trace:
    """A saved trace: its description, and a stream for each CPU."""

    def __init__(self, path):
        self.path = path
        try:
            with open(os.path.join(path, 'ktrc', 'ktrc.json'), encoding='utf-8') as file:
                self.about = json.load(file)
            if self.about['format'] != FORMAT:
                raise Refused(f'{path}: format {self.about["format"]}')
            self.schema = Schema(self.about['schema'])
            self.is_unfinished = self.about.get('is_unfinished') is True
            self.cpus = self.files() if self.is_unfinished else \
                [row['cpu'] for row in self.about['streams']]
            self.clock = self.about['clock']
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Refused(f'{path}: {error!r}') from error
        if len(set(self.cpus) & set(range(self.about['nr_cpus']))) < len(self.cpus):
            raise Refused(f'{path}: a CPU twice, or one that there is not')

    def files(self):
        """The CPUs that have a file."""
        return [cpu for cpu in range(self.about['nr_cpus'])
                if os.path.exists(os.path.join(self.path, f'cpu_{cpu}'))]

    def stream(self, cpu):
        with open(os.path.join(self.path, f'cpu_{cpu}'), 'rb') as file:
            return Stream(self.schema, file.read(), self.is_unfinished)

    def missing(self, cpu):
        """Bytes by which a CPU's file is shorter than it was."""
        if self.is_unfinished:
            return 0
        row, = [row for row in self.about['streams'] if row['cpu'] == cpu]
        return max(0, row['bytes'] - os.path.getsize(os.path.join(self.path, f'cpu_{cpu}')))

    def function(self, address):
        """The kernel's function that a frame lies in, which goes on at this address; None: not known."""
        return next((row['name'] for row in self.about.get('functions', ())
                     if row['begin'] % 2**64 < address <= row['end'] % 2**64), None)

    def unwound(self, record):
        """Where the copy of a record's user stack leads to; None: nobody knows."""
        code, task = self.about.get('code', {}), record.task
        for process in code.get('processes', ()):
            if process['pid'] == task.pid and not self.is_of(process, record):
                return None
        return next((Stack(row['end'], [frame % 2**64 for frame in row['frames']])
                     for row in code.get('unwound', ())
                     if (row['pid'], int(row['copy'], 16)) == (task.pid, record.copy)), None)

    def is_of(self, process, record):
        """Whether a process that was looked into is the one of this record."""
        task = record.task
        threads = self.about['code']['threads']
        if task.tid == task.pid:
            threads = [dict(process, tid=task.tid)] * (process['comm'].encode() == task.comm)
        return record.ticks >= process.get('since_ticks', 0) and any(
            (row['pid'], row['tid']) == (task.pid, task.tid) and
            0 <= task.start_ns - row['start_ns'] < CLOCK_TICK_NS for row in threads)

    def real_ns(self, ticks):
        clock = self.clock
        zero = max(0, clock['real_ns'] * clock['hz'] // 10**9 - clock['ticks'])
        return (zero + ticks) * 10**9 // clock['hz']


def line(cpu, record):
    """A record as text."""
    task = record.task
    head = (f"{cpu} {record.ticks} {record.event.label} {task.tid} {task.pid} {task.cgid} "
            f"{task.start_ns} '{task.comm.hex()}")
    fields = ("'" + value.hex() if isinstance(value, bytes) else str(value)
              for value in record.fields)
    stacks = (f'{kind} {stack.end} ' + ' '.join(f'{frame:x}' for frame in stack.frames)
              for kind, stack in (('user', record.user), ('kernel', record.kernel)) if stack)
    copy = [f'copy {record.copy:x}'] if record.copy else []
    return ' '.join([head, *fields, *stacks, *copy])


def listing(cpu, stream):
    """All lines of a stream."""
    for record in stream.records():
        yield line(cpu, record)
    yield f'= {stream.damaged} {stream.missing}'


def main(path):
    try:
        trace = Trace(path)
        for cpu in trace.cpus:
            for text in listing(cpu, trace.stream(cpu)):
                print(text)
    except (Refused, OSError) as error:
        sys.exit(f'decode.py: {error}')


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit('usage: decode.py TRACE')
    main(sys.argv[1])
