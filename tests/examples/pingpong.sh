#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: pingpong.sh EMULATED-DEVICE PROGRAM...
#        pingpong.sh '' PROGRAM...
#
# Each program as server and client, on emulated devices that reach each other: polled and by events, with messages of a byte, of a
# packet and of many, and on either link layer; or on the device at hand, shorter. Both sides look at what they receive; the client's
# figures are JSON of so many.
set -euo pipefail

device=$1
shift
# Below the ports that the system gives to whoever connects: one of these may be in use, or meet itself
readonly device port=$((10000 + $$ % 22000))
export VERBSX_EMU_FABRIC=pingpong$$ ASAN_OPTIONS=verify_asan_link_order=0

server=
trap '[[ ! $server ]] || kill "$server" 2>/dev/null || true' EXIT

die() {
	echo "pingpong.sh: $*" >&2
	exit 1
}

run() {
	local program=$1 told figures='"min_us":[0-9.]+,"p50_us":[0-9.]+,"p99_us":[0-9.]+,"max_us":[0-9.]+,"gbps":[0-9.]+'
	shift

	LD_PRELOAD=$device "$program" -p "$port" "$@" &
	server=$!
	told=$(LD_PRELOAD=$device "$program" -p "$port" --json "$@" localhost) || die "$program $*: the client failed"
	wait "$server" || die "$program $*: the server failed"
	server=
	[[ $told =~ ^\{\"test\":\"${program##*/}\",\"size\":[0-9]+,\"count\":50,$figures\}$ ]] || die "$program $*: $told"
}

# It is the resolver's reason that is told, which errno has not.
! told=$(LD_PRELOAD=$device "$1" -p "no such port" localhost 2>&1) || die "$1: a port that there is not is taken"
[[ $told == "localhost, port no such port: "[A-Z]* ]] || die "$1: $told"

for program in "$@"; do
	if [[ ! $device ]]; then
		run "$program" -n 50 -s 3000 -e
		continue
	fi
	run "$program" -n 50 -s 1
	run "$program" -n 50 -s 1024 -e
	VERBSX_EMU_CONFIG=link_layer=ethernet,mtu=1024 run "$program" -n 50 -s 10000
done
