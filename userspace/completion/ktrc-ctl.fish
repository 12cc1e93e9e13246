# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of ktrc-ctl for fish.  Verbs and options are what its own --help says, events
# and sessions are those of the running module.

# `list` would load the module, which a press of a key must not.
function __ktrc_events
    test -d /sys/module/ktrc
    and ktrc-ctl list 2>/dev/null | string replace -rf '^(\S+) .*' '$1'
end

function __ktrc_event_list
    set -l before (commandline -ct | string replace -r '^(--events=)?(.*,)?[^,]*$' '$2')
    string join \n -- $before(__ktrc_events)
end

function __ktrc_sessions
    ktrc-ctl status 2>/dev/null | string replace -rf '^session *([^:]*):.*' '$1'
end

function __ktrc_cgroups
    set -l token (commandline -ct | string replace -r '^--cgroup=/?' '')
    set -l paths /sys/fs/cgroup/$token*/
    string replace /sys/fs/cgroup/ '' -- $paths
end

# __ktrc_formats HELP...: what it names as formats
function __ktrc_formats
    string join ' ' -- $argv | string replace -rf '.*--format=FMT +(.*?) +-.*' '$1' |
        string match -ra '\b(?:text|json|ndjson|markdown)\b'
end

# __ktrc_complete TOOL CONDITION HELP...: one completion for each option in a --help
function __ktrc_complete -a tool condition
    for line in $argv[3..]
        string match -qr '^ {2,6}(-(?<short>.), )?--(?<long>[a-z-]+)(?<value>=\\S+)? +(?<text>.*)' -- $line
        or continue
        set -l options -c $tool -n $condition -l $long -d $text
        test -z "$short"; or set -a options -s $short
        if test -n "$value"
            set -a options -x
            switch $long
                case events
                    set -a options -a '(__ktrc_event_list)'
                case session
                    set -a options -a '(__ktrc_sessions)'
                case format
                    set -a options -a (__ktrc_formats $argv[3..] | string join " ")
                case color
                    set -a options -a 'auto always never'
                case compat
                    set -a options -a 'drsnoop compactsnoop'
                case mode
                    set -a options -a 'flight stream'
                case cgroup
                    set -a options -a '(__ktrc_cgroups)'
                case pid
                    set -a options -a '(__fish_complete_pids)'
                case save
                    set -a options -a '(__fish_complete_directories)'
            end
        end
        complete $options
    end
end

complete -c ktrc-ctl -f
for line in (ktrc-ctl --help 2>/dev/null)
    string match -q '*ktrc-ctl*' -- $line; and continue
    string match -qr '^  (?<verb>[a-z]+) +(?<text>.*)' -- $line
    or continue
    complete -c ktrc-ctl -n __fish_use_subcommand -a $verb -d $text
    complete -c ktrc-ctl -n '__fish_seen_subcommand_from help' -a $verb
    __ktrc_complete ktrc-ctl "__fish_seen_subcommand_from $verb" (ktrc-ctl $verb --help 2>/dev/null)
end
complete -c ktrc-ctl -n __fish_use_subcommand -a help
