# SPDX-License-Identifier: GPL-2.0
# Holds the objects that run inside probes to it that a probe switches preemption off before it uses memory of its
# CPU: not every hook of every kernel does. Reads `objdump -dr --no-show-raw-insn OBJECT...`, on x86-64.
#
# From the beginning of each function at a hook (ktrc_on_*) every way is walked, also into the functions that
# are called, and each has to return with preemption as it was. What may be used at any time: the current task, the
# preemption count itself, the canary of a stack, and the clock's last reading, where a change of the CPU does no harm.
# That an address of such memory is used no longer than preemption is off is not looked at.

BEGIN { MOST = 20 } # times; no way goes so deep

function read_instruction() {
	place = $1
	sub(/:$/, "", place)
	place = file ":" section ":" hex(place)
	if (goes_on)
		next_of[last] = place
	last = place
	owner[place] = file ":" name
	text = $0
	sub(/^[^:]*:[ \t]*((lock|rep[a-z]*|bnd|notrack)[ \t]+)*/, "", text)
	mnemonic = text
	sub(/[ \t].*/, "", mnemonic)
	is_branch = mnemonic ~ /^(call|j|loop)/
	if (mnemonic ~ /^call/)
		is_call[place]
	leaves[place] = mnemonic ~ /^ret/
	is_padding[place] = text ~ /^((data16|cs|xchg[ \t]+%ax,%ax)[ \t]*)*(nop.*)?$/ || mnemonic == "int3"
	if (is_branch && match(text, /[ \t][0-9a-f]+ </))
		target[place] = file ":" section ":" hex(substr(text, RSTART + 1, RLENGTH - 3))
	if (text ~ /%gs:/ && text !~ /%gs:0x28[^0-9a-f]/)
		of_cpu[place] = "memory of its CPU"
	goes_on = mnemonic !~ /^(jmp|ret|ud2|int3)/
}

# by how much the instruction changes the preemption count: it reads it, or counts once more, or once less
function step() {
	if (mnemonic ~ /^inc/ || mnemonic ~ /^add/ && text ~ /[$]0x1,/)
		return 1
	if (mnemonic ~ /^dec/ || mnemonic ~ /^sub/ && text ~ /[$]0x1,/)
		return -1
	if (mnemonic !~ /^(cmp|test)/ && text !~ /%gs:[^,]*,/)
		refuse(file ":" name, "changes the preemption count by more than one")
	return 0
}

# what it names is another function, or memory
function read_relocation(    symbol) {
	symbol = $3
	sub(/[-+]0x[0-9a-f]+$/, "", symbol)
	if (is_branch)
		target[last] = (symbol ~ /^[.]text/ ? file ":" : "") led_to_by($3)
	else if (symbol ~ /^(current_task|ktrc_clock_last|__preempt_count)$/)
		delete of_cpu[last]
	else if (last in of_cpu)
		of_cpu[last] = symbol
	if (symbol == "__preempt_count")
		change[last] = step()
	if (symbol == "__stack_chk_fail")
		goes_on = 0
}

# what a branch leads to, by name the function of its own file first; "": it is none
function led_to(place,    to, in_file) {
	to = place in target ? target[place] : ""
	in_file = substr(place, 1, index(place, ":") - 1)
	if ((in_file, to) in entry)
		return entry[in_file, to]
	return to in global ? global[to] : to
}

# on the way from the hook of @handler, with preemption switched off @off times, @before of them by who called the function
function come(place, off, before, handler) {
	if (!(place in owner) || (place, off, before) in is_seen)
		return
	is_seen[place, off, before]
	is_come[place] = is_entered[owner[place]] = 1
	to_do[++nr_to_do] = place
	off_of[nr_to_do] = off
	before_of[nr_to_do] = before
	handler_of[nr_to_do] = handler
}

function refuse_once(place, why) {
	if (!is_refused[owner[place], why]++)
		refuse(owner[place], why)
}

function go_on(place, off, before, handler,    to) {
	to = led_to(place)
	if (!off && place in of_cpu)
		refuse_once(place, "uses " of_cpu[place] " with preemption on, on the way from " handler)
	off += change[place]
	if (to && !(place in is_call))
		leaves[place] = !(to in owner)
	if (off < before || off > before && leaves[place])
		refuse_once(place, "does not leave preemption as it was, on the way from " handler)
	off = off < before ? before : off > MOST ? MOST : off
	come(to, off, place in is_call ? off : before, handler)
	if (place in next_of)
		come(next_of[place], off, before, handler)
}

/file format/ {
	file = $1
	sub(/.*\//, "", file)
	sub(/:$/, "", file)
}

/^Disassembly of section/ {
	section = $NF
	sub(/:$/, "", section)
	goes_on = 0
}

/^[0-9a-f]+ <.*>:$/ {
	name = substr($2, 2, length($2) - 3)
	place = file ":" section ":" hex($1)
	entry[file, name] = global[name] = place
	if (name ~ /^ktrc_on_/ && name !~ /[.]cold/)
		start[++nr_starts] = place
	goes_on = 0
}

/^[ \t]*[0-9a-f]+:[ \t]/ {
	if ($2 ~ /^R_/)
		read_relocation()
	else
		read_instruction()
}

END {
	for (i = 1; i <= nr_starts; i++)
		come(start[i], 0, 0, owner[start[i]])
	while (i = nr_to_do) {
		nr_to_do--
		go_on(to_do[i], off_of[i], before_of[i], handler_of[i])
	}
	for (place in owner)
		if (is_entered[owner[place]] && !is_come[place] && !is_padding[place])
			refuse_once(place, "has code that nobody knows the way to")
	close("cat >&2")
	exit is_bad
}
