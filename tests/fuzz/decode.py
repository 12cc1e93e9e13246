#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""decode.py TRACE: prints every record of a saved trace.

Written from docs/trace-format.md and docs/abi.md and from nothing else, so that it shows whether
these are enough, and so that its mistakes are not ktrc-read's.  Prints for each CPU, in the order
of the file, "CPU TICKS EVENT TID PID CGID START COMM FIELD..." with text in hexadecimal and
"NUMBER:NAME" of enumerations, "user END FRAME..." and "kernel END FRAME..." of a record with such
stacks, "copy ID" of one with a copy of its user stack, and
"= DAMAGED_PACKETS MISSING_BYTES" at its end.
"""
import os
import re
import struct
import sys
from collections import defaultdict, namedtuple

import description
from description import Refused

MAGIC = 0xc1fc1fc1
HEADER = struct.Struct('<I16sIQQQQQQII')  # magic ... begin, end, content, size ... cpu, zero
MAX_PACKET = 1 << 20
MAX_PAYLOAD = 4096
KIND_DICT = 1
MAX_COMM = 31
# What the dictionary has at least.
NEEDED = {'packet': ['written'], 'task': ['tid', 'pid', 'cgid', 'start_ns', 'comm'],
          'task_ref': ['tid'], 'counts': ['event_id', 'hits', 'written', 'filtered', 'lost']}
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


class Event:
    """One kind of record: how its payload falls into fields."""

    def __init__(self, row, enums):
        self.id, self.bytes, self.label = row['id'], row['bytes'], row['label']
        self.name, self.fields, self.enums, self.formats = row['name'], [], {}, {}
        self.names, self.is_dict = {self.name, self.label}, row['kind'] == KIND_DICT
        end = 0
        for field in row['fields']:
            end = self.add(field, end, enums)
        if self.id >= 64 or self.bytes % 4 or not 0 < end == 8 * self.bytes <= 8 * MAX_PAYLOAD:
            raise Refused(f'event {self.name}: id {self.id}, {self.bytes} bytes, {end} bits')

    def add(self, field, low, enums):
        """A field where the one before it ends; returns where it ends."""
        name, width, form = field['name'], field['width_bits'], field['format']
        if field['offset_bits'] != low or not 0 < width <= 8 * self.bytes:
            raise Refused(f'event {self.name}: field {name}')
        if low % 8 or width % 8 if form == 'text' else low % 8 + width > 64:
            raise Refused(f'event {self.name}: width of {name}')
        values = enums.get(field.get('enum'), {}) if form == 'enum' else {}
        self.fields.append((name, form, low, (1 << width) - 1, values))
        # of several with one name the first counts
        self.formats.setdefault(name, form)
        self.enums.setdefault(name, values)
        return low + width

    def is_dictionary(self, name):
        return self.is_dict and name in self.names

    def decode(self, payload):
        """The values of all fields, in order; text as bytes."""
        whole = int.from_bytes(payload, 'little')
        return [as_text(whole >> low & mask) if form == 'text' else whole >> low & mask
                for _, form, low, mask, _ in self.fields]

    def named(self, values):
        """Numbers by name; 0: there is none."""
        return defaultdict(int, {name: value for (name, *_), value in
                                 reversed(list(zip(self.fields, values)))
                                 if self.formats[name] != 'text'})

    def has_comm(self):
        _, form, _, mask, _ = self.fields[self.place('comm')]
        return form == 'text' and mask < 1 << 8 * MAX_COMM

    def place(self, name):
        """Where the first field of this name stands."""
        return [field[0] for field in self.fields].index(name)

    def task(self, values):
        number, comm = self.named(values), values[self.place('comm')]
        return Task(number['tid'] % 2**32, number['pid'] % 2**32, number['cgid'],
                    number['start_ns'], comm)


def as_text(number):
    return number.to_bytes((number.bit_length() + 7) // 8, 'little').split(b'\0')[0]


class Schema:
    """What the records of a trace mean."""

    def __init__(self, row):
        self.events = {}
        # of several values with one number the first counts
        self.enums = {name: {v['number']: v['name'] for v in reversed(values)}
                      for name, values in row['enums'].items()}
        for event in (Event(event, self.enums) for event in row['events']):
            others = self.events.values()
            if event.id in self.events or event.names & set().union(*(e.names for e in others)):
                raise Refused(f'two events with id {event.id}, or called {event.names}')
            self.events[event.id] = event
        self.need_dictionary()

    def need_dictionary(self):
        for name, fields in NEEDED.items():
            event = next((e for e in self.events.values() if e.is_dictionary(name)), None)
            if not event or not set(fields) <= set(event.formats):
                raise Refused(f'the schema has no {name}, or {fields} are not in it')
            if name == 'task' and not event.has_comm():
                raise Refused('names of tasks')

    def value(self, event, name, value):
        """A field as ktrc-read shows it in JSON: enumerations by name."""
        if isinstance(value, bytes):
            return plain(value)
        if event.formats[name] == 'address':
            return hex(value)
        return event.enums[name].get(value, value)


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
            before, end = which, part['stack_end'] % 2**32
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
                self.copies.get(ref['copy_slot']))


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
            if event.is_dictionary('task'):
                task = event.task(values)
                named[task.tid] = task
            elif event.is_dictionary('task_ref'):
                task = named.get(event.named(values)['tid'] % 2**32, UNKNOWN)
            yield Record(time, event, task, values, *stacks)
            stacks = NO_STACKS
            if event.is_dictionary('stack'):
                slots.take(event.named(values))
            elif event.is_dictionary('stack_copy'):
                slots.take_copy(event.named(values))
            elif event.is_dictionary('stack_ref'):
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
                self.about = description.load(file)
        except (OSError, ValueError, RecursionError) as error:
            raise Refused(f'{path}: {error!r}') from error
        description.check(self.about)
        self.schema, self.clock = Schema(self.about['schema']), self.about['clock']
        self.is_unfinished = self.about.get('is_unfinished') is True
        self.cpus = self.files() if self.is_unfinished else \
            [row['cpu'] for row in self.about['streams']]
        if len(set(self.cpus)) < len(self.cpus) or \
                max(self.cpus, default=-1) >= self.about['nr_cpus']:
            raise Refused(f'{path}: a CPU twice, or one that there is not')
        for cpu in self.cpus:
            if not os.path.isfile(self.file(cpu)):
                raise Refused(f'{self.file(cpu)}: no file')
        self.read_code(self.about['code'])

    def read_code(self, code):
        """Of several rows for the same the last one counts."""
        self.processes = {row['pid']: row for row in code.get('processes', ())}
        self.threads = {(row['pid'], row['tid']): row['start_ns']
                        for row in code.get('threads', ())}
        self.unwinds = {(row['pid'], int(row['copy'], 16)):
                        Stack(row['end'], [frame % 2**64 for frame in row['frames']])
                        for row in code.get('unwound', ())}

    def file(self, cpu):
        return os.path.join(self.path, f'cpu_{cpu}')

    def files(self):
        """The CPUs that have a file."""
        return [int(name[4:]) for name in os.listdir(self.path)
                if re.fullmatch('cpu_(0|[1-9][0-9]{0,8})', name)]

    def stream(self, cpu):
        with open(self.file(cpu), 'rb') as file:
            return Stream(self.schema, file.read(), self.is_unfinished)

    def missing(self, cpu):
        """Bytes by which a CPU's file is shorter than it was."""
        if self.is_unfinished:
            return 0
        row, = [row for row in self.about['streams'] if row['cpu'] == cpu]
        return max(0, row['bytes'] - os.path.getsize(self.file(cpu)))

    def function(self, address):
        """The kernel's function that a frame lies in, which goes on at this address; None: not known."""
        return next((row['name'] for row in self.about['functions']
                     if row['begin'] % 2**64 < address <= row['end'] % 2**64), None)

    def unwound(self, record):
        """Where the copy of a record's user stack leads to; None: nobody knows."""
        pid = record.task.pid
        stack = self.unwinds.get((pid, record.copy))
        if not stack or pid not in self.processes:
            return stack
        process = self.processes[pid]
        return stack if self.is_of(process, record) and not any(
            self.is_newer(process, frame, record) for frame in stack.frames) else None

    def is_of(self, process, record):
        """Whether a process that was looked into is the one of this record."""
        task = record.task
        start_ns = self.threads.get((task.pid, task.tid))
        if task.tid == task.pid:
            start_ns = process['start_ns'] if process['comm'].encode() == task.comm else None
        return record.ticks >= process.get('since_ticks', 0) % 2**64 and start_ns is not None and \
            0 <= task.start_ns - start_ns % 2**64 < CLOCK_TICK_NS

    @staticmethod
    def is_newer(process, address, record):
        """Whether a frame lies in what was mapped later."""
        return any(row['begin'] % 2**64 <= address < row['end'] % 2**64 and
                   record.ticks < row.get('ticks', 0) % 2**64
                   for row in process.get('mappings', ()))

    def real_ns(self, ticks):
        clock = {key: value % 2**64 for key, value in self.clock.items() if key != 'kind'}
        zero = max(0, clock['real_ns'] * clock['hz'] // 10**9 - clock['ticks'])
        return (zero + ticks) * 10**9 // clock['hz']


def line(cpu, record):
    """A record as text."""
    task = record.task
    head = (f"{cpu} {record.ticks} {record.event.label} {task.tid} {task.pid} {task.cgid} "
            f"{task.start_ns} '{task.comm.hex()}")
    fields = (as_line(value, names)
              for (*_, names), value in zip(record.event.fields, record.fields))
    copy = f' copy {record.copy:x}' if record.copy else ''
    return ' '.join([head, *fields]) + stack_line('user', record.user) + \
        stack_line('kernel', record.kernel) + copy


def stack_line(kind, stack):
    return f' {kind} {stack.end} ' + ' '.join(f'{frame:x}' for frame in stack.frames) \
        if stack else ''


def as_line(value, names):
    if isinstance(value, bytes):
        return "'" + value.hex()
    return f'{value}:{names[value]}' if value in names else str(value)


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
