# SPDX-License-Identifier: GPL-2.0
# Judges the machine code of the objects that run inside probes, on x86-64.  Reads
# probe_symbols and then what objdump says: -t, -r and -dr of those objects, -t of the
# module's others.  Complaints go to stderr, what the objects need to stdout.
#
# A static function is known by its file and its name.  What the compiler splits off
# (.cold) belongs to the function that it was split off from.

function number(text) {
	if (text ~ /^-/)
		return -number(substr(text, 2))
	return text ~ /^0x/ ? hex(substr(text, 3)) : text + 0
}

# ---- what the objects consist of ----

function open_file() {
	file = $0
	sub(/:[ \t]*file format.*/, "", file)
	is_control = index(" " control " ", " " file " ")
	sub(/.*\//, "", file)
	nr_opened++
	if ($NF != "elf64-x86-64")
		refuse(file, "is for " $NF ", which kmod/probe_code.awk cannot read")
}

function name_of(symbol) {
	sub(/\.cold(\.[0-9]+)?$/, "", symbol)
	return (file, symbol) in is_static ? file ":" symbol : symbol
}

function read_undefined(symbol) {
	if (!is_control)
		needed[symbol] = file
	else if (symbol ~ /^ktrc_(tracepoint|point|function|entry|call)s?_attach$/ || (file != "hook.o" &&
		 symbol ~ /register.*(probe|trace|nmi|die)|probe_register|perf_event_create/))
		refuse(file, "attaches a hook (" symbol "): its handler would not be looked at")
}

function read_symbol(    half, word, flags, section, symbol, i) {
	split($0, half, "\t")
	flags = substr($0, length($1) + 2, 7)
	section = half[1]
	sub(/.* /, "", section)
	symbol = $NF
	if (section == "*UND*") {
		read_undefined(symbol)
		return
	}
	if (is_control || flags !~ /[FO]$/)
		return
	if (flags ~ /^l/)
		is_static[file, symbol]
	is_ours[name_of(symbol)]
	if (flags ~ /F$/ && symbol !~ /\.cold/)
		is_function[name_of(symbol)]
	split(half[2], word, " ")
	i = ++nr_symbols[file, section]
	first[file, section, i] = hex($1)
	end[file, section, i] = hex($1) + hex(word[1])
	what[file, section, i] = symbol
}

# the function or variable at this place of the current file
function at(section, place,    i) {
	for (i = nr_symbols[file, section]; i; i--)
		if (place >= first[file, section, i] && place < end[file, section, i])
			return name_of(what[file, section, i])
	return ""
}

# what a relocation names: by symbol, or what is static by section and place
function named(type, value,    symbol, offset) {
	symbol = value
	if (match(value, /[-+]0x[0-9a-f]+$/)) {
		symbol = substr(value, 1, RSTART - 1)
		offset = number(substr(value, RSTART + 1))
		if (substr(value, RSTART, 1) == "-")
			offset = -offset
	}
	return symbol ~ /^\./ ? at(symbol, offset + (type ~ /PC|PLT/ ? 4 : 0)) : name_of(symbol)
}

# ---- who calls and uses what ----

function calls(who, symbol) {
	if (symbol ~ /^(__x86_indirect_|__SCT__)/ && !(symbol in kind))
		refuse(who, "calls or jumps through a pointer")
	else if (symbol in is_function)
		callees[who] = callees[who] " " symbol
	else if (symbol in kind && kind[symbol] != "call")
		refuse(who, "calls " symbol ", which is listed as data")
	else if (symbol ~ /^ktrc_/)
		controls[who] = symbol
	user[symbol] = who
}

function uses(who, symbol) {
	if (symbol in is_function)
		is_handler[symbol]
	else if (symbol in kind && kind[symbol] != "data")
		refuse(who, "takes the address of " symbol)
	else if (symbol ~ /^ktrc_/ && !(symbol in is_ours))
		refuse(who, "uses " symbol ", which is not the probes' own")
	user[symbol] = who
}

# Whose address is kept is called by the kernel, but those of struct ktrc_probe.  That is
# constant; what hook.c hands to the kernel is not.
function read_data() {
	if (section !~ /^\.rodata/ || at(section, hex($1)) !~ /^ktrc_probe_/)
		uses(file, named($2, $3))
}

# ---- machine code ----

function stack(operands,    value) {
	value = operands
	sub(/^\$/, "", value)
	sub(/,.*/, "", value)
	if (mnemonic ~ /^push/)
		frame[who] += 8
	else if (operands !~ /(^|,)%rsp$/ || mnemonic ~ /^(pop|cmp|test)/)
		return
	else if (operands !~ /^\$/ || mnemonic !~ /^(sub|add|and)/)
		refuse_moved(operands)
	else if (mnemonic ~ /^sub/ || number(value) < 0)
		frame[who] += mnemonic ~ /^sub/ ? number(value) : -number(value)
}

# what ends a frame by its frame pointer is all right
function refuse_moved(operands) {
	if (mnemonic !~ /^(mov|lea)/ || operands !~ /^(%rbp|[-0-9a-fx]*\(%rbp\)),/)
		refuse(who, "has a frame of variable size")
}

function end_instruction(    symbol) {
	if (!is_branch)
		return
	symbol = at(section, hex(target))
	if (symbol != who || mnemonic ~ /^call/)
		calls(who, symbol)
	is_branch = 0
}

function read_instruction(    text, operands) {
	text = $0
	sub(/^[^:]*:[ \t]*/, "", text)
	sub(/[ \t]*#.*/, "", text)
	gsub(/,[ \t]+/, ",", text)
	while (match(text, /^(lock|rep[a-z]*|bnd|notrack|data16|[c-gs]s)[ \t]+/))
		text = substr(text, RLENGTH + 1)
	mnemonic = operands = text
	sub(/[ \t].*/, "", mnemonic)
	sub(/^[^ \t]*[ \t]*/, "", operands)
	is_branch = mnemonic ~ /^(call|j|loop)/
	target = operands
	sub(/^0x/, "", target)
	sub(/ .*/, "", target)
	if (is_branch && operands ~ /^\*/)
		refuse(who, "calls or jumps through a pointer")
	else if (mnemonic ~ /^(ud[0-2]|\(bad\))/)
		refuse(who, "can trap, as WARN and BUG do")
	else if (mnemonic == "pause")
		refuse(who, "waits for another CPU")
	stack(operands)
}

function read_relocation(    symbol) {
	symbol = named($2, $3)
	if (!is_branch)
		uses(who, symbol)
	else if (symbol != who || mnemonic ~ /^call/)
		calls(who, symbol)
	is_branch = 0
}

# ---- the judgement ----

function judge_symbols(    symbol) {
	for (symbol in needs_fault)
		print "symbol fault", symbol
	if (nr_listed > 15)
		refuse("kmod/probe_symbols", "lists more than 15 symbols")
	for (symbol in needed) {
		if (symbol in kind)
			print "symbol", kind[symbol], symbol
		else if (!(symbol in is_ours) && symbol !~ /^ktrc_/)
			refuse((symbol in user) ? user[symbol] : needed[symbol],
			       "refers to " symbol ", which kmod/probe_symbols does not list")
	}
}

# sums up the stack below a function, and whether it gets to the module's other objects
function descend(f,    n, i, callee, below) {
	state[f] = "open"
	n = split(callees[f], callee, " ")
	for (i = 1; i <= n; i++) {
		if (!(callee[i] in state))
			descend(callee[i])
		else if (state[callee[i]] == "open")
			refuse(f, "can get back to itself: it calls " callee[i])
		if (callee[i] in controls)
			controls[f] = controls[callee[i]]
		if (depth[callee[i]] > below) {
			below = depth[callee[i]]
			path[f] = " " path[callee[i]]
		}
	}
	path[f] = f path[f]
	depth[f] = frame[f] + 8 + below
	state[f] = "done"
}

function judge_functions(    f, deepest) {
	for (f in is_function) {
		if (!(f in state))
			descend(f)
		if (frame[f] > 384)
			refuse(f, "has a frame of " frame[f] " bytes, more than 384")
		if (f ~ /(^|:)ktrc_on_/)
			is_handler[f]
	}
	for (f in is_handler) {
		if (f in controls)
			refuse(f, "is called by the kernel and gets to " controls[f] \
				", which is not the probes' own")
		if (f !~ /(^|:)(ktrc_on_|[.])/)
			refuse(f, "is called by the kernel and is not named ktrc_on_*, by which probe_preempt.awk knows it")
		if (depth[f] > depth[deepest])
			deepest = f
	}
	print "stack", depth[deepest] + 0, path[deepest]
	if (depth[deepest] > 1024 || !deepest)
		refuse(deepest, "needs " depth[deepest] + 0 " bytes of stack: not 1 to 1024")
}

FNR == NR {
	if ($1 == "fault")
		may_fault[$2]
	if (/^(call|data) /) {
		kind[$2] = $1
		nr_listed++
	}
	next
}

/file format/ { end_instruction(); open_file(); next }
/^SYMBOL TABLE/ { mode = "symbols"; next }
/^RELOCATION RECORDS/ {
	mode = "data"
	section = $NF
	gsub(/[][]|:$/, "", section)
	if (section == "__bug_table")
		refuse(file, "has a WARN or BUG")
	else if (section == "__ex_table" && !(file in may_fault))
		refuse(file, "touches memory that may fault")
	else if (section == "__ex_table")
		needs_fault[file]
	next
}
/^Disassembly of section/ {
	end_instruction()
	mode = "code"
	section = $NF
	sub(/:$/, "", section)
	next
}
mode == "symbols" && /^[0-9a-f]+ / { read_symbol() }
mode == "data" && /^[0-9a-f]+ / && section ~ /^\.(init\.)?(ro)?data/ { read_data() }
mode == "code" && /^[0-9a-f]+ <.*>:$/ {
	end_instruction()
	who = at(section, hex($1))
	if (!who) {
		who = file ":" section # not a function's: whoever gets there
		is_function[who]
		is_handler[who]
	}
}
mode == "code" && /^[ \t]*[0-9a-f]+:[ \t]/ {
	if ($2 ~ /^R_/) {
		read_relocation()
	} else {
		end_instruction()
		read_instruction()
	}
}

END {
	end_instruction()
	if (nr_opened != 3 * split(probes, word, " ") + split(control, word, " "))
		refuse("objdump", "has not said everything")
	judge_symbols()
	judge_functions()
	close("cat >&2")
	exit is_bad
}
