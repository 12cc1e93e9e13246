#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A task that is moved from cgroup to cgroup, on one CPU and within one packet: each of its faults counts, in the timed and
# in the light event, for the cgroup in which it was then. A prime number of pages in each, one of them entered twice.
. tests/functional/lib.sh
. tests/memcg.sh

tmp=$(mktemp -d /run/XXXXXX)
echo never >/sys/kernel/mm/transparent_hugepage/enabled
one=$(make_cgroup one cgroup.freeze 0)
two=$(make_cgroup two cgroup.freeze 0)
for event in fault fault.light; do
	ktrc-ctl start -q --events=$event --memory=8M || fail "start: $?"
	taskset -c 1 touch_moving "$cgroups/one" 211 "$cgroups/two" 307 "$cgroups/one" 401 "$cgroups/two" 503 || fail "touch_moving: $?"
	ktrc-ctl stop -q || fail "stop: $?"
	ktrc-read faults --format=json >"$tmp/$event" || fail "faults: $?"
	expect "$event" "$(jq -r ".cgroups[] | select(.cgid == ($one, $two)) | \"\(.cgid) \(.faults)\"" "$tmp/$event" | sort)" \
		"$(printf '%s %s\n' "$one" $((211 + 401)) "$two" $((307 + 503)) | sort)"
	expect "its names" "$(jq -r ".cgroups[] | select(.cgid == ($one, $two)).cgroup" "$tmp/$event" | sort | paste -sd ' ')" "/one /two"
done
ktrc-ctl reset -q
