#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: run.sh PROGRAM NAME SECONDS FOLDER
#
# Fuzz for a while, from the committed seeds and from what earlier runs found, which FOLDER keeps; there too is the
# input that made it fail, if one did: PROGRAM FILE repeats it.
set -euo pipefail

readonly program=$1 name=$2 seconds=$3 folder=$4
source=$(dirname "${BASH_SOURCE[0]}")
readonly source

options=(-max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1
	-artifact_prefix="$folder/failed-")
if [[ -e $source/$name.dict ]]; then
	options+=(-dict="$source/$name.dict")
fi

mkdir -p "$folder/found"
exec "$program" "${options[@]}" "$folder/found" "$source/seeds/$name"
