#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: run.sh PROGRAM NAME SECONDS FOLDER [SEED]
#
# Fuzz for a while, from the committed seeds and from what earlier runs found, which FOLDER keeps; there too is the
# input that made it fail, if one did: PROGRAM FILE repeats it. SEED makes a run one that can be repeated: what fails
# by chance in front of somebody who changed something else is no help to them.
set -euo pipefail

readonly program=$1 name=$2 seconds=$3 folder=$4 seed=${5:-0}
source=$(dirname "${BASH_SOURCE[0]}")
readonly source

options=(-seed="$seed" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1
	-artifact_prefix="$folder/failed-")
if [[ -e $source/$name.dict ]]; then
	options+=(-dict="$source/$name.dict")
fi

mkdir -p "$folder/found"
exec "$program" "${options[@]}" "$folder/found" "$source/seeds/$name"
