# SPDX-License-Identifier: GPL-2.0
# Judges the loops in the machine code of the objects that run inside probes.  Reads the lines
# of the sources that are heads of loops with a constant bound, as probe_loops.awk prints them,
# and then `objdump -dlr --no-show-raw-insn OBJECT...`.
#
# Each round of such a loop passes instructions of its head, and what gets round inside it does not.  Who
# can get round without any is refused, whatever bounded loops it passes: a function that jumps to its own
# beginning, a loop of the kernel's inline functions.
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

function add_way(from, to) {
	ways[from] = ways[from] " " to
	ways_back[to] = ways_back[to] " " from
}

# depth first, without a recursion that would be too deep for awk
function walk(place,    depth, way, tried, to, next_place) {
	way[depth = 1] = place
	while (depth) {
		place = way[depth]
		if (!is_seen[place]++) {
			seen[++nr_seen] = place
			is_on_way[place] = 1
		}
		if (++tried[depth] > split(ways[place], to, " ")) {
			is_on_way[place] = tried[depth] = 0
			depth--
			continue
		}
		next_place = to[tried[depth]]
		if (is_on_way[next_place])
			jump_back(place, next_place)
		else if (!is_seen[next_place])
			way[++depth] = next_place
	}
}

# what of @set is found from @place on, by the ways of each place or back
function reach(place, to_each, set, found,    to_do, n, to, i) {
	to_do[n = 1] = place
	while (n) {
		for (i = split(to_each[to_do[n--]], to, " "); i; i--)
			if (to[i] in set && !(to[i] in found)) {
				found[to[i]]
				to_do[++n] = to[i]
			}
	}
}

function gets_back(place, set,    found) {
	reach(place, ways, set, found)
	return place in found
}

# of @set what can get round by way of @from, then what still can in it without the head that is its own
function judge_loop(from, set, is_judged,    ahead, loop, place, line, inside, is_inside, rest, has_head) {
	reach(from, ways, set, ahead)
	reach(from, ways_back, ahead, loop)
	for (place in loop) {
		is_judged[place]
		if (place != from)
			inside[place]
	}
	for (place in loop)
		if (line_of[place] in bounded && gets_back(place, inside))
			is_inside[line_of[place]]
	for (place in loop) {
		line = line_of[place]
		if (line in bounded && !(line in is_inside))
			has_head = 1
		else
			rest[place]
	}
	if (has_head)
		judge(rest)
	else if (from in loop)
		unbounded(from)
}

function judge(set,    i, is_judged) {
	for (i = 1; i <= nr_seen; i++)
		if (is_head[seen[i]] && seen[i] in set && !(seen[i] in is_judged))
			judge_loop(seen[i], set, is_judged)
}

function end_file(    i, name, place) {
	for (place in owner) {
		if (place in next_of)
			add_way(place, next_of[place])
		if (place in target)
			add_way(place, target[place] in entry ? entry[target[place]] : target[place])
	}
	for (i = 1; i <= nr_starts; i++)
		if (!is_seen[start[i]])
			walk(start[i])
	for (place in owner)
		if (!is_seen[place])
			walk(place)
	for (name in nr_loops)
		print "loop", name, nr_loops[name], nr_jumps[name]
	if (line)
		judge(owner)
	else if (nr_starts)
		refuse(file, "has no line numbers (-g), by which its loops are known")
	nr_starts = nr_seen = 0
	line = ""
	split("", entry)
	split("", owner)
	split("", line_of)
	split("", next_of)
	split("", target)
	split("", ways)
	split("", ways_back)
	split("", is_seen)
	split("", is_head)
	split("", nr_loops)
	split("", nr_jumps)
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
	section = $NF
	sub(/:$/, "", section)
	goes_on = 0
}

/^[0-9a-f]+ <.*>:$/ {
	name = substr($2, 2, length($2) - 3)
	entry[name] = section ":" hex($1)
	if (!sub(/\.cold(\.[0-9]+)?$/, "", name))
		start[++nr_starts] = section ":" hex($1)
	goes_on = 0
}

/^[^ \t].*:[0-9]+( \(discriminator [0-9]+\))?$/ {
	line = source($1)
	next
}

# a jump with a relocation goes to another section, or to the beginning of a function
$2 ~ /^R_/ {
	if (last in target)
		target[last] = led_to_by($3)
	next
}

/^[ \t]*[0-9a-f]+:[ \t]/ {
	place = $1
	sub(/:$/, "", place)
	place = section ":" hex(place)
	if (goes_on)
		next_of[last] = place
	last = place
	owner[place] = name
	line_of[place] = line
	if ($2 ~ /^(j|loop)/)
		target[place] = section ":" hex($3)
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
