#compdef ktrc-ctl ktrc-read
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of ktrc-ctl and ktrc-read for zsh.  Verbs, options and views are what the
# tools' own --help says, events and sessions are those of the running module.

_ktrc_verbs() {
	local -a verbs
	verbs=(${(f)"$(_call_program verbs ktrc-ctl --help 2>/dev/null |
		sed -n '/ktrc-ctl/!s/^  \([a-z]\{1,\}\) *\(.*\)/\1:\2/p')"})
	_describe verb verbs
}

_ktrc_views() {
	local -a views
	views=($(_call_program views ktrc-read --help 2>/dev/null |
		sed -n '/^VIEW is /{:more; /\./!{N; b more}; p}' |
		sed 's/^VIEW is //; s/([a-z]*)//g; s/ or / /g; s/[.,]/ /g'))
	_alternative 'views:view:compadd -a views' 'traces:trace:_files -/'
}

# `list` would load the module, which a press of a key must not.
_ktrc_events() {
	local -a events
	[[ ! -d /sys/module/ktrc ]] || events=(${(f)"$(_call_program events ktrc-ctl list 2>/dev/null |
		sed -n 's/^\([^ ]\{1,\}\) .*/\1/p')"})
	_sequence compadd - $events
}

_ktrc_sessions() {
	local -a sessions
	sessions=(${(f)"$(_call_program sessions ktrc-ctl status 2>/dev/null |
		sed -n 's/^session *\([^:]*\):.*/\1/p')"})
	compadd -a sessions
}

# What follows an option of that name; $help is that of its command.
_ktrc_action() {
	case $1 in
	events) reply=_ktrc_events ;;
	session) reply=_ktrc_sessions ;;
	format)
		reply="($(sed -n '/--format=FMT/{N; p}' <<<$help |
			grep -owE 'text|json|ndjson|markdown' | tr '\n' ' '))"
		;;
	color) reply='(auto always never)' ;;
	compat) reply='(drsnoop compactsnoop)' ;;
	mode) reply='(flight stream)' ;;
	cgroup) reply='_files -/ -W /sys/fs/cgroup' ;;
	pid) reply='_sequence _pids' ;;
	save) reply='_files -/' ;;
	*) reply=' ' ;;
	esac
}

# _ktrc_specs COMMAND...: sets specs to the options of a command, for _arguments
_ktrc_specs() {
	local line short long value text reply help
	specs=()
	help=$(_call_program options $* --help 2>/dev/null)
	for line in ${(f)help}; do
		[[ $line =~ '^ {2,6}(-(.), )?--([a-z-]+)(=([^ ]+))? +(.*)$' ]] || continue
		short=$match[2] long=$match[3] value=$match[5] text=${match[6]//[\[\]:]/ }
		if [[ -n $value ]]; then
			_ktrc_action $long
			value=":$value:$reply"
			specs+=("--${long}=[$text]$value")
			[[ -z $short ]] || specs+=("-${short}+[$text]$value")
		else
			specs+=("--${long}[$text]")
			[[ -z $short || $short = '?' ]] || specs+=("-${short}[$text]")
		fi
	done
}

_ktrc_ctl() {
	local -a specs
	if ((CURRENT == 2)); then
		_ktrc_verbs
		return
	fi
	local verb=$words[2]
	shift words
	((CURRENT--))
	case $verb in
	help) _ktrc_verbs ;;
	run)
		_ktrc_specs ktrc-ctl run
		_arguments -S $specs '*::: :_normal'
		;;
	*)
		_ktrc_specs ktrc-ctl $verb
		_arguments $specs
		;;
	esac
}

_ktrc_read() {
	local -a specs
	_ktrc_specs ktrc-read
	_arguments $specs '1: :_ktrc_views' '2:trace:_files -/'
}

case $service in
ktrc-ctl) _ktrc_ctl "$@" ;;
ktrc-read) _ktrc_read "$@" ;;
esac
