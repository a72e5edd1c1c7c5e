#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: ibsim.sh EMULATED-DEVICE PROGRAM
#
# Run a program on two things at once: MADs go to a simulated fabric with a real opensm, data through the emulated device, which has
# the name, GUID and LID of a port there. Then with opensm stopped.
set -euo pipefail

readonly emu=$1 program=$2
umad2sim=$(compgen -G '/usr/lib/*/umad2sim/libumad2sim.so' | head -n 1)
readonly umad2sim

TMPDIR=$(mktemp -d)
export TMPDIR IBSIM_SOCKNAME=verbsx-$$ VERBSX_EMU_FABRIC=none
cd "$TMPDIR" # where umad2sim makes its folders

finish() {
	[[ -z ${opensm:-} ]] || kill -KILL "$opensm" 2>/dev/null || true # which may be stopped
	[[ -z ${ibsim:-} ]] || kill "$ibsim" 2>/dev/null || true
	wait 2>/dev/null
	cd /
	rm -rf "$TMPDIR"
}
trap finish EXIT

die() {
	echo "ibsim.sh: $*" >&2
	exit 1
}

cat >net <<'END'
Switch	8 "Switch1"
[1]	"Hca1"[1]
[2]	"Hca2"[1]

Hca	1 "Hca1"
[1]	"Switch1"[1]

Hca	1 "Hca2"
[1]	"Switch1"[2]
END

# on HOST COMMAND...: as if on a host of the fabric
on() {
	SIM_HOST=$1 LD_PRELOAD=$umad2sim "${@:2}"
}

# wait_until COMMAND...
wait_until() {
	local i

	for ((i = 0; i < 200; i++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.05
	done
	die "in vain: $*"
}

# It ends when its input does.
mkfifo console
exec 9<>console
ibsim -s net <console >ibsim.log 2>&1 &
ibsim=$!
wait_until on Hca2 ibstat
OSM_CACHE_DIR=$PWD OSM_TMP_DIR=$PWD SIM_HOST=Hca1 LD_PRELOAD=$umad2sim opensm -f "$PWD/osm.log" >opensm.log 2>&1 9>&- &
opensm=$!
wait_until on Hca2 saquery -p

[[ $(on Hca2 ibstat) =~ 'Node GUID: 0x'([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4}).*'Base lid: '([0-9]+) ]] || die "no port"
export VERBSX_EMU_CONFIG="device=ibsim0,node_guid=${BASH_REMATCH[1]}:${BASH_REMATCH[2]}:${BASH_REMATCH[3]}:${BASH_REMATCH[4]},lid=${BASH_REMATCH[5]}"

SIM_HOST=Hca2 LD_PRELOAD="$umad2sim $emu" "$program" --jobs 1 --filter 'subnet/*'

kill -STOP "$opensm"
OPENSM_IS_STOPPED=1 SIM_HOST=Hca2 LD_PRELOAD="$umad2sim $emu" "$program" --jobs 1 --filter 'stopped/*'
