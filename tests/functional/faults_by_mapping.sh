#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Faults by what the process had mapped there, as many as the program knows that it touched: of a file, of anonymous
# memory that is shared, of huge pages as well, of the heap; while they are mapped, unmapped, moved and replaced; of a
# program that took another one's place, its stack, what it has beyond its file, and of a child that it made. Both have
# ended when the view is made. What is not known has no name; all mappings of a process make up its faults. Of what was
# mapped before the recording is known what the process has when it ends, or when it is looked at, recorded to the end and by
# nobody else: when the session is read, saved or stopped, or its run ends; who follows it looks first, but not until its stream is full. A saved trace says the same;
# of a session that does not record mappings the view says which events do.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
file="$tmp/a file"
head -c $((64 * 4096)) /dev/zero >"$file"
echo 4096 >/sys/kernel/debug/fault_around_bytes
echo never >/sys/kernel/mm/transparent_hugepage/enabled
huge=/proc/sys/vm/nr_hugepages
trap 'echo 0 >$huge; rmmod ktrc_hold 2>/dev/null' EXIT
echo 4 >$huge

# of PID MAPPING...: "COUNT MAPPING" of each of them
of() {
	jq -r --arg pid "$1" '[.mappings[] | select(.pid == ($pid | tonumber) and (.mapping | IN($ARGS.positional[])))] |
		group_by(.mapping)[] | "\([.[].faults] | add) \(.[0].mapping)"' "$tmp/view" --args "${@:2}" | sort
}

# is_one_row WHAT: of each process, whatever it has mapped; this system's root is an overlay
is_one_row() {
	jq -c '[.mappings[] | select(.mapping) | {pid, mapping}] | group_by(.)[] | select(length > 1)' "$tmp/view" >"$tmp/twice"
	[ ! -s "$tmp/twice" ] || fail "$1: two rows for one file: $(cat "$tmp/twice")"
	jq -e 'any(.mappings[].mapping; . and startswith("/usr"))' "$tmp/view" >/dev/null || fail "$1: nothing of the overlay"
}

ktrc-ctl start -q --events=fault,map,process --memory=32M || fail "start: $?"
# an interpreter of many mappings becomes the program
perl -e 'print "$$\n"; $| = 1; $x = "x" x 5e6; exec @ARGV' touch_mappings "$file" >"$tmp/known" || fail "touch_mappings: $?"
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read faults --format=json >"$tmp/view" || fail "faults: $?"
ktrc-read faults >"$tmp/text" || fail "faults: $?"
ktrc-read -q --save "$tmp/trace" || fail "save: $?"
ktrc-read faults --format=json "$tmp/trace" >"$tmp/saved" || fail "saved: $?"

is_one_row "ended"
pid=$(head -n 1 "$tmp/known")
child=$(sed -n 's/^child //p' "$tmp/known")
expect "of the program" "$(of "$pid" "$file" "[anon_shmem]")" "$(sed '1d; /^child/,$d' "$tmp/known" | sort)"
expect "of its child" "$(of "$child" "$file" "[anon_shmem]" "[heap]")" "$(sed '1,/^child/d' "$tmp/known" | sort)"
expect "of the dead, saved" "$(jq -c .mappings "$tmp/saved")" "$(jq -c .mappings "$tmp/view")"
jq -e '(.mappings | group_by(.pid) | map({pid: .[0].pid, faults: (map(.faults) | add)})) as $sums |
	(.processes | map({pid, faults}) | sort_by(.pid)) == $sums' "$tmp/view" >/dev/null || fail "mappings do not make up processes"
jq -e '.mappings[] | select(.comm == "touch_mappings" and (.mapping // "" | endswith("/libc.so.6")))' "$tmp/view" >/dev/null ||
	fail "no library"
