# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# For tests with the module ktrc_recurse, which watches a process, in $tmp.

# value PARAMETER
value() {
	cat "/sys/module/ktrc_recurse/parameters/$1"
}

# begin COMMAND...: starts the process, which says a line and then waits for one; sets process
begin() {
	mkfifo "$tmp/go"
	"$@" <"$tmp/go" >"$tmp/said" &
	process=$!
	exec {go}>"$tmp/go"
	until [ -s "$tmp/said" ]; do
		kill -0 "$process" 2>/dev/null || fail "$1: $(cat "$tmp/said")"
		sleep 0.1
	done
}

# end: lets it go on
end() {
	echo >&"$go"
	wait "$process" || fail "the process: $?"
	exec {go}>&-
	rm "$tmp/go" "$tmp/said"
}

# watch PARAMETER=VALUE...
watch() {
	local module
	module=$(awk '$1 == "ktrc" { print "core=" $6, "core_bytes=" $2 }' /proc/modules)
	# shellcheck disable=SC2086 # two parameters
	insmod build/functional/ktrc_recurse.ko $module "$@" || fail "insmod ktrc_recurse: $?"
}
