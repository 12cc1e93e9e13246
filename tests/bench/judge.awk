# SPDX-License-Identifier: GPL-2.0
# Compares what tests/bench/guest measured with the goals and with figures.txt.
# usage: awk -f base.awk -f judge.awk figures.txt MEASUREMENTS
# Output: a table, TAP, what was missed, and `N passed, N failed`, which is the status.

BEGIN {
	# what a fault may cost: added instructions, bytes of its record
	goal["light"] = 80; goal_bytes["light"] = 12
	goal["timed"] = 550; goal_bytes["timed"] = 16
	goal["light_user_deep"] = 450; goal_bytes["light_user_deep"] = 24
	goal_counted = 40     # instructions over the hook, for a hit without a record
	goal_two = 80         # instructions that a second session adds
	deep = 11             # frames of a _deep workload's user stack
	overhead = 0.01       # of a record's bytes: packet headers and dictionary
	noise = 0.5           # instructions: what differs from boot to boot
	wrap_tolerance = 5    # instructions: flight mode, overwriting against not yet
	worse = 0.05          # than the committed figure
}

/^#/ || !NF { next }

FNR == NR {
	wanted[++nr_wanted] = $1
	committed[$1] = $2
	committed_bytes[$1] = $3
	next
}

{
	names[++nr_names] = $1
	cost[$1] = $2
	if (NF > 4) {
		expected[$1] = $3
		head[$1] = $5; records[$1] = $6; record_bytes[$1] = $7; lost[$1] = $8
		frames[$1] = $9
		event_bytes[$1] = $6 ? $5 / $6 : 0
	}
}

function added(name) {
	return cost[name] - cost[base_of(name)]
}

# the empty probe on the same hook; nothing for a session on both hooks
function floor_of(name) {
	if (name ~ /^light/)
		return "floor_tracepoints"
	if (name ~ /_switch$/)
		return "floor_switch"
	return name ~ /^timed/ ? "floor_kretprobe" : ""
}

function print_row(name,    floor) {
	if (name ~ /^base/) {
		printf "%-18s %12.1f\n", name, cost[name]
		return
	}
	printf "%-18s %12.1f %+9.1f", name, cost[name], added(name)
	floor = floor_of(name)
	if (name in head) {
		printf " %10s", floor ? sprintf("%+.1f", added(name) - added(floor)) : "-"
		printf " %8d %8.2f", record_bytes[name], event_bytes[name]
	}
	printf "\n"
}

function print_table(    i) {
	printf "%-18s %12s %9s %10s %8s %8s\n", "", "instructions", "over", "over", "bytes", "bytes"
	printf "%-18s %12s %9s %10s %8s %8s\n", "", "each", "base", "floor", "a record",
		"an event"
	for (i = 1; i <= nr_names; i++)
		print_row(names[i])
	printf "\n"
}

function check(is_ok, what) {
	printf "%s %d - %s\n", is_ok ? "ok" : "not ok", ++nr_checks, what
	nr_failed += !is_ok
}

function check_most(name, unit, measured, most,    what) {
	what = sprintf("%s: at most %g %s", name, most, unit)
	check(measured <= most, what)
	if (measured > most)
		missed[++nr_missed] = sprintf("missed: %s: measured %.2f %s, goal %g", name, measured,
					      unit, most)
}

function check_goals(name) {
	check_most(name, "instructions added", added(name), goal[name])
	check_most(name, "bytes a record", record_bytes[name], goal_bytes[name])
	check_most(name, "bytes an event", event_bytes[name], goal_bytes[name] * (1 + overhead))
}

# a session that writes no record, or the only one that would is one of another process
function is_counted(name) {
	return name ~ /_(counted|switch)$/ || name ~ /^(light|timed)_others$/
}

function check_counted(name) {
	check_most(name, "instructions over the hook", added(name) - added(floor_of(name)), goal_counted)
	check(!records[name], name ": no record")
}

# what is measured is a stack of that depth
function check_frames(name, nr) {
	check(frames[name] == nr, sprintf("%s: stacks of %d frames, %d wanted", name, frames[name], nr))
}

function check_second(name, one) {
	check_most(name, "instructions added by the second session", added(name) - added(one), goal_two)
}

function check_near(name, other, tolerance) {
	check(distance(cost[name], cost[other]) <= tolerance,
	      sprintf("%s: as %s, within %g instructions", name, other, tolerance))
}

function distance(a, b) {
	return a > b ? a - b : b - a
}

function check_all_recorded(name) {
	check(records[name] >= expected[name] && !lost[name],
	      sprintf("%s: every fault recorded, nothing lost", name))
}

function check_committed(name, unit, now, before) {
	check(now <= before * (1 + worse),
	      sprintf("%s: %.2f %s, committed %.2f", name, now, unit, before))
	if (now < before * (1 - worse))
		printf "# %s: better by 5 %% or more: tests/bench/run --update\n", name
}

END {
	print_table()
	for (i = 1; i <= nr_wanted; i++)
		if (!(wanted[i] in head))
			check(0, wanted[i] ": was measured")
	check_near("base_again", "base", noise)
	check_near("off_loaded", "base", noise)
	check_near("off_stopped", "base", noise)
	check_goals("light")
	check_goals("timed")
	check_most("light_user_deep", "instructions added", added("light_user_deep"), goal["light_user_deep"])
	check_most("light_user_deep", "bytes an event", event_bytes["light_user_deep"], goal_bytes["light_user_deep"])
	check_frames("light_user_deep", deep)
	check_frames("timed_user_deep", deep)
	check_frames("light_ip_deep", 1)
	check_counted("light_counted")
	check_counted("timed_counted")
	check_second("light_two", "light")
	check_second("timed_two", "timed")
	check_second("light_two_others", "light")
	check_second("timed_two_others", "timed")
	check_counted("throttle_switch")
	check_near("light_wrapped", "light", wrap_tolerance)
	check_near("timed_wrapped", "timed", wrap_tolerance)
	for (i = 1; i <= nr_names; i++) {
		name = names[i]
		if (!(name in head))
			continue
		if (name !~ /_full$/ && !is_counted(name))
			check_all_recorded(name)
		if (!(name in committed)) {
			check(0, name ": has a committed figure")
			continue
		}
		check_committed(name, "instructions added", added(name), committed[name])
		check_committed(name, "bytes an event", event_bytes[name], committed_bytes[name])
	}
	printf "1..%d\n", nr_checks
	for (i = 1; i <= nr_missed; i++)
		print missed[i]
	printf "%d passed, %d failed\n", nr_checks - nr_failed, nr_failed
	exit nr_failed > 0
}