# its memory beyond its file, of 41 pages, is like any other; before a program has a stack, its arguments have no place
jq -e "[.mappings[] | select(.pid == $pid and .mapping == null).faults] | add // 0 | . <= 20" "$tmp/view" >/dev/null ||
	fail "memory without a name: $(jq -c ".mappings[] | select(.pid == $pid and .mapping == null)" "$tmp/view")"
jq -e ".mappings[] | select(.pid == $pid and .mapping == \"[stack]\" and .faults >= 3)" "$tmp/view" >/dev/null ||
	fail "its stack has no name"
grep -q '^by mapping' "$tmp/text" || fail "no table"
/usr/bin/python3 -W ignore -m jsonschema -i "$tmp/view" docs/schemas/ktrc.faults-1.json || fail "its JSON is not as docs/schemas says"

coproc old { exec touch_mappings "$file" wait; }
pid=$!
read -r _ <&"${old[0]}" || fail "touch_mappings wait"
ktrc-ctl start -q --events=fault,map,process --memory=32M || fail "start: $?"
echo go >&"${old[1]}"
sed '/^end$/Q' <&"${old[0]}" >"$tmp/known"
child=$(sed -n 's/^child //p' "$tmp/known")

# view_knows_old WHAT [PAGES]: this view what is known of it while the session goes on; and of so many pages that it has
# lost since that they were the file's
view_knows_old() {
	expect "$1: of what was there before" "$(of "$pid" "$file" "[anon_shmem]" "[heap]")" \
		"$(sed '/^child/,$d' "$tmp/known" | awk -v pages="${2:-0}" '/ \// { $1 += pages } 1' | sort)"
	expect "$1: of what a child had" "$(of "$child" "$file" "[anon_shmem]" "[heap]")" "$(sed '1,/^child/d' "$tmp/known" | sort)"
	[ -n "${2:-}" ] || jq -e ".mappings[] | select(.pid == $pid and .mapping == null and .faults >= 11)" "$tmp/view" >/dev/null ||
		fail "$1: what it had lost has a name"
	jq -e ".mappings[] | select(.pid == $pid and .mapping == \"[stack]\" and .faults >= 60)" "$tmp/view" >/dev/null ||
		fail "$1: its stack has no name"
}

# old_is_known WHAT [TRACE]: that of the session, or of the trace, does
old_is_known() {
	ktrc-read faults --format=json "${@:2}" >"$tmp/view" || fail "faults: $?"
	view_knows_old "$1"
	is_one_row "$1"
}

old_is_known running
ktrc-read -q --save "$tmp/old" || fail "save: $?"
ktrc-ctl snapshot -q "$tmp/snapshot" || fail "snapshot: $?"
ktrc-ctl stop -q || fail "stop: $?"
mv /run/ktrc/default.mapped "$tmp" || fail "where is it kept"
ktrc-read faults --format=json >"$tmp/view" || fail "faults: $?"
expect "of what nobody looked at, what was there before" "$(of "$pid" "$file" "[anon_shmem]" "[heap]")" \
	"$(printf '%s\n' '5 [anon_shmem]' "7 $file")" # it may have changed since
mv "$tmp/default.mapped" /run/ktrc || fail "mv"
kill "$pid"
wait "$pid"
old_is_known "stopped, and it ended"
old_is_known saved "$tmp/old"
old_is_known snapshot "$tmp/snapshot"
ktrc-read -q --save "$tmp/later" || fail "save: $?"
old_is_known "saved later" "$tmp/later"
ktrc-ctl reset -q

mkfifo "$tmp/told" "$tmp/says"
exec 6<>"$tmp/told" 7<>"$tmp/says"

# begin_old: one that waits
begin_old() {
	touch_mappings "$file" wait <&6 >&7 &
	pid=$!
	read -ru 7 _ || fail "touch_mappings wait"
}

