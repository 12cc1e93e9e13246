# SPDX-License-Identifier: GPL-2.0
# What the scripts that judge the objects of probes share: each is run with this file before it.

function refuse(who, why) {
	print "probe code: " who " " why | "cat >&2"
	is_bad = 1
}

# no number here needs more than 32 bits, but negative ones have 64
function hex(digits,    i, n) {
	for (i = length(digits) > 8 ? length(digits) - 7 : 1; i <= length(digits); i++)
		n = n * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
	return digits ~ /^ffffffff......../ ? n - 4294967296 : n
}

# what a jump with a relocation leads to: a place of a section, or a symbol
function led_to_by(value,    symbol) {
	symbol = value
	sub(/[-+]0x[0-9a-f]+$/, "", symbol)
	if (symbol !~ /^[.]text/)
		return symbol
	return symbol ":" hex(substr(value, length(symbol) + 4)) * (value ~ /-0x[0-9a-f]+$/ ? -1 : 1) + 4
}
