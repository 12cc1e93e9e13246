# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# TAP for scripts.  tap_case NAME COMMAND... runs one case: exit status 0 passes, 77
# skips, any other fails and shows the output; tap_close ends the script.  A script that
# sets tap_jobs has so many cases run at a time; they are reported in their order all the
# same.  With TAP_ONLY=NAME in the environment the other cases are left out.
tap_nr=0 tap_passed=0 tap_failed=0 tap_jobs=1
tap_names=()
tap_log=$(mktemp -d)
trap 'rm -rf "$tap_log"' EXIT

tap_case() {
	local name=$1 nr=${#tap_names[@]}
	shift
	[ "${TAP_ONLY:-$name}" = "$name" ] || return 0
	tap_names+=("$name")
	echo "$SECONDS" >"$tap_log/$nr.start"
	if [ "$tap_jobs" = 1 ]; then
		tap_run "$nr" "$@"
	else
		tap_run "$nr" "$@" &
	fi
	while [ "$(jobs -rp | wc -l)" -ge "$tap_jobs" ]; do
		wait -n
	done
	tap_report
}

tap_run() {
	local nr=$1
	shift
	(unset TAP_ONLY && "$@") >"$tap_log/$nr" 2>&1 </dev/null
	echo "$? $SECONDS" >"$tap_log/$nr.end"
}

# Reports the cases that have ended, up to the first that has not.
tap_report() {
	local log status seconds
	while [ -s "$tap_log/$tap_nr.end" ]; do
		log=$tap_log/$tap_nr
		read -r status seconds <"$log.end"
		seconds=$((seconds - $(<"$log.start")))
		tap_verdict "${tap_names[tap_nr++]}" "$status" "$seconds"
	done
}

tap_verdict() {
	local name=$1 status=$2 seconds=$3
	case $status in
	0)
		tap_passed=$((tap_passed + 1))
		grep '^# ' "$log"
		echo "ok $tap_nr - $name # $seconds s"
		;;
	77)
		echo "ok $tap_nr - $name # SKIP $(tail -n 1 "$log" | sed 's/^# //')"
		;;
	*)
		tap_failed=$((tap_failed + 1))
		tail -n 100 "$log" | sed '/^# /!s/^/# /'
		echo "not ok $tap_nr - $name # exit status $status, $seconds s"
		;;
	esac
}

tap_close() {
	wait
	tap_report
	echo "1..${#tap_names[@]}"
	echo "$tap_passed passed, $tap_failed failed"
	[ "$tap_failed" = 0 ] && [ "$tap_nr" -gt 0 ] && [ "$tap_nr" = ${#tap_names[@]} ]
	exit
}
