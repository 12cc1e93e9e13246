#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# From where a record was written: 10,007 calls, or faults, from one caller and 5,003 from another have exactly
# these user stacks, as the program itself knows them, and a kernel stack through the system call;
# the innermost frames of a stack that is deeper than asked for; and of one that leads to
# memory that is not there what is left of it, where nothing is fetched and the exception that the walk
# raises is counted; a copy ends there, likewise. The memory may have been dropped or swapped out. Who is loading
# a program has none, as the registers are the old one's.
. tests/functional/lib.sh

tmp=$(mktemp -d /run/XXXXXX)

# record EVENTS ARGUMENT...: sets $tmp/known to what known_stacks prints, $tmp/all to the records
record() {
	ktrc-ctl start -q --events="$1" --memory=16M || fail "start: $?"
	known_stacks "${@:2}" >"$tmp/known" || fail "known_stacks: $?"
	ktrc-ctl stop -q || fail "stop: $?"
	ktrc-ctl stats --format=json >"$tmp/stats"
	all_accounted "$tmp/stats"
	ktrc-read check >"$tmp/check" || fail "check: $(cat "$tmp/check")"
	json_events --stacks >"$tmp/all" || fail "events: $?"
	[[ $1 != *dwarf* ]] || json_events --all | grep '"event":"stack_copy"' |
		jq 'select(.comm == "known_stacks").fields.words' | sort -nu >"$tmp/words"
	ktrc-ctl reset -q
}

# advice EVENTS ARGUMENT...: as record; sets $tmp/rows to the records of the program's advice
advice() {
	record "$@"
	grep '"comm":"known_stacks"' "$tmp/all" | grep '"advice":"MADV_NORMAL"' >"$tmp/rows"
}

# faults EVENT ARGUMENT...: as record; sets $tmp/rows to the records of the program's faults of its page
faults() {
	record "$1" touch "${@:2}"
	jq -c --argjson page "$(tail -n 1 "$tmp/known")" 'select(.comm == "known_stacks" and .fields.page == $page)' \
		"$tmp/all" >"$tmp/rows"
}

# user_stacks: each, how often, and where it ends
user_stacks() {
	jq -r '.user_stack | [.stack_end, .frames[].address] | join(" ")' "$tmp/rows" | sort | uniq -c | sed 's/^ *//' | sort
}

declare -A light=([plain]=fault.light [walking]=fault.light:stack=user)

# unseen EVENTS SESSION...: those sessions see nothing of what walks of another one raise
unseen() {
	local session
	for session in "${@:2}"; do
		ktrc-ctl start -q --session="$session" --events="${light[$session]}" --memory=16M || fail "start: $?"
	done
	advice "$1" lost 1009
	for session in "${@:2}"; do
		ktrc-ctl stop -q --session="$session" || fail "stop: $?"
		ktrc-ctl stats --session="$session" --format=json >"$tmp/stats"
		all_accounted "$tmp/stats"
		expect "$session: walks left out" "$(jq '[.counters[].filtered] | add >= 1009' "$tmp/stats")" true
		expect "$session: lost" "$(jq '[.counters[].lost_recursion] | add' "$tmp/stats")" 0
		json_events --session="$session" | grep '"comm":"known_stacks"' |
			jq ".fields | select(.page == $(sed -n 2p "$tmp/known")) | .mode" >"$tmp/rows"
		# the loader may have had a file there, for a while
		expect "$session: faults of the page" "$(sort -u "$tmp/rows")" '"user"'
		ktrc-ctl reset -q --session="$session"
	done
}

# two callers, beside those of faults in the same packets
taskset -c 0,1 touch_pages read 50021 >/dev/null &
advice madvise:stack=both,fault.light:stack=user two 10007 5003
wait $!
expect "user stacks" "$(user_stacks)" "$(awk 'NR == 1 { print 10007, "whole", $0 } NR == 2 { print 5003, "whole", $0 }' "$tmp/known" | sort)"
jq -r '.kernel_stack.frames[].address' "$tmp/rows" | sort | uniq -c >"$tmp/kernel"
calls=$(python3 - "$tmp/kernel" <<'END'
import sys
with open('/proc/kallsyms', encoding='ascii') as file:
    symbols = sorted((int(at, 16), name) for at, _, name, *_ in map(str.split, file))
begin, = (at for at, name in symbols if name == '__x64_sys_madvise')
end = min(at for at, _ in symbols if at > begin)
with open(sys.argv[1], encoding='ascii') as file:
    print(sum(int(nr) for nr, at in map(str.split, file) if begin < int(at, 16) < end))
END
)
expect "kernel stacks through the system call" "$calls" 15010

