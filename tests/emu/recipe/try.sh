#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: try.sh [ROOT]
#
# Follows the Containerfile and the workflow beside it without a container: in a bare root file system of Debian 12, made by
# debootstrap unless ROOT is one, their commands are run, and programs that know nothing of all this. Wants root and a mirror of Debian.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here file=$here/Containerfile workflow=$here/workflow.yml top=$here/../../..
folder=$(mktemp -d)
readonly folder root=${1:-$folder/root}
trap 'rm -rf --one-file-system "$folder"' EXIT

die() {
	echo "try.sh: $*" >&2
	exit 1
}

# Its processes, mounts and users are its own, as in a container, and folders of outside are not there: inside COMMAND
inside() {
	env -u TMPDIR -u XDG_RUNTIME_DIR unshare --mount --pid --fork --ipc chroot "$root" /bin/sh -c "mount -t proc proc /proc && $1"
}

# What follows a word at the beginning of its lines
lines_of() {
	sed -n "s/^$1 //p" "$file"
}

copy_sources() {
	mkdir -p "$root/src/libverbsx"
	git -C "$top" ls-files -z tests/emu generated/include generated/src | tar -C "$top" --null -T - -cf - | tar -C "$root/src/libverbsx" -xf -
}

# The steps of the workflow, in a project whose tests want a device; what the last one preloads is its alone
follow_workflow() {
	local -r project=$root/tmp/project
	local command preload steps=0

	mkdir -p "$project"
	ln -sfn /src/libverbsx "$project/libverbsx"
	printf 'check:\n\tibv_devices | grep mlx5_0\n' >"$project/Makefile"
	preload=$(sed -n 's/^ *env: { LD_PRELOAD: \(.*\) }$/\1/p' "$workflow")
	[[ $preload ]] || die "the workflow preloads nothing"
	while read -r command; do
		[[ $command != 'make check' ]] || command="LD_PRELOAD=$preload $command"
		inside "cd /tmp/project && $command" >"$folder/log" 2>&1 || die "'$command' of the workflow: $(tail -n 20 "$folder/log")"
		steps=$((steps + 1))
	done < <(sed -n 's/^ *- run: //p' "$workflow")
	[[ $steps == 3 ]] || die "$steps steps of the workflow were run"
	grep mlx5_0 "$folder/log" || die "the tests of a project find no device: $(cat "$folder/log")"
}

if [[ $(id -u) != 0 ]]; then
	echo "skipped: only root can make a root file system"
	exit 77
fi
[[ -d $root ]] || debootstrap --variant=minbase bookworm "$root" >"$folder/log" || die "$(tail -n 5 "$folder/log")"
copy_sources
while read -r command; do
	inside "$command" >"$folder/log" 2>&1 || die "'$command': $(tail -n 20 "$folder/log")"
done < <(lines_of RUN)

# A project's tests: programs of a package that is unpacked only now
inside 'apt-get -y install --no-install-recommends ibverbs-utils' >"$folder/log" 2>&1 || die "$(tail -n 5 "$folder/log")"
preload=$(lines_of ENV)
inside "export $preload && ibv_devinfo && (ibv_rc_pingpong & sleep 1; ibv_rc_pingpong 127.0.0.1 && wait)" >"$folder/log" 2>&1 ||
	die "$(cat "$folder/log")"
grep -q 'hca_id:.*mlx5_0' "$folder/log" || die "no device: $(cat "$folder/log")"
[[ $(grep -c 'bytes in' "$folder/log") == 2 ]] || die "two processes do not reach each other: $(cat "$folder/log")"
grep 'bytes in' "$folder/log"
rm -rf "$root/tmp/emu" # as no image has been made
follow_workflow
