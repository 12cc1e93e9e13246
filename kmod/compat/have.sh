#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# usage: have.sh OUTPUT FEATURES_DIR COMPILER [FLAG...]
#
# Writes "#define KTRC_HAVE_<NAME>" for each feature file that compiles.  Two of
# the files keep the method honest: sanity_pass.c must, sanity_fail.c must not.
set -eu

out=$1
dir=$2
shift 2

compiles() {
	file=$1
	shift
	"$@" -Wno-error -Werror=implicit-function-declaration -Werror=incompatible-pointer-types \
		-fsyntax-only "$file" 2>/dev/null
}

compiles "$dir/sanity_pass.c" "$@" || {
	echo "ktrc: feature probes are broken: $dir/sanity_pass.c does not compile" >&2
	exit 1
}
if compiles "$dir/sanity_fail.c" "$@"; then
	echo "ktrc: feature probes are broken: $dir/sanity_fail.c compiles" >&2
	exit 1
fi

for file in "$dir"/*.c; do
	name=$(sed -n '1s/.*ktrc-have: \([A-Z0-9_]*\).*/\1/p' "$file")
	if [ -n "$name" ] && compiles "$file" "$@"; then
		echo "#define KTRC_HAVE_$name 1"
	fi
done >"$out.new"
mv "$out.new" "$out"
