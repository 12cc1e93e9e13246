# SPDX-License-Identifier: GPL-2.0
# Reads `objdump -dr --no-show-raw-insn OBJECT...` and prints of each function that loops:
# its name, how many loops it has, how many jumps back close them.
#
# Every way through a function is walked from its beginning.  A jump to an instruction
# that lies on the way to it is a jump back; each loop has at least one, wherever the
# compiler put its parts.  A string instruction (rep) is a loop.

function hex(digits,    i, n) {
	for (i = 1; i <= length(digits); i++)
		n = n * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
	return n
}

function jump_back(from, to) {
	nr_jumps[owner[from]]++
	if (!is_head[to]++)
		nr_loops[owner[from]]++
}

# depth first, without a recursion that would be too deep for awk
function walk(place,    depth, way, tried, to, n) {
	way[depth = 1] = place
	is_on_way[place] = is_seen[place] = 1
	while (depth) {
		place = way[depth]
		n = split(ways[place], to, " ")
		if (++tried[depth] > n) {
			is_on_way[place] = tried[depth] = 0
			depth--
		} else if (is_on_way[to[tried[depth]]]) {
			jump_back(place, to[tried[depth]])
		} else if (!is_seen[to[tried[depth]]]) {
			place = to[tried[depth]]
			way[++depth] = place
			is_on_way[place] = is_seen[place] = 1
		}
	}
}

function end_file(    i, name) {
	end_instruction()
	for (i = 1; i <= nr_entries; i++)
		if (!is_seen[entry[i]])
			walk(entry[i])
	for (name in nr_loops)
		print name, nr_loops[name], nr_jumps[name]
	nr_entries = 0
	place = ""
	split("", owner)
	split("", ways)
	split("", is_seen)
	split("", is_head)
	split("", nr_loops)
	split("", nr_jumps)
}

function end_instruction() {
	if (place && target)
		ways[place] = ways[place] " " target
	target = ""
}

/file format/ { end_file() }

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

# a jump with a relocation goes to another function or to another section
$2 ~ /^R_/ {
	if (target)
		target = match($3, /^\.text[^+]*[+]0x/) ? \
			substr($3, 1, RLENGTH - 3) ":" hex(substr($3, RLENGTH + 1)) + 4 : ""
	next
}

/^[ \t]*[0-9a-f]+:[ \t]/ {
	end_instruction()
	next_place = $1
	sub(/:$/, "", next_place)
	next_place = section ":" hex(next_place)
	if (goes_on)
		ways[place] = ways[place] " " next_place
	place = next_place
	owner[place] = name
	if ($2 ~ /^(j|loop)/)
		target = section ":" hex($3)
	else if ($2 ~ /^rep/ && $3 !~ /^ret/)
		target = place
	goes_on = $2 !~ /^(jmp|ret|ud2|int3)/
}

END { end_file() }
