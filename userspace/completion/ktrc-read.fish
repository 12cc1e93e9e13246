# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of ktrc-read for fish; what it shares with ktrc-ctl is defined there.
functions -q __ktrc_complete
or source (status dirname)/ktrc-ctl.fish

function __ktrc_views
    set -l help (ktrc-read --help 2>/dev/null | string collect)
    string replace -rf '(?s).*\nVIEW is ([^.]*).*' '$1' -- $help |
        string replace -ra '\([a-z]*\)|\bor\b|,' ' ' | string split -n ' '
end

complete -c ktrc-read -f -a '(__ktrc_views)'
complete -c ktrc-read -a '(__fish_complete_directories)'
__ktrc_complete ktrc-read true (ktrc-read --help 2>/dev/null)
