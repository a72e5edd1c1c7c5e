#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# For scripts that build a project's own tests of Debian's source packages, in the folder $folder.

skip() {
	echo "skipped: $*"
	exit 77
}

need_to_build() {
	local program

	for program in "$@"; do
		command -v "$program" >/dev/null || skip "$program is missing: install autoconf, automake, libtool and g++"
	done
}

# apt-get with sources in its lists, which the machine's may lack, and folders of its own
apt() {
	# shellcheck disable=SC2154 # of whoever sources this
	apt-get -qq -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$folder/lists" -o APT::Sandbox::User=root "$@"
}

# The sources of a package, unpacked
fetch() {
	mkdir -p "$folder/lists/partial"
	# shellcheck disable=SC2016 # for apt-get to expand: the archives that the machine has packages of
	apt-get indextargets --format 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(SITE) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' >"$folder/sources.list"
	(cd "$folder" && apt update && apt source "$1") >"$folder/log" 2>&1 ||
		skip "no source package of $1 can be had: $(tail -n 3 "$folder/log")"
}

# Do something in a folder, and say only what it said last, if it fails
run_in() {
	(cd "$1" && "$2") >"$folder/log" 2>&1 || {
		tail -n 20 "$folder/log"
		exit 1
	}
}
