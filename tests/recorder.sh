# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# For tests of saving that goes wrong, in $tmp: the ways to save, and what is left then.

plan= # what goes wrong with the tool's files: see preload/faulty_io.c
load=(touch_pages read 503) # what `run` records
events= # which it does, if not those that it does by itself
tries=0

# set_command WAY DIR: to what saves to DIR in this way; "follow" consumes a session, "run" has
# its own
set_command() {
	case $1 in
	save) command=(ktrc-read -q --save="$2") ;;
	snapshot) command=(ktrc-ctl snapshot -q "$2") ;;
	follow) command=(ktrc-read -q --follow --save="$2") ;;
	run) command=(ktrc-ctl run -q --format=json ${events:+--events="$events"} --memory=1M --packet=4K --save="$2" -- "${load[@]}") ;;
	esac
}

# try WAY DIR: sets status; $tmp/out and $tmp/err have what it said
try() {
	set_command "$@"
	tries=$((tries + 1)) status=0
	LD_PRELOAD=${plan:+$PWD/build/functional/faulty_io.so} KTRC_IO=$plan KTRC_IO_HIT=$tmp/hit \
		"${command[@]}" >"$tmp/out" 2>"$tmp/err" || status=$?
}

# complained DIR WHY: it failed, with a line that says at which place and why, and a hint
complained() {
	local lines wanted="^ktrc-(ctl|read): $1[^:]*: cannot [a-z ]+: $2\$"
	mapfile -t lines <"$tmp/err"
	if [ "$status" != 1 ] || [ ${#lines[@]} != 2 ] || ! [[ ${lines[0]} =~ $wanted ]] ||
		[[ ${lines[1]} != "hint: "* ]]; then
		fail "exit code $status, wanted 1 and $wanted: $(<"$tmp/err")"
	fi
}

# told_where DIR: by the hint
told_where() {
	grep -q "^hint: \(.* \)\?$1[ ;]" "$tmp/err" || fail "it does not say where $1 is: $(<"$tmp/err")"
}

# left_of DIR: sets left to the one directory that is left of a save to DIR, or to nothing
left_of() {
	local lefts
	mapfile -t lefts < <(compgen -G "$1"; compgen -G "$1.tmp-*")
	[ ${#lefts[@]} -le 1 ] || fail "left: ${lefts[*]}"
	left=${lefts[0]:-}
}

# records ARGUMENT...: a line each; without the time of day, which each reader knows anew
records() {
	ktrc-read events -q --no-header "$@" >"$tmp/records" 2>"$tmp/why" || [ $? = 3 ] ||
		fail "events $*: $(<"$tmp/why")"
	cut -d ' ' -f 2- "$tmp/records"
}

# nr_records FILE: of a summary
nr_records() {
	sed -n 's/^  *"records": \([0-9]*\),$/\1/p' "$1" | tail -n 1
}

# whole_packets DIR: a trace opens, its books balance, so no packet is torn, or missing in
# between, and that it is not all is the only thing it says; sets is_cut if it does
whole_packets() {
	ktrc-read check --format=json "$1" >"$tmp/check" 2>"$tmp/notes" ||
		fail "check $1: $(cat "$tmp/check" "$tmp/notes")"
	is_cut=
	[ -s "$tmp/notes" ] || return 0
	is_cut=1
	expect "notes on $1" "$(<"$tmp/notes")" \
		"ktrc-read: this is not all: reading ended before the session's records did"
}

# readable DIR: a whole trace; other readers see the same in it
readable() {
	whole_packets "$1"
	expect "$1 is cut" "$is_cut" ""
	expect "babeltrace2's records" \
		"$(babeltrace2 "$1" 2>"$tmp/complaints" | grep -c ' fault: ')" "$(records "$1" | grep -c ' fault: ')"
	! grep -v discarded "$tmp/complaints" || fail "babeltrace2 complains"
}

# none_lost FILE: it has every record that a session has written, once; or, with "again" behind
# it, at least once
none_lost() {
	local written
	written=$(ktrc-ctl stats --format=json | jq '[.counters[].written] | add')
	expect "records" "$(sort -u "$1" | wc -l)" "$written"
	[ "${2:-}" = again ] || expect "records, each once" "$(wc -l <"$1")" "$written"
}

# wait_until FILTER: of the session's status
wait_until() {
	until ktrc-ctl status --format=json | jq -e ".sessions[0] | $1" >/dev/null; do
		sleep 0.1
	done
}
