#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A cgroup is shown by its path, also one that was made while the session ran and one that is
# gone before anybody reads, in every view, live and saved; one whose path could not be
# kept stays an id, and is counted.  Where cgroups come and go the table of paths keeps room
# for new ones.  Who follows the records is told the path of a cgroup that is made meanwhile.  Where more files are mapped than
# can be numbered, code has room all the same.
# long
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)
cgroups=/sys/fs/cgroup
declare -A ids=()

# make CGROUP: a cgroup with the memory controller
make() {
	mkdir -p "$cgroups/$1" || fail "mkdir $1"
	ids[$1]=$(stat -c %i "$cgroups/$1")
}

# shrink CGROUP: a stall in its reclaim, by a task in it
shrink() {
	in_cgroup "$cgroups/$1" dash -c "echo 64K >$cgroups/$1/memory.reclaim; :" 2>/dev/null
}

# every view names early and late, and only these
check_names() {
	local view=$1
	expect "$view: cgroups" "$(jq -r '.cgroups[].cgroup' "$tmp/$view" | sort)" \
		"$(printf '%s\n' "${ids[$long]}" /early /late/below | sort)"
	expect "$view: without a name" "$(jq .unnamed_cgroups "$tmp/$view")" 1
	expect "$view: of processes" "$(jq -r '.processes[].cgroup' "$tmp/$view" | sort)" \
		"$(printf '%s\n' "${ids[$long]}" /early /late/below | sort)"
}

# all of a document that tells a cgroup's name by its id
named_in_events() {
	jq -r 'select(.event == "reclaim") | "\(.fields.cgid) \(.fields.cgroup) \(.cgroup)"' |
		sort -u
}

component=$(printf 'x%.0s' {1..200})
long=$component/$component/$component
echo +memory >$cgroups/cgroup.subtree_control
make early
ktrc-ctl start -q --events=fault,reclaim || fail "start: $?"
mkdir $cgroups/late
echo +memory >$cgroups/late/cgroup.subtree_control
make late/below
for at in "$component" "$component/$component"; do
	mkdir "$cgroups/$at"
	echo +memory >"$cgroups/$at/cgroup.subtree_control"
done
make "$long"
for cgroup in early late/below "$long"; do
	shrink "$cgroup"
	rmdir "$cgroups/$cgroup" || fail "rmdir $cgroup"
done
rmdir "$cgroups/$component/$component" "$cgroups/$component" $cgroups/late
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read -q --save "$tmp/trace" || fail "save: $?"

events="${ids[$long]} null null
${ids[early]} /early /early
${ids[late/below]} /late/below /late/below"
for what in "" "$tmp/trace"; do
	# shellcheck disable=SC2086
	ktrc-read reclaim --format=json $what >"$tmp/reclaim" || fail "reclaim $what: $?"
	check_names reclaim
	# shellcheck disable=SC2086
	ktrc-read --format=json $what | jq .reclaim >"$tmp/summary" || fail "summary $what: $?"
	check_names summary
	# shellcheck disable=SC2086
	expect "events $what" "$(json_events $what | named_in_events)" "$(sort <<<"$events")"
	# shellcheck disable=SC2086
	{ ktrc-read faults $what && ktrc-read reclaim $what && ktrc-read events $what; } >"$tmp/text" ||
		fail "text $what: $?"
	grep -q ' dash .* /late/below$' "$tmp/text" || fail "faults $what: $(cat "$tmp/text")"
	grep -q '^cgroups without a name: 1;' "$tmp/text" || fail "reclaim $what: $(cat "$tmp/text")"
	grep -q ' reclaim: cgid='"${ids[early]}"' cgroup="/early" ' "$tmp/text" ||
		fail "events $what: $(grep ' reclaim: ' "$tmp/text")"
	[ -n "$what" ] || ktrc-ctl reset -q
done

rmmod ktrc
insmod ktrc.ko max_names=300 || fail "insmod: $?"
ktrc-ctl start -q --session=followed --mode=stream --events=reclaim --memory=1M || fail "start: $?"
ktrc-read reclaim --session=followed --follow --format=json >"$tmp/followed" &
follower=$!
ktrc-ctl start -q --session=written --mode=stream --events=reclaim --memory=1M || fail "start: $?"
ktrc-read -q --session=written --follow --save "$tmp/written" &
writer=$!
ktrc-ctl start -q --events=reclaim --memory=1M || fail "start: $?"
make first
shrink first
pause 3
rmdir $cgroups/first
for ((i = 0; i < 10; i++)); do
	mkdir "$cgroups"/gone{1..50} || fail "mkdir of 50 cgroups"
	rmdir "$cgroups"/gone{1..50} || fail "rmdir of 50 cgroups"
	sleep 0.2
done
sleep 6
make late
shrink late
rmdir $cgroups/late
ktrc-ctl stop -q || fail "stop: $?"
expect "after 500 others, with room for 300" \
	"$(json_events | named_in_events)" "$(printf '%s\n' "${ids[first]} null null" "${ids[late]} /late /late" | sort)"
ktrc-ctl stop -q --session=followed || fail "stop: $?"
wait $follower || fail "reclaim --follow: $?"
expect "of who followed meanwhile" "$(jq -r '.cgroups[].cgroup' "$tmp/followed" | sort | xargs)" "/first /late"
ktrc-ctl stop -q --session=written || fail "stop: $?"
wait $writer || fail "--follow --save: $?"
expect "in its trace" "$(ktrc-read reclaim --format=json "$tmp/written" | jq -r '.cgroups[].cgroup' | sort | xargs)" "/first /late"
for session in default followed written; do
	ktrc-ctl reset -q --session=$session || fail "reset: $?"
done

ktrc-ctl start -q --mode=stream --events=reclaim --memory=1M || fail "start: $?"
ktrc-read events --follow --format=ndjson >"$tmp/followed" &
follower=$!
until ktrc-ctl status --format=json | jq -e '.sessions[0].has_consumer' >/dev/null; do
	pause 0.1
done
make later
pause 1
shrink later
ktrc-ctl stop -q || fail "stop: $?"
wait $follower || fail "events --follow: $?"
rmdir $cgroups/later
expect "of who follows" "$(named_in_events <"$tmp/followed")" "${ids[later]} /later /later"
ktrc-ctl reset -q

files=17000 programs=101
mkdir "$tmp/files"
ktrc-ctl start -q --events=map --memory=32M || fail "start: $?"
map_files "$tmp/files" $files || fail "map_files: $?"
for ((i = 0; i < programs; i++)); do
	cp /usr/bin/true "$tmp/files/program$i" || fail "cp"
	"$tmp/files/program$i" || fail "program$i"
done
ktrc-ctl stop -q || fail "stop: $?"
ktrc-read events --format=ndjson | jq -r --arg dir "$tmp/files/" 'select(.event == "map" and .fields.map_call == "mmap").fields |
	select(.file != null and (.file | startswith($dir))) | "\(.prot_exec) \(.file[($dir | length):]) \(.build_id != null)"' |
	sort -u >"$tmp/named" || fail "read: $?"
expect "programs, behind as many files as are numbered" "$(grep -c '^1 program[0-9]* true$' "$tmp/named")" $programs
named=$(grep -c '^0 data' "$tmp/named")
note "$named of $files files have names"
((named >= 12000 && named <= 12288)) || fail "that is not what there is room for"
ktrc-ctl reset -q
