# SPDX-License-Identifier: GPL-2.0
# Every loop of these sources has a number of rounds that is known beforehand: it is
#	for (i = CONSTANT; i < CONSTANT [&& whatever]; i++)
# where i is a variable of the function's own, has 32 bits or more, and nothing else changes it.
# A constant is a number of up to three digits, or what KTRC_BOUND() in the same file or in a
# header holds to KTRC_MAX_ROUNDS.
# What is no such loop is refused: while, goto, the kernel's for_each and the like, and assembly, which nobody reads;
# and a function that names itself, by way of functions and macros: a compiler makes a loop of it, which passes heads of
# others.  Not seen are names that are pasted together, and pointers that are constant.
#
# Complaints go to stderr, the lines of the loops' heads to stdout: probe_rounds.awk takes the
# loops in the machine code for these.

# the text that goes on with @rest
function code_before(rest) {
	return substr(code, 1, length(code) - length(rest))
}

function line_at(rest,    before) {
	before = code_before(rest)
	return gsub(/\n/, "", before) + 1
}

function refuse(rest, why) {
	print "probe code: " file ":" line_at(rest) ": " why | "cat >&2"
	is_bad = 1
}

# length up to where the literal, or the bracket, that the text begins with is closed
function closed(text, opening, closing,    n, c, depth) {
	for (n = 1; n <= length(text); n++) {
		c = substr(text, n, 1)
		if (c == "\\")
			n++
		else if (c == closing && (opening == closing ? n > 1 : --depth == 0))
			return n
		else if (c == opening)
			depth++
	}
	return n
}