for event in fault fault.light; do
	faults $event:stack=user two 10007 5003
	expect "user stacks of $event" "$(user_stacks)" \
		"$(awk 'NR == 1 { print 10007, "whole", $0 } NR == 2 { print 5003, "whole", $0 }' "$tmp/known" | sort)"
	faults $event:stack=ip deep 1009 7
	expect "instructions of $event" "$(user_stacks)" "1009 depth $(head -n 1 "$tmp/known" | cut -d ' ' -f 1)"
	faults $event:stack=both:depth=64 deep 1009 100
	expect "stacks of 100 callers of $event" "$(user_stacks)" "1009 depth $(head -n 1 "$tmp/known" | cut -d ' ' -f 1-64)"
done

# deeper than asked for
advice madvise:stack=user:depth=64 deep 1009 100
expect "stacks of 100 callers" "$(user_stacks)" "1009 depth $(cut -d ' ' -f 1-64 "$tmp/known")"
advice madvise:stack=user:depth=64 deep 1009 59
expect "stacks of 59 callers" "$(user_stacks)" "1009 whole $(cat "$tmp/known")"
advice madvise:stack=ip deep 1009 7
expect "instructions" "$(user_stacks)" "1009 depth $(cut -d ' ' -f 1 "$tmp/known")"

# memory that is not there
advice madvise:stack=user,fault.light lost 1009
expect "stacks that lead nowhere" "$(user_stacks)" "1009 broken $(head -n 1 "$tmp/known")"
expect "pages that a walk fetched" "$(tail -n 1 "$tmp/known")" 0
unseen madvise:stack=user plain
unseen madvise:stack=user,fault.light:stack=user plain walking
advice madvise:stack=dwarf,fault.light lost 1009
expect "pages that a copy fetched" "$(tail -n 1 "$tmp/known")" 0
expect "words of copies up to the page" "$(head -n 1 "$tmp/words")" 25
[ "$(tail -n 1 "$tmp/words")" -le 273 ] || fail "copies of $(tail -n 1 "$tmp/words") words" # of the program's own stack, to its end
unseen madvise:stack=dwarf plain
advice madvise:stack=none,fault.light:stack=user lost 1009
expect "stacks of advice" "$(jq -c .user_stack "$tmp/rows" | sort | uniq -c | tr -s ' ')" " 1009 null"

for how in user dwarf; do
	ktrc-ctl start -q --events=map:stack=$how --memory=16M || fail "start: $?"
	for ((i = 0; i < 101; i++)); do
		/bin/true
	done
	ktrc-ctl stop -q || fail "stop: $?"
	json_events --stacks >"$tmp/all" || fail "events: $?"
	ktrc-ctl reset -q
	jq -c 'select(.event == "map" and .comm == "true") | [.fields.loading, .user_stack != null]' "$tmp/all" | sort | uniq -c >"$tmp/loads"
	awk '$2 == "[1,false]" && $1 >= 101 { old = 1 } $2 == "[0,true]" && $1 >= 101 { new = 1 } $2 == "[1,true]" { bad = 1 }
		END { exit bad || !old || !new }' "$tmp/loads" || fail "stacks of who loads a program: $(cat "$tmp/loads")"
done

# a stack that is swapped out, under a walk and under a copy
swap 65536
for how in user dwarf; do
	advice madvise:stack=$how,fault.light swapped 1009
	expect "pages that a $how stack fetched from swap" "$(tail -n 1 "$tmp/known")" 0
	expect "records" "$(wc -l <"$tmp/rows")" 1009
	jq -e '[.counters[] | select(.event == "fault.light").filtered] | add >= 1009' "$tmp/stats" >/dev/null ||
		fail "exceptions that a $how stack raised are not counted: $(cat "$tmp/stats")"
	[ $how = dwarf ] || expect "stacks that lead to swap" "$(user_stacks)" "1009 broken $(head -n 1 "$tmp/known")"
done
swapoff /dev/ram0
rmmod brd
