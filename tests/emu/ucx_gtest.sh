#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: ucx_gtest.sh LIBRARY LIST LINK-LAYER...
#
# UCX's own tests of its transports for InfiniBand (uct_ib), built of Debian's source package: each of LIST has to pass. To build
# takes half an hour of a core; VERBSX_UCX_GTEST is a program gtest that was built before.
set -euo pipefail

readonly library=$1 list=$2
folder=$(mktemp -d)
readonly folder
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/emu/sources.sh
source "$(dirname "${BASH_SOURCE[0]}")/sources.sh"

# Of the tests, what is common, those of uct_ib, and what these are made of
# shellcheck disable=SC2016 # for make to expand
readonly objects='$(filter common/% uct/ib/% uct/gtest-uct_%,$(am_gtest_OBJECTS)) uct/gtest-test_p2p_rma.o uct/gtest-test_p2p_mix.o uct/gtest-test_md.o uct/gtest-test_peer_failure.o'

build() {
	./autogen.sh
	./configure --enable-mt --with-verbs --enable-gtest --without-java --without-go --disable-doxygen-doc \
		--enable-compiler-opt=1 --disable-logging --disable-static
	for part in ucm ucs uct ucp tools/perf/lib; do
		make -s -C "src/$part" CFLAGS=-O1
	done
	make -s -C test/gtest/common/googletest CXXFLAGS=-O0
	make -s -C test/gtest CXXFLAGS=-O0 gtest gtest_OBJECTS="$objects"
}

gtest=${VERBSX_UCX_GTEST:-}
if [[ -z $gtest ]]; then
	need_to_build autoreconf libtoolize g++
	fetch ucx
	run_in "$folder"/ucx-*/ build
	gtest=$(echo "$folder"/ucx-*/test/gtest/gtest)
fi
# Those of a list that have passed; some wait for milliseconds, so what has not passed on a busy machine is tried again
passed_of() {
	VERBSX_EMU_CONFIG=link_layer=$1,ipv4=127.0.0.1 LD_PRELOAD=$library TMPDIR=$folder \
		"$gtest" --gtest_filter="$(paste -sd: "$2")" >"$folder/output" 2>&1 || true
	sed -n 's/^\[ *OK \] \([^ ]*\).*/\1/p' "$folder/output" | sort -u
}

run() {
	local try

	grep -v '^#' "$list" | sort >"$folder/left"
	for try in 1 2 3; do
		passed_of "$1" "$folder/left" | comm -23 "$folder/left" - >"$folder/failed"
		mv "$folder/failed" "$folder/left"
		[[ -s $folder/left ]] || return 0
	done
	echo "on $1, in each of $try runs:"
	cat "$folder/left"
	tail -n 20 "$folder/output"
	exit 1
}

for link in "${@:3}"; do
	run "$link"
	echo "$(grep -vc '^#' "$list") of UCX's tests have passed on $link"
done
