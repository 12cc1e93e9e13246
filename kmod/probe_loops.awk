# SPDX-License-Identifier: GPL-2.0
# Every loop of these sources has a number of rounds that is known beforehand: it is
#	for (i = CONSTANT; i < CONSTANT [&& whatever]; i++)
# and nothing in it changes i.  A constant is a number, a name in capitals, or a size.
# What is no such loop is refused: while, goto, the kernel's for_each.

function refuse(rest, why,    before) {
	before = substr(code, 1, length(code) - length(rest))
	print "probe code: " file ":" gsub(/\n/, "", before) + 1 ": " why
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

function is_constant(text) {
	sub(/ - [0-9]+$/, "", text)
	return text ~ /^([0-9]+|[A-Z][A-Z0-9_]*|(ARRAY_SIZE|sizeof)\([a-z_.>-]+\))$/
}

function is_bounded(i, condition,    n, term) {
	if (condition ~ /\|\||\?|,/)
		return 0
	for (n = split(condition, term, / && /); n; n--)
		if (index(term[n], i " < ") == 1 && is_constant(substr(term[n], length(i) + 4)))
			return 1
	return 0
}

function is_changed(i, body) {
	return (" " body) ~ ("[^A-Za-z0-9_.>]" i " ?([+][+]|--|[-+*/%&|^]=|<<=|>>=|=[^=])") ||
	       body ~ ("([+][+]|--|[^&]&)" i "[^A-Za-z0-9_]")
}

function judge_for(rest,    head, body, clause, i) {
	head = substr(rest, 1, closed(rest, "(", ")"))
	body = substr(rest, length(head) + 1)
	sub(/^[ \t\n]+/, "", body)
	body = substr(body, 1, body ~ /^[{]/ ? closed(body, "{", "}") : index(body, ";"))
	gsub(/[ \t\n]+/, " ", head)
	split(substr(head, 2, length(head) - 2), clause, / ?; ?/)
	i = clause[3]
	sub(/[+][+]$/, "", i)
	if (clause[3] !~ /^[a-z_]+[+][+]$/ || (" " clause[1]) !~ (" " i " = ") ||
	    !is_constant(substr(clause[1], index(clause[1], " = ") + 3)) || !is_bounded(i, clause[2]))
		refuse(rest, "for " head ": no constant bound")
	else if (is_changed(i, body) || body ~ /^(if|for|switch|do)[^a-z_]/)
		refuse(rest, "for " head ": its body changes " i ", or has no braces of its own")
}

function judge(    rest, word) {
	rest = code = stripped(code)
	gsub(/\\\n/, " \n", rest)
	code = rest
	while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
		word = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		if (word == "for" && sub(/^[ \t]*/, "", rest))
			judge_for(rest)
		else if (word == "goto" || word ~ /for_each/ || (word == "while" && rest !~ /^ ?\(0\)/))
			refuse(rest, word ": not a loop with a constant bound")
	}
}

FNR == 1 && file {
	judge()
	code = ""
}
{
	file = FILENAME
	code = code $0 "\n"
}
END {
	judge()
	exit is_bad
}
