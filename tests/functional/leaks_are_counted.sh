#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the tests that look for leaks say of objects is what there is, however far these are scattered: of
# links whose targets and inodes filled slab after slab a few are left.
# guest: nodes
. tests/functional/lib.sh
. tests/leaks.sh

tmp=$(mktemp -d /run/XXXXXX)
links=8000
filling=2000 # what there is of slabs
each=40

# count WHEN: what caches have in use, the least of some looks, as others take and give meanwhile
count() {
	for ((i = 0; i < 5; i++)); do
		slab_objects || exit
	done | awk '!($1 in least) || $2 < least[$1] { least[$1] = $2 }
		END { for (what in least) print what, least[what], 1 }' | sort >"$tmp/memory.$1"
}

open_caches
mkdir "$tmp/links"
count first || fail "memory in use: cannot be read"
# shellcheck disable=SC2016 # perl's; the end of a string is a byte, too
perl -e '($dir, $bytes, $links, $filling, $each) = @ARGV;
	symlink "x" x ($bytes - 1), "$dir/$_" or die "$!\n" for 1..$links;
	$_ % $each == 0 or unlink "$dir/$_" or die "$!\n" for $filling + 1..$links' \
	"$tmp/links" "${adds_up#kmalloc-}" $links $filling $each || fail "no links"
count last || fail "memory in use: cannot be read"
left=$((filling + (links - filling) / each))
for cache in "$adds_up" shmem_inode_cache; do
	nr=$(more | awk -v what="slab:$cache" '$2 == what { print $1 }')
	note "$cache: ${nr:-0} more with $left links"
	# others take and give one now and then
	((nr - left >= -5 && nr - left <= 5)) || fail "$cache: not what was left"
done
