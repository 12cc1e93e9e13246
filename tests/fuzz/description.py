# SPDX-License-Identifier: GPL-2.0
"""What ktrc.json must say, as docs/trace-format.md has it: a kind is a function that tells
whether a value is of it."""
import json
import math
import re


class Refused(Exception):
    """Not a trace, or one that cannot be read."""


def load(file):
    """JSON as the page wants it; else ValueError or RecursionError."""
    about = json.load(file, object_pairs_hook=members, parse_int=integer, parse_float=real,
                      parse_constant=refuse)
    json.dumps(about, ensure_ascii=False).encode()  # half a pair of surrogates is no text
    return about


def refuse(text):
    raise ValueError(text)


def members(pairs):
    if len(dict(pairs)) < len(pairs) or any('\0' in name for name, _ in pairs):
        raise ValueError('a name twice, or a zero byte in it')
    if any('\0' in text for value in dict(pairs).values() for text in texts(value)):
        raise ValueError('a zero byte in a text')
    return dict(pairs)


def texts(value):
    """The texts of a value outside of objects."""
    if isinstance(value, str):
        yield value
    if isinstance(value, list):
        for part in value:
            yield from texts(part)


def integer(text):
    if not -2**63 <= int(text) < 2**63:
        raise ValueError(f'{text}: not of 64 bits')
    return int(text)


def real(text):
    if math.isinf(float(text)):
        raise ValueError(f'{text}: too large')
    return float(text)


# ---- kinds ----

def u64(value):
    return type(value) is int


def u32(value):
    return u64(value) and 0 <= value < 2**32


def length(value):
    return u64(value) and value >= 0


def boolean(value):
    return isinstance(value, bool)


def text(value):
    return isinstance(value, str)


def obj(value):
    return isinstance(value, dict)


def matching(pattern):
    return lambda value: text(value) and re.fullmatch(pattern, value) is not None


def plain(most):
    return matching(f'[ -~]{{0,{most}}}')


def short(most):
    return lambda value: text(value) and len(value.encode()) <= most


def word(*words):
    return lambda value: text(value) and value in words


def rows(kind, least=0, most=math.inf):
    return lambda value: isinstance(value, list) and least <= len(value) <= most and \
        all(map(kind, value))


def by_name(kind, most):
    """An object of any names; those of empty lists do not count."""
    return lambda value: obj(value) and all(map(kind, value.values())) and \
        sum(map(bool, value.values())) <= most


def either(*kinds):
    return lambda value: any(kind(value) for kind in kinds)


def null(value):
    return value is None


def has(must, may=()):
    """An object with these members, each of its kind; others do not matter."""
    may = dict(may)
    return lambda value: obj(value) and \
        all(name in value and kind(value[name]) for name, kind in must.items()) and \
        all(kind(value[name]) for name, kind in may.items() if name in value)


def rising(kind, first, last):
    """Rows, each of which begins behind the one before it: at least @last of it."""
    def fits(value):
        if not rows(kind)(value):
            return False
        begins = [first(row) for row in value]
        return all(last(row) <= begin for row, begin in zip(value, begins[1:]))
    return fits


def by_cgid(kind):
    return rising(kind, lambda row: row['cgid'] % 2**64, lambda row: row['cgid'] % 2**64 + 1)


def areas(kind):
    return rising(lambda row: kind(row) and row['begin'] % 2**64 < row['end'] % 2**64,
                  lambda row: row['begin'] % 2**64, lambda row: row['end'] % 2**64)


# ---- the members ----

NAME = matching('[A-Za-z0-9_.-]+')
BUILD_ID = matching('[0-9a-f]{0,128}')
FORMATS = 'count flag id page ticks stamp ns enum pad text address'.split()
COUNTERS = ('hits written filtered lost_full lost_nest lost_recursion lost_noring lost_missed '
            'nested sum_ticks longest_ticks').split()

FIELD = has({'name': NAME, 'format': word(*FORMATS), 'offset_bits': u32, 'width_bits': u32},
            {'enum': text, 'doc': text})
EVENT = has({'id': u32, 'kind': u32, 'avail': u32, 'bytes': u32, 'name': NAME, 'label': NAME,
             'fields': rows(FIELD)},
            {'rules': rows(lambda value: True), 'doc': text, 'hook': text, 'reason': text})
