# SPDX-License-Identifier: GPL-2.0
# What a measurement is compared with: the same workload without ktrc.
function base_of(name) {
	return "base" (match(name, /_(pread|deep|switch)$/) ? substr(name, RSTART) : "")
}
