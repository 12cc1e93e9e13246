# SPDX-License-Identifier: GPL-2.0
# Names what uapi/ktrc.h declares, for table.c to print: each struct and its members, each
# number, each text.  What a later change adds is printed without a change here.

/^(struct|enum) [a-z_]+ \{$/ { inside = $2 }
/^struct [a-z_]+ \{$/ { print "STRUCT(" inside ")" }
/^};$/ { inside = "" }
inside && /^\t__u|^\tchar / {
	member = $2
	sub(/[[;].*/, "", member)
	print "MEMBER(" inside ", " member ")"
}
inside && match($1, /^KTRC_[A-Z0-9_]+/) { print "NUMBER(" substr($1, 1, RLENGTH) ")" }
# not the last of an enumeration: it moves whenever one is added
/^#define KTRC_[A-Z0-9_]+ / && $3 !~ /^\(__KTRC/ { print ($3 ~ /^"/ ? "TEXT(" : "NUMBER(") $2 ")" }