# nobody looks before it has ended
begin_old
ktrc-ctl start -q --events=fault,map,process --memory=32M || fail "start: $?"
printf go >&6 # no more than it reads
sed '/^end$/Q' <&7 >"$tmp/known"
child=$(sed -n 's/^child //p' "$tmp/known")
kill "$pid"
wait "$pid"
old_is_known "ended, before somebody looked"
ktrc-ctl stop -q || fail "stop: $?"
rm -f /run/ktrc/default.mapped
old_is_known "ended, and stopped"
ktrc-read -q --save "$tmp/of_ended" || fail "save: $?"
old_is_known "ended, and saved" "$tmp/of_ended"
ktrc-ctl reset -q

begin_old
# shellcheck disable=SC2016 # that shell's
ktrc-ctl run -q --events=fault,map,process --memory=32M --save="$tmp/run" -- \
	bash -c 'printf go >"$0/told"; exec sed "/^end$/Q" "$0/says" >"$0/known"' "$tmp" || fail "run: $?"
child=$(sed -n 's/^child //p' "$tmp/known")
kill "$pid"
wait "$pid"
old_is_known "of a run" "$tmp/run"
expect "what is left of a session and a run" "$(ls /run/ktrc)" ""

# follow OPTION...: by a process that consumes, and so has looked; until the old one has ended
follow() {
	local follower
	begin_old
	ktrc-ctl start -q --mode=stream --events=fault,map,process --memory=32M || fail "start: $?"
	ktrc-read "$@" --follow >"$tmp/view" &
	follower=$!
	# it shows what it has consumed, or has begun the trace
	until compgen -G "$tmp/followed.tmp-*/metadata" >/dev/null ||
		ktrc-ctl status --format=json | jq -e '[.sessions[0].cpus[].gone_bytes] | add > 0' >/dev/null; do
		kill -0 $follower || fail "$*: it has ended"
		sleep 0.1
	done
	printf go >&6
	sed '/^end$/Q' <&7 >"$tmp/known"
	child=$(sed -n 's/^child //p' "$tmp/known")
	kill "$pid"
	wait "$pid"
	ktrc-ctl stop -q || fail "stop: $?"
	wait $follower || fail "$*: $?"
	ktrc-ctl reset -q
}
follow faults --format=json
view_knows_old followed 11
follow -q --save "$tmp/followed"
ktrc-read faults --format=json "$tmp/followed" >"$tmp/view" || fail "faults: $?"
view_knows_old "followed and saved" 11
is_one_row "followed and saved"

# it does not look so long at a process that somebody holds that its stream fills up meanwhile
insmod build/functional/ktrc_hold.ko symbols=do_mmap || fail "ktrc_hold: $?"
ln -s "$(command -v perl)" "$tmp/do_mmap"
"$tmp/do_mmap" -e 1 &
held=$!
until [ "$(cat /proc/$held/wchan)" = ktrc_hold ]; do sleep 0.1; done
ktrc-ctl start -q --mode=stream --events=fault,map,process --memory=4M || fail "start: $?"
ktrc-read faults --format=json --follow >"$tmp/view" &
follower=$!
for ((i = 0; i < 13; i++)); do
	taskset -c 0 touch_pages read 20011 >/dev/null || fail "touch_pages: $?"
done
kill -KILL $held
wait $held
ktrc-ctl stop -q || fail "stop: $?"
wait $follower || fail "follow: $?"
expect "lost while it looked" "$(jq .lost "$tmp/view")" 0
expect "names of mappings" "$(jq .why_mappings_unknown "$tmp/view")" null
ktrc-ctl reset -q
rmmod ktrc_hold

ktrc-ctl start -q --events=fault,map || fail "start: $?"
touch_mappings "$file" >/dev/null || fail "touch_mappings: $?"
ktrc-ctl stop -q || fail "stop: $?"
expect "mappings without processes" "$(ktrc-read faults --format=json | jq -c .mappings)" "[]"
ktrc-read faults 2>&1 >/dev/null | grep -- '--events=map,process' >/dev/null || fail "it does not say what records them"
ktrc-ctl reset -q
