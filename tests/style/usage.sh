# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the tools say of themselves, for the tests of what is written about them.
PATH=$PWD/userspace:$PATH
mkdir -p build
flock build/tools.lock make -s tools || exit 1

# From the tools' lists for a word that they do not know, so not from their --help.
verbs() {
	ktrc-ctl '~' 2>&1 | sed -n 's/^hint: it is one of //p'
}

views() {
	ktrc-read '~' 2>&1 | sed -n 's/^hint: it is one of //p'
}

# values COMMAND... --OPTION: what may follow it, by what the tool says to another value
values() {
	"${@:1:$#-1}" "${!#}=~" 2>&1 | sed -nE 's/^hint: it is one of //p; s/.* is neither (\w+) nor (\w+)$/\1 \2/p'
}

# long_options COMMAND...
long_options() {
	"$@" --help | sed -nE 's/^ {2,6}(-., )?(--[a-z-]+).*/\2/p'
}

short_options() {
	"$@" --help | sed -nE 's/^ {2,6}(-.), --.*/\1/p'
}
