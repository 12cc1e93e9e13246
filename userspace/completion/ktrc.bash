# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion of ktrc-ctl and ktrc-read for bash.  Verbs, options and views are what the
# tools' own --help says; events and sessions are those of the running module.

_ktrc_verbs() {
	ktrc-ctl --help 2>/dev/null | sed -n '/ktrc-ctl/!s/^  \([a-z]\{1,\}\) .*/\1/p'
}

_ktrc_views() {
	ktrc-read --help 2>/dev/null | sed -n '/^VIEW is /{:more; /\./!{N; b more}; p}' |
		sed 's/^VIEW is //; s/([a-z]*)//g; s/ or / /g; s/[.,]/ /g'
}

_ktrc_options() {
	"$@" --help 2>/dev/null | sed -n 's/^ \{2,6\}\(-., \)\{0,1\}\(--[a-z-]\{1,\}=\{0,1\}\).*/\2/p'
}

# `list` would load the module, which a press of a key must not.
_ktrc_events() {
	[ ! -d /sys/module/ktrc ] || ktrc-ctl list 2>/dev/null | sed -n 's/^\([^ ]\{1,\}\) .*/\1/p'
}

_ktrc_sessions() {
	ktrc-ctl status 2>/dev/null | sed -n 's/^session *\([^:]*\):.*/\1/p'
}

_ktrc_reply() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

# What the --help of the command that is being typed names as formats.
_ktrc_formats() {
	local command=("${COMP_WORDS[0]}")
	[ "${command[0]}" != ktrc-ctl ] || command+=("${COMP_WORDS[1]}")
	"${command[@]}" --help 2>/dev/null | sed -n '/--format=FMT/{N; p}' |
		grep -owE 'text|json|ndjson|markdown'
}

# _ktrc_value OPTION BEGINNING: false if the option takes no argument
_ktrc_value() {
	local before=
	case $1 in
	-e | --events)
		[[ $2 != *,* ]] || before=${2%,*},
		_ktrc_reply "$(_ktrc_events)" "${2##*,}"
		COMPREPLY=("${COMPREPLY[@]/#/$before}")
		;;
	-s | --session) _ktrc_reply "$(_ktrc_sessions)" "$2" ;;
	-o | --format) _ktrc_reply "$(_ktrc_formats)" "$2" ;;
	--color) _ktrc_reply "auto always never" "$2" ;;
	--compat) _ktrc_reply "drsnoop compactsnoop" "$2" ;;
	--mode) _ktrc_reply "flight stream" "$2" ;;
	-G | --cgroup)
		mapfile -t COMPREPLY < <(cd /sys/fs/cgroup 2>/dev/null && compgen -d -- "${2#/}")
		;;
	-p | --pid)
		[[ $2 != *,* ]] || before=${2%,*},
		_ktrc_reply "$(cd /proc && echo [0-9]*)" "${2##*,}"
		COMPREPLY=("${COMPREPLY[@]/#/$before}")
		;;
	--save) mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
	-m | -n | -w | --memory | --packet | --top | --window | --max-* | --min | --sample) COMPREPLY=() ;;
	*) return 1 ;;
	esac
}

# The words before the cursor; bash splits --option=value into three.
_ktrc_option_value() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	if [ "$word" = "=" ]; then
		_ktrc_value "$before" ""
	elif [ "$before" = "=" ]; then
		_ktrc_value "${COMP_WORDS[COMP_CWORD - 2]}" "$word"
	else
		_ktrc_value "$before" "$word"
	fi
}

# _ktrc_option COMMAND...: options of a command; no space after one that takes an argument
_ktrc_option() {
	_ktrc_reply "$(_ktrc_options "$@")" "${COMP_WORDS[COMP_CWORD]}"
	if [[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} = *= ]]; then
		compopt -o nospace 2>/dev/null
	fi
}

_ktrc_ctl() {
	local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} i
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		_ktrc_reply "$(_ktrc_verbs) --help --version" "$word"
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		[ "${COMP_WORDS[i]}" = -- ] || continue
		if [ $((i + 1)) = "$COMP_CWORD" ]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$word")
		else
			compopt -o default 2>/dev/null
		fi
		return
	done
	if _ktrc_option_value; then
		return
	elif [ "$verb" = help ]; then
		_ktrc_reply "$(_ktrc_verbs)" "$word"
	elif [[ $word = -* ]]; then
		_ktrc_option ktrc-ctl "$verb"
	fi
}

_ktrc_read() {
	local word=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	if _ktrc_option_value; then
		return
	elif [[ $word = -* ]]; then
		_ktrc_option ktrc-read
	else
		_ktrc_reply "$(_ktrc_views)" "$word"
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$word")
	fi
}

complete -F _ktrc_ctl ktrc-ctl
complete -F _ktrc_read ktrc-read
