# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# complete_in SHELL LINE: what the shell offers when Tab is pressed after LINE, one word
# a line, without what precedes it in the word and without the = of an option.
completion_files=$PWD/userspace/completion

complete_in() {
	"offered_by_$1" "$2" | sed 's/^--[a-z-]*=\(.\)/\1/; s/=$//; s/ *$//'
}

offered_by_bash() {
	# shellcheck disable=SC2016 # the inner shell's variables
	bash --norc -c '
		. "$1/ktrc.bash"
		line=${2//=/ = }
		read -ra COMP_WORDS <<<"$line"
		[[ $line != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		"_${COMP_WORDS[0]//-/_}"
		printf "%s\n" "${COMPREPLY[@]}"' bash "$completion_files" "$1"
}

offered_by_fish() {
	# shellcheck disable=SC2016 # the inner shell's variables
	fish --no-config -c '
		set fish_complete_path $argv[1] $fish_complete_path
		complete -C $argv[2]' "$completion_files" "$1" | cut -f 1
}

# zsh completes at a terminal only: a key lists what it would offer, then says so.
offered_by_zsh() {
	local dir
	dir=$(mktemp -d)
	cp "$completion_files/ktrc.zsh" "$dir/_ktrc"
	cat >"$dir/.zshrc" <<-'END'
		PS1= PS2= RPS1= LISTMAX=1000
		unset zle_bracketed_paste
		unsetopt prompt_cr prompt_sp list_types
		# looks at fewer files than it would: in a guest all of them take half a minute
		all=($fpath)
		fpath=($ZDOTDIR ${(M)fpath:#*/Completion(|/Base)})
		autoload -Uz compinit
		compinit -u -D
		fpath=($ZDOTDIR $all)
		autoload -Uz ${^all}/_*(N:t)
		zstyle ':completion:*' verbose no
		offer() {
			print
			zle list-choices
			zle -R
			print don'e'
		}
		zle -N offer
		bindkey '^D' offer
		print rea'dy'
	END
	# shellcheck disable=SC2016 # zsh's variables
	ZDOTDIR=$dir TERM=dumb timeout 900 zsh -f -c '
		zmodload zsh/zpty
		zpty z zsh -d -i
		await() {
			local text
			seen=
			until [[ $seen = *$1* ]] || ! zpty -t z; do
				sleep 0.05
				while zpty -r -t z text; do seen+=$text; done
			done
		}
		await ready
		zpty -w -n z "$1"$(printf "\\x04")
		await done
		print -r -- $seen' zsh "$1" | tr -d '\r' | sed '/^ *done/,$d; 1d' | grep -vF -e "$1" |
		tr -s ' ' '\n' | grep .
	rm -rf "$dir"
}
