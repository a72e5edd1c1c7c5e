#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: release.sh LIBRARY SELFTEST WQE LOADED RELEASE LINK-LAYER...
#
# The tests of the emulated device, as built here, on the libraries of another release of rdma-core, with the C
# library of its Debian suite; and that release's own programs.
set -euo pipefail

readonly library=$1 selftest=$2 wqe=$3 loaded=$4 release=$5 links=("${@:6}")
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
readonly here
# shellcheck source=tests/emu/folder.sh
source "$here/folder.sh"

# The loader's name is in the program, and another has to be as long: in a copy of the program it is one in this folder. Called by
# hand, the loader would be the program, for /proc/self/exe and whoever asks that.
adopt() {
	local program=$1 copy=$2
	local theirs=/lib64/ld-linux-x86-64.so.2 ours=./////////////////////ld.so

	LC_ALL=C sed "s|$theirs|$ours|" "$program" >"$copy"
	grep -qF "$ours" "$copy" || die "$program does not name $theirs"
	chmod +x "$copy"
}

# Run a program of the folder on a release: on ROOT [NAME=VALUE...] PROGRAM [ARGUMENT...]
on() {
	local libraries=$1/usr/lib/x86_64-linux-gnu

	libraries=$libraries:$libraries/libibverbs:$1/lib/x86_64-linux-gnu
	shift
	env LD_LIBRARY_PATH="$libraries" LD_PRELOAD="$library" VERBSX_EMU_LEAKS=1 "$@" 2>&1
}

# All tests
check_selftest() {
	local root=$1 link output

	for link in "${links[@]}"; do
		output=$(on "$root" VERBSX_EMU_CONFIG="link_layer=$link" ./selftest --jobs 2) ||
			die "$(grep -v 'leaked 0' <<<"$output")"
		! grep 'leaked [1-9]' <<<"$output" || die "something is left"
		grep Synthesis <<<"$output"
	done
}

# The golden files are of release 44: where another builds other WQEs, they are beside them
check_wqe() {
	local root=$1 type golden

	for type in rc uc ud xrc dci; do
		golden=$here/golden/wqe-$type.txt
		[ ! -e "${golden%.txt}-$release.txt" ] || golden=${golden%.txt}-$release.txt
		{
			echo '# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB'
			on "$root" VERBSX_EMU_LEAKS= ./wqe "$type"
		} >wqes || die "$type: $(tail -n 1 wqes)"
		diff -u "$golden" wqes || die "other WQEs than in $golden"
	done
}

# The device is in its tables of functions, whose layout is its own; tried again where others have the core
check_loaded() {
	local root=$1 output i

	for i in 1 2 3; do
		output=$(on "$root" ./loaded) && break
	done
	[ "$(grep -c 'soon there' <<<"$output")" = 2 ] || die "a program that loads libibverbs: $output"
	! grep failed <<<"$output" || die "three times"
}

# The release's own programs, alone and as a pair
check_programs() {
	local root=$1 port=$((10000 + $$ % 22000)) server

	on "$root" ./ibv_devinfo -v | grep -q PORT_ACTIVE || die "ibv_devinfo finds no active port"
	on "$root" ./ibv_rc_pingpong -p "$port" -n 100 >server &
	server=$!
	for ((i = 0; i < 100; i++)); do
		on "$root" ./ibv_rc_pingpong -p "$port" -n 100 localhost >client && break
		sleep 0.1
	done
	wait "$server" || die "ibv_rc_pingpong: $(cat server)"
	grep -q '100 iters' client || die "ibv_rc_pingpong: $(cat client)"
}

check() {
	local root

	root=$(cd "$here/../.." && /usr/bin/python3 -m gen.reach.releases --runtime "$release") ||
		die "release $release cannot be had"
	root=${root#* }
	cd "$TMPDIR"
	ln -s "$(find "$root" -name 'ld-linux-x86-64.so.2' -path '*-linux-gnu/*')" ld.so
	adopt "$selftest" selftest
	adopt "$wqe" wqe
	adopt "$loaded" loaded
	adopt "$root/usr/bin/ibv_devinfo" ibv_devinfo
	adopt "$root/usr/bin/ibv_rc_pingpong" ibv_rc_pingpong
	echo "release $release: $(find "$root" -name 'libmlx5.so.1.*' -printf '%f ')"
	check_selftest "$root"
	check_wqe "$root"
	check_loaded "$root"
	check_programs "$root"
}

check
