#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: check.sh emulated PROGRAM EMULATED-DEVICE RELEASE
#        check.sh inside FOLDER [EACH]
#
# An example on the emulated device prints what golden/ has, and leaves no object behind; with UPDATE=1 that is written anew. So it does where
# all that it makes is checked, but for the flag that a checked CQ has anyway, and the number of calls.
# Structures grow with the releases of rdma-core, so the texts are compared with the one that they were made with. Each line of
# devices.txt is an example and the device that it needs, where that is not the usual one. Inside a machine with soft-RoCE, each line
# of roce.txt is an example and what it must print there, or each third with EACH of 3, and two processes send to each other by what there is
# without XRC.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
readonly here golden_release=44

die() {
	echo "check.sh: $*" >&2
	exit 1
}

# What differs from run to run: addresses, descriptors, times.
normalized() {
	sed -E -e 's/\b((addr|remote_addr|send_cq|recv_cq|srq)("|) *[:=] *"?([a-z0-9_ ]+ \()?)0x[0-9a-f]+/\1ADDRESS/g' -e 's/(comp_channel) [0-9]+/\1 FD/g' \
		-e 's/<[0-9]+\.[0-9]{6,9}>/<TIME>/' -e 's/\([0-9]+ empty polls? before\)/(SOME empty polls before)/'
}

case_emulated() {
	local program=$1 device=$2 release=$3 name golden output leaks checked
	name=$(basename "$program")
	name=${name#example-}
	golden=$here/golden/$name.txt
	VERBSX_EMU_CONFIG=$(sed -n "s/^$name //p" "$here/devices.txt")
	export VERBSX_EMU_CONFIG
	leaks=$(mktemp)
	# shellcheck disable=SC2064  # now, while it is known
	trap "rm -f '$leaks'" EXIT

	for checked in 0 1; do
		output=$(VERBSX_CHECKED=$checked VERBSX_EMU_LEAKS=1 LD_PRELOAD=$device ASAN_OPTIONS=verify_asan_link_order=0 "$program" 2>"$leaks" |
			normalized) || die "$name failed, with VERBSX_CHECKED=$checked: $(<"$leaks")"
		[[ $(<"$leaks") == 'verbsx-emu: leaked 0 objects' || ($name == 17-names && ! -s $leaks) ]] || die "$(<"$leaks")"
		[[ ! ${UPDATE:-} || $checked == 1 ]] || echo "$output" >"$golden"
		((release != golden_release)) || [[ $name/$checked =~ ^(10-cq-ex|27-trace)/1$ ]] || diff -u "$golden" - <<<"$output"
	done
}

# The words of each line must be in what the example prints.
case_inside() {
	local folder=$1 each=${2:-1} name words output failed=0 pairs

	while read -r name words; do
		if ! output=$("$folder/example-$name" 2>&1); then
			echo "$name failed: $output"
			failed=1
			continue
		fi
		[[ $output == *"$words"* ]] && continue
		printf 'no "%s" in what %s prints:\n%s\n' "$words" "$name" "$output"
		failed=1
	done < <(grep -v '^#' "$here/roce.txt" | awk -v each="$each" 'NR % each == 0')
	pairs=$folder/pingpong
	bash "$here/pingpong.sh" '' "$pairs"/{rc_pingpong,ud_pingpong,srq_pingpong,write_bw,read_lat} || failed=1
	((!failed)) && echo "all as expected"
}

case=$1
shift
"case_$case" "$@"
