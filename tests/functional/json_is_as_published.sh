#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every JSON document of summary, faults, reclaim, compaction, frag, madvise, throttle, events and check is
# as docs/schemas publishes it: nothing is missing, nothing is there that is not described; live,
# saved, with filters, of a session that records only one family, and of one that was quiet. So is each line of
# NDJSON, and all lines together are the document: its arrays, row by row, and in the last line the rest,
# with loss and overhead.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
cgroup=/sys/fs/cgroup/small

# documents WHAT VIEW... [-- ARGUMENT...]: keeps each view's document, and its lines, to be judged at the end
documents() {
	local what=$1 view views=()
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		views+=("$1")
		shift
	done
	for view in "${views[@]}"; do
		ktrc-read "$view" --format=json "${@:2}" >"$tmp/ktrc.$view, $what" || fail "$what, $view: $?"
		ktrc-read "$view" --format=ndjson "${@:2}" >"$tmp/lines.$view, $what" || fail "$what, $view, NDJSON: $?"
	done
}

# judge: one line for each document, or NDJSON, that is not as its schema says, "FILE: what, where"
judge() {
	/usr/bin/python3 - "$tmp"/ktrc.* "$tmp"/lines.* <<-'END'
		import json, sys
		from jsonschema import Draft202012Validator as Validator
		from functools import cache
		@cache
		def schema_of(view):
		    with open("docs/schemas/ktrc." + view + "-1.json") as file:
		        schema = json.load(file)
		    Validator.check_schema(schema)
		    return schema
		@cache
		def validator_of(view):
		    return Validator(schema_of(view))
		def put_together(view, lines):
		    """The document, by what the schema of rows says."""
		    *rows, rest = lines
		    properties = schema_of(view)["properties"]
		    document = {key: [] for key in schema_of(view)["required"] if properties[key].get("type") == "array"}
		    for row in rows:
		        document.setdefault(row.pop("table", "?"), []).append(row)
		    document |= rest
		    document["format"] = document.pop("of", None)
		    return document, len(rows)
		def timeless(document):
		    """Without its window: where no packet tells, each reader has a calibration of its own."""
		    return {**document, "window": None}
		nr = 0
		for path in sys.argv[1:]:
		    name = path.split("/")[-1]
		    what, view = name.split(",")[0].split(".")
		    with open(path) as file:
		        document, lines = (json.load(file), []) if what == "ktrc" else (None, list(map(json.loads, file)))
		    errors = [error for line in lines for error in validator_of("rows").iter_errors(line)]
		    if what == "lines":
		        document, nr_rows = put_together(view, lines)
		        nr += nr_rows
		        with open(path.replace("/lines.", "/ktrc.")) as file:
		            whole = json.load(file)
		        if whole["state"] == "stopped" and timeless(whole) != timeless(document):
		            print(name + ": not what JSON says")
		    for error in errors + list(validator_of(view).iter_errors(document)):
		        print(name + ": " + error.message[:200] + ", at " + error.json_path)
		print(nr, "rows", file=sys.stderr)
	END
}

work() {
	touch_pages write 5000 >/dev/null
	advise odd >/dev/null
	in_cgroup $cgroup dash -c "for i in 1 2 3; do echo 64K >$cgroup/memory.reclaim; done; :" 2>/dev/null
}

# a cgroup with a quota, and one in it that is kept off longer than it takes to look
throttled() {
	echo "1000 $1" >$cgroup/cpu.max
	in_cgroup $cgroup timeout 0.5 perl -e '1 while 1'
}

echo +memory +cpu >/sys/fs/cgroup/cgroup.subtree_control
mkdir $cgroup
ktrc-ctl start -q --events=fault,reclaim,madvise || fail "start: $?"
work
documents "running" summary faults reclaim madvise check
ktrc-ctl stop -q || fail "stop: $?"
documents "all families" summary faults reclaim madvise frag check
ktrc-read -q --save "$tmp/trace" || fail "save: $?"
rmdir $cgroup
documents "saved" summary faults reclaim madvise frag check -- "$tmp/trace"
ktrc-ctl reset -q
mkdir $cgroup

