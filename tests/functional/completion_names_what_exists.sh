#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# bash, zsh and fish complete --events with the events of the running module, also after a
# comma, and --session with the sessions there are.  They do not load the module for it.
# long
. tests/functional/lib.sh
. tests/shells.sh

# offers WHEN LINE WORD...: each shell offers exactly these
offers() {
	local when=$1 line=$2 shell
	shift 2
	for shell in bash zsh fish; do
		expect "$shell $when after '$line'" \
			"$(complete_in "$shell" "$line" | sed 's/.*,//' | sort | xargs)" "$*"
	done
}

mapfile -t events < <(ktrc-ctl list | awk '/^[^ ]/ { print $1 }' | sort)
[ ${#events[@]} -ge 2 ] || fail "events: ${events[*]}"
offers "with the module" "ktrc-ctl start --events=" "${events[@]}"
offers "with the module" "ktrc-ctl start --events=fault,fault.l" fault.light
ktrc-ctl start --session=tab.1 --memory=1M || fail "start: $?"
offers "with a session" "ktrc-ctl stop --session=t" tab.1
offers "with a session" "ktrc-read --session=t" tab.1
ktrc-ctl reset --session=tab.1 || fail "reset: $?"

rmmod ktrc || fail "rmmod"
mkdir /run/tab
# shellcheck disable=SC2016 # that script's
printf '#!/bin/sh\necho "$@" >>/run/tab/loaded\n' >/run/tab/modprobe
chmod +x /run/tab/modprobe
PATH=/run/tab:$PATH
offers "without the module" "ktrc-ctl start --events="
[ ! -e /run/tab/loaded ] || fail "a key loads the module: modprobe $(cat /run/tab/loaded)"
