# SPDX-License-Identifier: GPL-2.0
"""Descriptions with one value changed: each member of each kind of row, in the first row and in
the last one that have it; of the dictionary's events each field of each."""
import copy
import json

DICTIONARY = 'packet', 'counts', 'task', 'task_ref', 'stack', 'stack_copy', 'stack_ref'
MISSING = object()
OTHERS = (MISSING, None, True, False, 0, 1, -1, 3, 64, 2**31, 2**32 - 1, 2**32, 2**32 + 5,
          2**63 - 1, -2**63, 2**63, 1.0, '', 'x', 'task', 'text', '0x5', 'a\n', '\xe9', 'x' * 300,
          [], [0], [[]], {}, {'x': 0})


def base(trace):
    """With what its maker does not know, and of few events."""
    about = trace.about
    seen = {'fault'} | {record.event.label for record in trace.stream(0).records()}
    kept = [event for event in about['schema']['events'] if event['label'] in seen]
    used = {field.get('enum') for event in kept for field in event['fields']}
    enums = {name: values for name, values in about['schema']['enums'].items() if name in used}
    session = dict(about['session'], events=['fault'])
    counters = {name: [row for row in about[name] if row['event'] == 'fault']
                for name in ('counters_before', 'counters_after')}
    limits = [{'cgid': cgid, 'quota_us': 5, 'period_us': 10, 'is_changed': cgid > 2}
              for cgid in (2, 3)]
    counted = {'pgfault': 1, 'pgmajfault': 2, 'allocstall': 3, 'compact_stall': 4,
               'buddyinfo': [{'node': 0, 'zone': 'DMA', 'blocks': [1, 2]}]}
    return dict(about, cpu_max=limits, vmstat_start=counted, is_unfinished=False, session=session,
                schema={'events': kept, 'enums': enums}, **counters)


def places(value, shape='', path=()):
    """(shape, path) of each value below this one: of rows alike the shape is the same."""
    if isinstance(value, dict):
        steps = [(f'{shape}.' + ('' if shape.endswith('.enums') else key), key) for key in value]
    else:
        steps = [(f'{shape}[{name_of(part)}]', i) for i, part in enumerate(value)]
    for below, step in steps:
        yield below, (*path, step)
        if isinstance(value[step], (dict, list)):
            yield from places(value[step], below, (*path, step))


def name_of(row):
    """What tells a row from others: nothing but for events of the dictionary."""
    name = row.get('name') if isinstance(row, dict) else None
    return name if name in DICTIONARY else ''


def chosen(about):
    """The first and the last place of each shape."""
    first, last = {}, {}
    for shape, path in places(about):
        first.setdefault(shape, path)
        last[shape] = path
    return sorted({*first.items(), *last.items()}, key=str)


def near(value):
    """What is like it, and yet may not do."""
    if type(value) is int:
        return value + 1, value - 1, value + 2**32, float(value)
    if isinstance(value, str):
        return value + 'x', value + ' ', value.upper(), value[1:]
    if isinstance(value, list):
        return value[1:], value[:-1], value + value[-1:], value * 40, value + [0], value[::-1]
    return ({**value, 'x': 0},) if isinstance(value, dict) else ()


def changed(about, path, value):
    """About with another value there; what is not on the way is shared."""
    if not path:
        return value
    step, *rest = path
    about = copy.copy(about)
    if value is MISSING and not rest:
        del about[step]
    else:
        about[step] = changed(about[step], rest, value)
    return about


def variants(about):
    """(what it is, ktrc.json) of each."""
    for shape, path in chosen(about):
        old = about
        for step in path:
            old = old[step]
        for value in OTHERS + near(old):
            what = 'missing' if value is MISSING else json.dumps(value)[:60]
            yield f'{shape} {path}: {what}', json.dumps(changed(about, path, value))