VALUE = has({'number': u32, 'name': NAME}, {'doc': text})
SCHEMA = has({'events': rows(EVENT), 'enums': by_name(rows(VALUE, most=1024), most=1024)})

CLOCK = has({'kind': word('none', 'tsc', 'mono', 'unknown'),
             'hz': lambda value: u64(value) and value != 0,
             'ticks': u64, 'mono_ns': u64, 'real_ns': u64})
STREAM = has({'cpu': u32, 'bytes': length})
CGROUP = has({'cgid': u64, 'path': text}, {'build_id': BUILD_ID})
QUOTA = has({'cgid': u64, 'quota_us': u64, 'period_us': u64}, {'is_changed': boolean})

SYMBOL = matching('[!-~]*')
FUNCTIONS = areas(has({'begin': u64, 'end': u64, 'name': SYMBOL}, {'module': either(SYMBOL, null)}))
FILE = has({'path': text, 'build_id': BUILD_ID}, {'number': u32, 'functions': FUNCTIONS})
THREAD = has({'pid': u32, 'tid': u32, 'start_ns': u64})
UNWOUND = has({'pid': u32, 'end': u32, 'frames': rows(u64, 1, 64),
               'copy': matching('0x(?!0*$)[0-9A-Fa-f]{1,16}')})


def session(label):
    rule = has({'event': label, 'min_ns': u64, 'sample': u32, 'flags': u32})
    stacks = has({'event': label, 'user_frames': u32, 'kernel_frames': u32}, {'user_bytes': u32})
    return has({'name': plain(31), 'uuid': matching('(-?[0-9A-Fa-f]{2}){16}'),
                'mode': word('flight', 'stream', 'unknown'),
                'state': word('new', 'running', 'stopped', 'unknown'),
                'stop_reason': word('none', 'asked', 'no_consumer', 'deleted', 'max_time', 'broken',
                                    'unknown'),
                'packet_bytes': u32, 'memory_bytes': u64, 'events': rows(label)},
               {'stacks': rows(stacks),
                'filters': has({'pids': rows(u32, most=16), 'rules': rows(rule), 'cgid': u64,
                                'max_seconds': u32, 'names_missed': u64})})


def document(label):
    counters = rows(has({'event': label, 'cpu': either(u32, null), 'hist': rows(u64, most=40)} |
                        dict.fromkeys(COUNTERS, u64)))
    return {'format': word('ktrc.trace/1'), 'host': plain(64), 'kernel': plain(64),
            'start_ticks': u64, 'end_ticks': u64, 'schema_version': u32, 'nr_cpus': u32,
            'nr_online': u32, 'nr_packets': u32, 'clock': CLOCK, 'session': session(label),
            'counters_before': counters, 'counters_after': counters}


NEWER = {'is_cut': boolean, 'is_unfinished': boolean, 'settled_ticks': u64,
         'cgroups': by_cgid(CGROUP), 'cpu_max': by_cgid(QUOTA)}


def code(value):
    files = value.get('files', []) if obj(value) else []
    mapping = has({'begin': u64, 'end': u64, 'offset': u64,
                   'file': lambda place: u32(place) and place < len(files)}, {'ticks': u64})
    process = has({'pid': u32, 'start_ns': u64, 'comm': short(31)},
                  {'since_ticks': u64, 'mappings': areas(mapping)})
    return has({}, {'files': rows(FILE), 'processes': rows(process), 'threads': rows(THREAD),
                    'unwound': rows(UNWOUND)})(value)


def check(about):
    """Refuses a description that is damaged; takes out of it what is not worth a trace."""
    if not obj(about) or not SCHEMA(about.get('schema')):
        raise Refused('ktrc.json: its schema is damaged')
    labels = {event[key] for event in about['schema']['events'] for key in ('name', 'label')}
    must = document(lambda value: text(value) and value in labels)
    if about.get('is_unfinished') is not True:
        must['streams'] = rows(STREAM)
    for kinds in must, {name: kind for name, kind in NEWER.items() if name in about}:
        for name, kind in kinds.items():
            if not kind(about.get(name)):
                raise Refused(f'ktrc.json: {name} is damaged')
    for name, kind, nothing in ('functions', FUNCTIONS, []), ('code', code, {}):
        if not kind(about.get(name)):
            about[name] = nothing