function length_of(skipped) {
	if (skipped ~ /^\/\*/)
		return index(skipped, "*/") + 1
	if (skipped ~ /^\/\//)
		return index(skipped, "\n") - 1
	return closed(skipped, substr(skipped, 1, 1), substr(skipped, 1, 1))
}

# the text without its comments and literals, on the same lines
function stripped(text,    out, skipped) {
	while (match(text, /\/\*|\/\/|"|'/)) {
		out = out substr(text, 1, RSTART - 1)
		text = substr(text, RSTART)
		skipped = substr(text, 1, length_of(text))
		text = substr(text, length(skipped) + 1)
		gsub(/[^\n]/, "", skipped)
		out = out " " skipped
	}
	return out text
}

# where a file states its bounds: those of a header are everybody's
function scope() {
	return file ~ /[.]h$/ ? "" : file
}

function read_bounds(    rest, stated) {
	rest = code
	while (match(rest, /\n\t*KTRC_BOUND\([^\n;]*\);/)) {
		stated = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		gsub(/^\n\t*KTRC_BOUND\(|\);$/, "", stated)
		is_stated[scope(), stated]
	}
}

function is_constant(text) {
	return text ~ /^[0-9][0-9]?[0-9]?$/ || ("", text) in is_stated || (file, text) in is_stated
}

function is_bounded(i, condition,    n, term) {
	if (condition ~ /\|\||\?|,/)
		return 0
	for (n = split(condition, term, / && /); n; n--)
		if (index(term[n], i " < ") == 1 && is_constant(substr(term[n], length(i) + 4)))
			return 1
	return 0
}

# the text on one line, and @i without brackets of its own
function bared(i, text) {
	gsub(/[ \t\n]+/, " ", text)
	while (gsub("[(] ?" i " ?[)]", i, text))
		;
	return " " text " "
}

function is_pointed_at(i, text) {
	return bared(i, text) ~ ("([^&]&|([-=,;{?:+*(]|[(][a-z_][a-z0-9_ ]*[*][* ]*[)]) ?& )" i "[^A-Za-z0-9_]")
}

function is_changed(i, text) {
	text = bared(i, text)
	return text ~ ("[^A-Za-z0-9_.>]" i " ?([+][+]|--|[-+*/%&|^]=|<<=|>>=|=[^=])") ||
	       text ~ ("([+][+]|--) ?" i "[^A-Za-z0-9_]") || is_pointed_at(i, text)
}

# macros: what they do is done wherever their names stand
function read_macros(    rest, head) {
	rest = code
	while (match(rest, /#define [A-Za-z_][^\n]*(\\\n[^\n]*)*/)) {
		head = substr(rest, RSTART + 8, RLENGTH - 8)
		rest = substr(rest, RSTART + RLENGTH)
		macros = macros " ; " head
		match(head, /^[A-Za-z0-9_]+/)
		is_macro[substr(head, 1, RLENGTH)] = substr(head, RLENGTH + 1)
		add_text(substr(head, 1, RLENGTH), substr(head, RLENGTH + 1), !scope())
	}
}

# functions: they are given what a variable holds, while a macro is given the variable
function read_functions(    rest, name) {
	rest = code
	while (match(rest, /[A-Za-z0-9_]+\([^(){};]*\)\n[{]/)) {
		name = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		is_function[substr(name, 1, index(name, "(") - 1)]
	}
}

# what a function or a macro of this file says
function add_text(name, text, is_everybodys) {
	gsub(/([.]|->) ?[A-Za-z_][A-Za-z0-9_]*/, " ", text)
	text_of[file, name] = text_of[file, name] " " text
	if (is_everybodys)
		home[name] = file
}

function read_texts(    rest, head, body, name) {
	rest = code
	gsub(/\n#([^\n]*\\\n)*[^\n]*/, "", rest)
	while (match(rest, /[{;]/)) {
		head = substr(rest, 1, RSTART - 1)
		rest = substr(rest, RSTART)
		body = substr(rest, 1, rest ~ /^;/ ? 1 : closed(rest, "{", "}"))
		rest = substr(rest, length(body) + 1)
		while (body != ";" && head !~ /=/ && match(head, /[A-Za-z0-9_]+[ \t\n]*[(][^*]/)) {
			name = substr(head, RSTART, RLENGTH)
			sub(/[^A-Za-z0-9_].*/, "", name)
			add_text(name, body, head !~ /(^|[^A-Za-z0-9_])static[ \t\n]/ || !scope())
			head = substr(head, 1, RSTART - 1) substr(head, RSTART + RLENGTH)
		}
	}
}

# what opened the bracket that is still open at the end of @before
function opener(before,    n, c, depth) {
	for (n = length(before); n && depth >= 0; n--) {
		c = substr(before, n, 1)
		depth += c == ")" ? 1 : c == "(" ? -1 : 0
	}
	before = substr(before, 1, n)
	sub(/ $/, "", before)
	return match(before, /[A-Za-z0-9_]+$/) ? substr(before, RSTART) : ""
}

# is it given, as it is, to anything but a function of these sources: a macro of the kernel may write to it
function is_given(i, body,    before, name) {
	body = bared(i, body)
	while (match(body, "[(,] ?" i " ?[,)]")) {
		before = before substr(body, 1, RSTART)
		body = substr(body, RSTART + 1)
		name = opener(before)
		if (!(name in is_function) || name in is_macro)
			return 1
	}
	return 0
}

# is any of it, which stands where a loop's head does, not a function of these sources: a macro of the kernel may loop
function may_loop(text, depth,    word) {
	while (depth < 9 && match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
		word = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		if (word in is_macro ? may_loop(is_macro[word], depth + 1) : text ~ /^ ?[(]/ && !(word in is_function) &&
		    word !~ /^(sizeof|sizeof_field|ARRAY_SIZE|DIV_ROUND_UP|likely|unlikely|xa_is_zero)$/)
			return 1
	}
	return depth == 9
}

# the function's text before what goes on with @rest
function text_before(rest,    before, part) {
	before = code_before(rest)
	before = part[split(before, part, /\n[}]/)]
	return match(before, /\n[{]/) ? substr(before, RSTART) : ""
}

# is it declared there, in no block that is closed, as what can count to KTRC_MAX_ROUNDS; nobody else can change it
function is_own(i, before) {
	before = bared(i, before)
	while (gsub(/[(][^()]*[)]|[{][^{}]*[}]/, "", before))
		;
	return before ~ ("[^a-z0-9_](int|long|u32|u64|size_t) ([^;{}]*, ?)?" i "[,; ]") &&
	       before !~ ("[^a-z0-9_](static|extern|__thread|short) [^;{}]*[ ,*]" i "[,; ]")
}

# is there nothing before the for that @rest follows, on its line
function is_alone(rest) {
	return code_before(rest) ~ /\n[ \t]*for[ \t]*$/
}

function judge_for(rest,    head, body, clause, line, i, before) {
	head = substr(rest, 1, closed(rest, "(", ")"))
	body = substr(rest, length(head) + 1)
	for (line = line_at(rest); line <= line_at(body); line++)
		print "for", file ":" line
	if (!is_alone(rest) || body !~ /^[ \t]*[{]?[ \t]*\n/)
		refuse(rest, "for " head ": something else is on its line")
	sub(/^[ \t\n]+/, "", body)
	body = substr(body, 1, body ~ /^[{]/ ? closed(body, "{", "}") : index(body, ";"))
	gsub(/[ \t\n]+/, " ", head)
	split(substr(head, 2, length(head) - 2), clause, / ?; ?/)
	i = clause[3]
	before = text_before(rest)
	sub(/[+][+]$/, "", i)
	if (clause[3] !~ /^[a-z_]+[+][+]$/ || (" " clause[1]) !~ (" " i " = ") ||
	    !is_constant(substr(clause[1], index(clause[1], " = ") + 3)) || !is_bounded(i, clause[2]))
		refuse(rest, "for " head ": no constant bound, see kmod/bound.h")
	else if (!is_own(i, before))
		refuse(rest, "for " head ": " i " is not of the function's own, of 32 bits or more")
	else if (is_changed(i, clause[2] " " body " ; " macros) || is_given(i, clause[2] " " body) ||
		 is_pointed_at(i, before substr(rest, 1, index(rest, "\n}"))))
		refuse(rest, "for " head ": something else may change " i)
	else if (may_loop(clause[1] " " clause[2]))
		refuse(rest, "for " head ": nobody knows whether that loops")
	else if (body ~ /^(if|for|switch|do)[^a-z_]/)
		refuse(rest, "for " head ": its body has no braces of its own")
}

function judge(    rest, word) {
	rest = code
	while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
		word = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		if (word == "for" && sub(/^[ \t]*/, "", rest))
			judge_for(rest)
		else if (word == "goto" || word ~ /(for|while|do)_each/ || (word == "while" && rest !~ /^ ?\(0\)/))
			refuse(rest, word ": not a loop with a constant bound")
		else if (word == "_Generic" || word ~ /^_*asm(_|$)/ && rest !~ /^[-\/]/)
			refuse(rest, word ": nobody looks at what it does")
	}
}

# the functions and macros that one of them names
function named_by(from,    rest, part, word, name, is_said, names) {
	split(from, part, SUBSEP)
	rest = text_of[from]
	while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
		word = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		name = ((part[1], word) in text_of ? part[1] : home[word]) SUBSEP word
		if (name in text_of && !is_said[name]++)
			names = names " " name
	}
	return names
}

function names_itself(from,    to_do, n, to, i, found) {
	to_do[n = 1] = from
	while (n)
		for (i = split(names_of[to_do[n--]], to, " "); i; i--)
			if (!(to[i] in found)) {
				found[to[i]]
				to_do[++n] = to[i]
			}
	return from in found
}

function judge_names(    name, part) {
	for (name in text_of)
		names_of[name] = named_by(name)
	for (name in text_of)
		if (names_itself(name)) {
			split(name, part, SUBSEP)
			print "probe code: " part[1] ": " part[2] ": names itself, and may loop" | "cat >&2"
			is_bad = 1
		}
}

FNR == 1 { files[++nr_files] = FILENAME }
{ code_of[FILENAME] = code_of[FILENAME] $0 "\n" }

END {
	for (n = 1; n <= nr_files; n++) {
		file = files[n]
		code = stripped(code_of[file])
		gsub(/\n[ \t]*#[ \t]*define[ \t]+/, "\n#define ", code)
		read_macros()
		read_texts()
		gsub(/\\\n/, " \n", code)
		code_of[file] = code
		read_bounds()
		read_functions()
	}
	for (n = 1; n <= nr_files; n++) {
		file = files[n]
		code = code_of[file]
		judge()
	}
	judge_names()
	close("cat >&2")
	exit is_bad
}
