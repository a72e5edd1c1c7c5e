#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Random programs.
# shellcheck disable=SC2154 # check.sh, which sources this, has the variables

# So many random programs, the first of that seed: random SEED COUNT COMMAND...
random() {
	local seed=${VERBSX_EMU_SEED:-$1} count=${VERBSX_EMU_PROGRAMS:-$2} output
	shift 2

	output=$("$@" "$seed" "$count" 2>&1) || die "failed: $output"
	echo "$output"
	expect "^$count programs from seed $seed\$" "$output"
}

case_random.infiniband() {
	ASAN_OPTIONS=detect_leaks=0 random 1 600 "$program"
}

case_random.roce() {
	VERBSX_EMU_CONFIG=link_layer=ethernet ASAN_OPTIONS=detect_leaks=0 random 5001 600 "$program"
}

case_random.valgrind() {
	need valgrind valgrind
	random 10001 100 emulated valgrind --quiet --error-exitcode=9 --trace-children=yes "$program"
}

case_random.tsan() {
	local tsan

	tsan=$(gcc -print-file-name=libtsan.so)
	LD_PRELOAD="$tsan $library" TSAN_OPTIONS="suppressions=$here/tsan.supp:die_after_fork=0" \
		random 20001 300 "$program"
}
