# SPDX-License-Identifier: GPL-2.0
# Judges the loops in the machine code of the objects that run inside probes.  Reads the lines
# of the sources that are heads of loops with a constant bound, as probe_loops.awk prints them,
# and then `objdump -dlr --no-show-raw-insn OBJECT...`.
#
# Each round of such a loop passes instructions of its head.  Who can get round without any is
# refused: a function that jumps to its own beginning, a loop of the kernel's inline functions.
# A string instruction (rep) is a loop of its own, and what memcpy() and memset() become: from anything
# but a line of the module's own it is refused.
#
# Prints of each function that loops: its name, how many loops it has, how many jumps back
# close them.  Every way through a function is walked from its beginning.  A jump to an
# instruction that lies on the way to it is a jump back; each loop has at least one, wherever
# the compiler put its parts.

# a source, by whatever way the compiler got to it
function source(path) {
	sub(/^(.*\/)?kmod\//, "kmod/", path)
	sub(/^kmod\/[.][.]\/uapi\//, "uapi/", path)
	return path
}

function jump_back(from, to) {
	nr_jumps[owner[from]]++
	if (!is_head[to]++)
		nr_loops[owner[from]]++
}

function unbounded(from) {
	if (!is_refused[owner[from], line_of[from]]++)
		refuse(file ":" owner[from], "loops at " line_of[from] ": not a loop with a constant bound")
}

# depth first, without a recursion that would be too deep for awk; not @past the heads of loops
function walk(place, past,    depth, way, tried, to, next_place, n) {
	way[depth = 1] = place
	is_on_way[place] = is_seen[past, place] = 1
	while (depth) {
		place = way[depth]
		n = split(ways[place], to, " ")
		next_place = to[++tried[depth]]
		if (tried[depth] > n) {
			is_on_way[place] = tried[depth] = 0
			depth--
		} else if (is_on_way[next_place]) {
			if (past)
				jump_back(place, next_place)
			else
				unbounded(place)
		} else if (!is_seen[past, next_place] && (past || !(line_of[next_place] in bounded))) {
			way[++depth] = next_place
			is_on_way[next_place] = is_seen[past, next_place] = 1
		}
	}
}

function end_file(    i, name, place) {
	end_instruction()
	for (i = 1; i <= nr_entries; i++)
		if (!is_seen[1, entry[i]])
			walk(entry[i], 1)
	for (name in nr_loops)
		print "loop", name, nr_loops[name], nr_jumps[name]
	if (nr_entries && !line)
		refuse(file, "has no line numbers (-g), by which its loops are known")
	for (place in owner)
		if (line && !is_seen[0, place] && !(line_of[place] in bounded))
			walk(place, 0)
	nr_entries = 0
	last = line = ""
	split("", owner)
	split("", line_of)
	split("", ways)
	split("", is_seen)
	split("", is_head)
	split("", nr_loops)
	split("", nr_jumps)
}

function end_instruction() {
	if (last && target)
		ways[last] = ways[last] " " target
	target = ""
}

/^for / {
	bounded[source($2)]
	next
}

/file format/ {
	end_file()
	nr_opened++
	file = $1
	sub(/.*\//, "", file)
	sub(/:$/, "", file)
}

/^Disassembly of section/ {
	end_instruction()
	section = $NF
	sub(/:$/, "", section)
	goes_on = 0
}

/^[0-9a-f]+ <.*>:$/ {
	name = substr($2, 2, length($2) - 3)
	sub(/\.cold(\.[0-9]+)?$/, "", name)
	entry[++nr_entries] = section ":" hex($1)
	goes_on = 0
}

/^[^ \t].*:[0-9]+( \(discriminator [0-9]+\))?$/ {
	line = source($1)
	next
}

# a jump with a relocation goes to another function or to another section
$2 ~ /^R_/ {
	if (target)
		target = match($3, /^\.text[^+]*[+]0x/) ? \
			substr($3, 1, RLENGTH - 3) ":" hex(substr($3, RLENGTH + 1)) + 4 : ""
	next
}

/^[ \t]*[0-9a-f]+:[ \t]/ {
	end_instruction()
	place = $1
	sub(/:$/, "", place)
	place = section ":" hex(place)
	if (goes_on)
		ways[last] = ways[last] " " place
	last = place
	owner[place] = name
	line_of[place] = line
	if ($2 ~ /^(j|loop)/)
		target = section ":" hex($3)
	else if ($2 ~ /^rep/ && $3 !~ /^ret/) {
		jump_back(place, place)
		if (line && line !~ /^(kmod|uapi)\//)
			unbounded(place)
	}
	goes_on = $2 !~ /^(jmp|ret|ud2|int3)/
}

END {
	end_file()
	if (nr_opened != split(probes, word, " "))
		refuse("objdump", "has not said where the loops are")
	close("cat >&2")
	exit is_bad
}