ktrc-ctl start -q --events=fault.light --pid=$$ || fail "start: $?"
work
ktrc-ctl stop -q || fail "stop: $?"
documents "light, filtered" summary faults check
ktrc-ctl reset -q

ktrc-ctl start -q --events=reclaim:min=1us:1/2 --cgroup=/small --max-time=1h || fail "start: $?"
work
ktrc-ctl stop -q || fail "stop: $?"
documents "stalls, filtered" summary reclaim check
ktrc-ctl reset -q

ktrc-ctl start -q --events=fault:count,fault.light:count,reclaim:min=1h --pid=1,$$ || fail "start: $?"
work
ktrc-ctl stop -q || fail "stop: $?"
documents "counted" summary check
ktrc-ctl reset -q

ktrc-ctl start -q --events=throttle || fail "start: $?"
throttled 20000
throttled 1000000 &
until [ "$(ktrc-read throttle --format=json | jq '.under_way | length')" -gt 0 ]; do
	sleep 0.1
done
documents "a quota" summary throttle check
ktrc-read -q --save "$tmp/quota" || fail "save: $?"
echo max >$cgroup/cpu.max
wait
documents "a quota, saved" summary throttle check -- "$tmp/quota"
expect "saved quota" "$(jq -c '.quotas[] | [.cgroup, .quota_us, .period_us, .changed]' "$tmp/ktrc.throttle, a quota, saved")" \
	'["/small",1000,1000000,"yes"]'
ktrc-ctl reset -q

ktrc-ctl start -q --events=reclaim || fail "start: $?"
sleep 0.2
ktrc-ctl stop -q || fail "stop: $?"
documents "quiet" summary check
ktrc-ctl reset -q

ktrc-ctl start -q --events=compaction || fail "start: $?"
echo 1 >/proc/sys/vm/compact_memory
ktrc-ctl stop -q || fail "stop: $?"
documents "by hand" summary compaction check
documents "zone by zone" compaction -- --zones
ktrc-ctl reset -q

ktrc-ctl start -q --events=fault:stack=both,madvise:stack=dwarf,reclaim,map,process,throttle || fail "start: $?"
work
ktrc-ctl stop -q || fail "stop: $?"
documents "records" events -- --stacks
ktrc-read -q --save "$tmp/records" || fail "save: $?"
documents "records, saved" events faults -- "$tmp/records"
ktrc-ctl reset -q

rmdir $cgroup

# twin NAME OF: a document, with other lines
twin() {
	cp "$tmp/ktrc.$2" "$tmp/ktrc.$1"
	cat >"$tmp/lines.$1"
}

# what would be found out
jq 'del(.lost)' "$tmp/ktrc.check, quiet" >"$tmp/ktrc.check, less"
jq '.more = 1' "$tmp/ktrc.check, quiet" >"$tmp/ktrc.check, more"
jq -c 'del(.table)' "$tmp/lines.faults, saved" | twin "faults, nameless" "faults, saved"
jq -c 'select(.table) // del(.lost)' "$tmp/lines.faults, saved" | twin "faults, no loss" "faults, saved"
sed 1d "$tmp/lines.faults, saved" | twin "faults, a row less" "faults, saved"
judge >"$tmp/judgement" 2>"$tmp/rows" || fail "judge: $?: $(cat "$tmp/rows")"
[ "$(cut -d ' ' -f 1 "$tmp/rows")" -ge 100 ] || fail "only $(cat "$tmp/rows")"
note "$(cat "$tmp/rows")"
cat "$tmp/judgement"
expect "what is not as published" "$(cut -d: -f1 "$tmp/judgement" | sort -u)" "ktrc.check, less
ktrc.check, more
lines.faults, a row less
lines.faults, nameless
lines.faults, no loss"
