# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# TAP for scripts.  tap_case NAME COMMAND... runs one case: exit status 0 passes, 77
# skips, any other fails and shows the output; tap_close ends the script.  With
# TAP_ONLY=NAME in the environment the other cases are left out.
tap_nr=0 tap_passed=0 tap_failed=0
tap_log=$(mktemp)
trap 'rm -f "$tap_log"' EXIT

tap_case() {
	local name=$1 status=0 start=$SECONDS
	shift
	[ "${TAP_ONLY:-$name}" = "$name" ] || return 0
	(unset TAP_ONLY && "$@") >"$tap_log" 2>&1 </dev/null || status=$?
	tap_nr=$((tap_nr + 1))
	case $status in
	0)
		tap_passed=$((tap_passed + 1))
		grep '^# ' "$tap_log"
		echo "ok $tap_nr - $name # $((SECONDS - start)) s"
		;;
	77)
		echo "ok $tap_nr - $name # SKIP $(tail -n 1 "$tap_log" | sed 's/^# //')"
		;;
	*)
		tap_failed=$((tap_failed + 1))
		tail -n 100 "$tap_log" | sed '/^# /!s/^/# /'
		echo "not ok $tap_nr - $name # exit status $status, $((SECONDS - start)) s"
		;;
	esac
}

tap_close() {
	echo "1..$tap_nr"
	echo "$tap_passed passed, $tap_failed failed"
	[ "$tap_failed" = 0 ] && [ "$tap_nr" -gt 0 ]
	exit
}
