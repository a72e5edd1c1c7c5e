#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: wqes.sh EMULATED_DEVICE PROGRAM
#
# Builders and setters of libverbsx write the WQEs that those of rdma-core do, whose golden files tests/emu has, byte for byte; as
# text they are those of wqes.txt. UPDATE=1 makes that anew.
set -euo pipefail

readonly library=$1 program=$2
here=$(dirname "${BASH_SOURCE[0]}")
readonly here
work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT
declare -A config=([raw]=link_layer=ethernet [guarded]=crypto=plaintext)

# How they are posted, of a type of QPs
post() {
	{
		echo '# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB'
		env LD_PRELOAD="$library" TWIN="$1" VERBSX_EMU_CONFIG="${config[$2]:-}" VERBSX_EMU_LEAKS= "$program" "$2"
	} >"$work/wqes"
	diff -u "$here/../../emu/golden/wqe-$2.txt" "$work/wqes"
}

echo '# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB' >"$work/all"
for type in rc uc ud xrc dci raw guarded; do
	TWIN_TEXT=$work/text post plain "$type"
	printf '\n[%s]\n' "$type" | cat - "$work/text" >>"$work/all"
	post checked "$type"
done
[ -z "${UPDATE:-}" ] || cp "$work/all" "$here/wqes.txt"
diff -u "$here/wqes.txt" "$work/all"
