#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: check.sh CASE ARGUMENT...
#
# One case of how the headers and sources compile against the headers of a release. TREES is a file with a line "33 FOLDER"
# for each release, which the case "trees" writes.
set -euo pipefail

readonly strict=(-Wall -Wextra -Wpedantic -Werror)

die() {
	echo "check.sh: $*" >&2
	exit 1
}

# Make's progress costs more than a compiler that does not optimise, and what a debugger reads a quarter of its time: nobody looks at them here.
configure() {
	cmake -DCMAKE_RULE_MESSAGES=OFF -DCMAKE_C_FLAGS_DEBUG=-O0 "$@"
}

# The library alone, with warnings as errors. That each file has the headers it needs is known from where it is compiled by itself.
configure_library() {
	configure -DVERBSX_BY_ROOM=ON -DVERBSX_WERROR=ON -DVERBSX_BUILD_TESTS=OFF -DVERBSX_BUILD_EXAMPLES=OFF -DVERBSX_BUILD_EMU=OFF "$@"
}

# include_of TREES RELEASE: the folder with the headers of a release.
include_of() {
	local folder

	folder=$(awk -v release="$2" '$1 == release { print $2 }' "$1")
	[[ -d $folder/usr/include/infiniband ]] || die "no headers of release $2 in $folder"
	echo "$folder/usr/include"
}

# flags_of INCLUDE:INCLUDE... : an option for each folder
flags_of() {
	local folder

	while read -rd ':' folder; do
		echo "-I$folder"
	done <<<"$1:"
}

# public_headers INCLUDE:INCLUDE... : the names of all public headers, as <verbsx/NAME>
public_headers() {
	local folder

	while read -rd ':' folder; do
		(cd "$folder" && ls verbsx/*.h)
	done <<<"$1:"
}

# Includes twice, so that a missing guard shows; ISO C wants a declaration in every file.
including() {
	printf '#include <%s>\n#include <%s>\nextern int not_empty;\n' "$1" "$1"
}

# not_so_strict COMPILER FLAG... : what rdma-core's own headers want. Newer compilers refuse mlx5dv.h in strict ISO C, because
# <endian.h> then hides what it calls.
not_so_strict() {
	local compiler=$1
	shift

	# shellcheck disable=SC2086  # a compiler is several words
	echo '#include <infiniband/mlx5dv.h>' | $compiler "$@" - 2>/dev/null || echo -D_DEFAULT_SOURCE
}

# with_language COMPILER: what makes one read its own language
with_language() {
	case $1 in
	*++) echo "$1 -xc++ -std=c++17" ;;
	*) echo "$1 -xc -std=c11" ;;
	esac
}

# ---- cases ----

case_trees() {
	local trees=$1 python=$2
	shift 2

	"$python" -m gen.reach.releases "$@" | tee "$trees"
	(($(wc -l <"$trees") == $#)) || die "not every release could be had"
}

# alone INCLUDE:INCLUDE... TREES RELEASE COMPILER...: every public header by itself, as C and with C++ compilers as C++
case_alone() {
	local include=$1 release=$3 header name compiler cases=0 failed=0 flags=() compilers=("${@:4}")
	mapfile -t flags < <(flags_of "$include")
	flags+=(-isystem "$(include_of "$2" "$release")" -fsyntax-only)

	for name in "${compilers[@]}"; do
		compiler=$(with_language "$name")
		compiler+=" $(not_so_strict "$compiler" "${flags[@]}")"
		for header in $(public_headers "$include"); do
			cases=$((cases + 1))
			# shellcheck disable=SC2086  # a compiler is several words
			including "$header" | $compiler "${strict[@]}" "${flags[@]}" - && continue
			echo "failed: <$header> with $compiler, release $release" >&2
			failed=$((failed + 1))
		done
	done
	echo "cases: $cases"
	((cases > 0 && failed == 0))
}

# strict_users INCLUDE:INCLUDE... EXAMPLES [RDMA-INCLUDE]: what users copy, where the compiler is told to keep to ISO C
case_strict_users() {
	local file failed=0 cases=0 flags=()
	mapfile -t flags < <(flags_of "$1")
	flags+=(${3:+-isystem "$3"} -fsyntax-only)

	for file in "$2"/*.c "$2"/pingpong/*.c; do
		cases=$((cases + 1))
		gcc -std=c11 "${strict[@]}" "${flags[@]}" "$file" || failed=$((failed + 1))
	done
	including verbsx/verbsx.h | gcc -xc -std=c99 "${strict[@]}" "${flags[@]}" - || failed=$((failed + 1))
	echo "cases: $((cases + 1))"
	((cases > 0 && failed == 0))
}

# without_rdma_core INCLUDE:INCLUDE... : the headers that promise to need none of rdma-core's, or none of vendors
case_without_rdma_core() {
	local header flags=() poison
	mapfile -t flags < <(flags_of "$1")
	poison=$(mktemp -d)
	# shellcheck disable=SC2064  # now, while it is known
	trap "rm -rf '$poison'" EXIT

	mkdir "$poison/infiniband" "$poison/rdma"
	for header in infiniband/{verbs,mlx5dv,mlx4dv,efadv,manadv,hnsdv}.h rdma/rdma_cma.h; do
		echo "#error $header is not to be included" >"$poison/$header"
	done
	for header in verbsx/config.h verbsx/enum.h verbsx/enums.h verbsx/error.h verbsx/print.h; do
		including "$header" | gcc -xc -std=c11 "${strict[@]}" -I"$poison" "${flags[@]}" -fsyntax-only -
	done
	rm "$poison/infiniband/verbs.h" "$poison/rdma/rdma_cma.h" # those of vendors alone
	including verbsx/verbsx.h | gcc -xc -std=c11 "${strict[@]}" -I"$poison" "${flags[@]}" -fsyntax-only -
	if including verbsx/mlx5.h | gcc -xc -I"$poison" "${flags[@]}" -fsyntax-only - 2>/dev/null; then
		die "the poisoned headers were not seen"
	fi
}

# openvx INCLUDE:INCLUDE... FOLDER [RDMA-INCLUDE]: beside headers that have the same prefix, before them and behind them
case_openvx() {
	local compiler order cases=0 flags=()
	mapfile -t flags < <(flags_of "$1")
	flags+=(${3:+-isystem "$3"} -I"$2")

	for order in 'vx.h verbsx/verbsx.h' 'verbsx/verbsx.h vx.h'; do
		for compiler in 'gcc -xc -std=gnu11' 'g++ -xc++ -std=c++17'; do
			# shellcheck disable=SC2086  # several words
			{
				printf '#include <%s>\n' $order
				cat "$2/use.c"
			} | $compiler "${strict[@]}" "${flags[@]}" -fsyntax-only -
			cases=$((cases + 1))
		done
	done
	echo "cases: $cases"
	if printf '#include <vx.h>\nstruct vx_context;\nint vx_enum(void);\n' | gcc -xc -I"$2" -fsyntax-only - 2>/dev/null; then
		die "the stand-in collides with nothing"
	fi
}

# wrong_types INCLUDE:INCLUDE... PROGRAM [RDMA-INCLUDE]: what takes handles or structures says so of all else, in few lines
case_wrong_types() {
	local compiler flags=() program=$2 messages line text wrong
	local -A said=([handle]='this takes a handle of libverbsx' [structure]='take a pointer to a structure of rdma-core or libverbsx'
		[default]='VX_DEFAULT_has_nothing_for_[a-z_]*_initialize_it_with_0')
	mapfile -t flags < <(flags_of "$1")
	flags+=(${3:+-isystem "$3"} -c -o /dev/null)
	wrong=$(grep -c '; /\* .* \*/$' "$program")

	for compiler in 'gcc -xc -std=c11' 'gcc -xc -std=gnu11 -O2' 'clang -xc -std=c11' 'g++ -xc++ -std=c++11' 'clang++ -xc++ -std=c++17'; do
		# shellcheck disable=SC2086  # several words
		messages=$(LC_ALL=C $compiler -D_DEFAULT_SOURCE "${flags[@]}" "$program" 2>&1) && die "$compiler takes all that is wrong"
		for text in "${!said[@]}"; do
			[[ $(grep -c "error:.*${said[$text]}" <<<"$messages") == $(grep -c "; /\* $text \*/$" "$program") ]] ||
				die "$compiler: not all without a $text: $messages"
		done
		while IFS=: read -r line _; do
			grep -q "${program##*/}:$line:" <<<"$messages" || die "$compiler: nothing of line $line: $messages"
		done < <(grep -n '; /\* .* \*/$' "$program")
		(($(wc -l <<<"$messages") < 16 * wrong)) || die "$compiler: too long: $messages"
		# shellcheck disable=SC2086  # several words
		sed '/; \/\* .* \*\/$/d' "$program" | $compiler -D_DEFAULT_SOURCE "${strict[@]}" -Wno-unused-parameter "${flags[@]}" -
	done
	echo "cases: $((5 * wrong))"
}

# newer INCLUDE:INCLUDE... TREES PROGRAM: what only the newest release has, on a library that was built with whatever this machine has
case_newer() {
	local compiler flags=() newest
	newest=$(cut -d ' ' -f 1 "$2" | sort -n | tail -n 1)
	mapfile -t flags < <(flags_of "$1")
	flags+=(-isystem "$(include_of "$2" "$newest")" -fsyntax-only)

	for compiler in 'gcc -xc -std=c11' 'clang -xc -std=c11' 'g++ -xc++ -std=c++11' 'clang++ -xc++ -std=c++17'; do
		# shellcheck disable=SC2086  # several words
		$compiler -D_DEFAULT_SOURCE "${strict[@]}" -Wshadow "${flags[@]}" "$3" || die "$compiler refuses it"
	done
	echo "cases: 4"
}

# numbers INCLUDE:INCLUDE... PROGRAM [RDMA-INCLUDE]: without a warning, but where a number does not fit, which is one by default
case_numbers() {
	local compiler flags=() program=$2 messages narrow
	mapfile -t flags < <(flags_of "$1")
	flags+=(${3:+-isystem "$3"} -c -o /dev/null)
	narrow=$(grep -c '; /\* narrow \*/$' "$program")

	for compiler in 'gcc -xc -std=c11' 'clang -xc -std=c11' 'g++ -xc++ -std=c++11' 'g++ -xc++ -std=c++20 -Wuseless-cast' 'clang++ -xc++ -std=c++17'; do
		# shellcheck disable=SC2086  # several words
		messages=$(LC_ALL=C $compiler -D_DEFAULT_SOURCE "${flags[@]}" "$program" 2>&1)
		[[ $(grep -c 'warning:' <<<"$messages") == "$narrow" ]] || die "$compiler: $messages"
		# shellcheck disable=SC2086  # several words
		sed '/; \/\* narrow \*\/$/d' "$program" |
			$compiler -D_DEFAULT_SOURCE "${strict[@]}" -Wconversion -Wsign-conversion -Wshadow "${flags[@]}" -
	done
	echo "cases: $((5 * narrow))"
}

# short_pointers INCLUDE:INCLUDE... GENERATED [RDMA-INCLUDE]: structures lie as recorded on machines whose pointers have 4 bytes,
# by the headers of the C library of this one, which lack nothing for them but an empty file
case_short_pointers() {
	local compiler flags=() libc missing cases=0
	mapfile -t flags < <(flags_of "$1")
	libc=/usr/include/$(gcc -print-multiarch)
	missing=$(mktemp -d)
	# shellcheck disable=SC2064  # this folder
	trap "rm -rf '$missing'" EXIT
	mkdir "$missing/gnu"
	touch "$missing"/gnu/stubs-{32,soft,hard}.h
	flags+=(${3:+-isystem "$3"} -I"$2/src" -isystem "$missing" -isystem "$libc" -D'__regparm__(n)=__unused__' -fsyntax-only)

	for compiler in 'gcc -m32' 'clang --target=i386-linux-gnu' 'clang --target=armv7-linux-gnueabihf'; do
		$compiler "${flags[@]}" "$2/src/abi.c"
		# A field that is elsewhere than recorded is seen.
		sed 's/^\(IS(vx_cq_init, flags, [0-9]*, 4\), [0-9]*, 4, [0-9]*, 4/\1, 4, 4, 4, 4/' "$2/src/abi.c" >"$missing/moved.c"
		if $compiler "${flags[@]}" "$missing/moved.c" 2>"$missing/log"; then
			die "$compiler: a field that has moved is not seen"
		fi
		grep -q 'vx_cq_init.flags has moved' "$missing/log" || die "$compiler: $(cat "$missing/log")"
		cases=$((cases + 1))
	done
	echo "cases: $cases"
}

# Everything that a compiler finds by itself, less rdma-core's headers; of those only verbs.h and what that needs.
shadow() {
	local from=$1 to=$2 headers=$3 name

	mkdir -p "$to"
	ln -s "$from"/* "$to"
	rm -f "$to/infiniband" "$to/rdma"
	mkdir "$to/infiniband" "$to/rdma"
	for name in verbs verbs_api ib_user_ioctl_verbs; do
		ln -s "$headers/infiniband/$name.h" "$to/infiniband"
	done
	ln -s /usr/include/rdma/*.h "$to/rdma"
	rm -f "$to"/rdma/rdma_cma* "$to/rdma/rdma_verbs.h"
}

# only_verbs INCLUDE:INCLUDE... TREES RELEASE COMPILER...: every public header where rdma-core's are not all installed
case_only_verbs() {
	local include=$1 release=$3 headers header name compiler folder cases=0 search flags=() compilers=("${@:4}")
	headers=$(include_of "$2" "$release")
	mapfile -t flags < <(flags_of "$include")
	folder=$(mktemp -d)
	# shellcheck disable=SC2064  # now, while it is known
	trap "rm -rf '$folder'" EXIT

	shadow /usr/include "$folder/usr" "$headers"
	for name in "${compilers[@]}"; do
		compiler=$(with_language "$name")
		# shellcheck disable=SC2086  # a compiler is several words
		search=$($compiler -E -v - </dev/null 2>&1 | sed -n '/^#include </,/^End/p' | sed -n 's/^ / -isystem /p' |
			sed "s|/usr/include\$|$folder/usr|" | tr -d '\n')
		for header in $(public_headers "$include"); do
			cases=$((cases + 1))
			# shellcheck disable=SC2086  # as above
			{
				including "$header"
				printf '#if __has_include(<rdma/rdma_cma.h>) || __has_include(<infiniband/mlx5dv.h>)\n#error not hidden\n#endif\n'
			} | $compiler -nostdinc $search "${strict[@]}" "${flags[@]}" -D_DEFAULT_SOURCE \
				-fsyntax-only - || die "<$header> with $compiler needs more than verbs.h"
		done
	done
	echo "cases: $cases"
	((cases > 0))
}

# crossed SOURCE TREES RELEASE LIBRARY-FOLDER EMULATED-DEVICE: a program of a release's headers on a library of another's
case_crossed() {
	local source=$1 include release=$3 library=$4 device=$5 folder
	include=$(include_of "$2" "$release")
	folder=$(mktemp -d)
	# shellcheck disable=SC2064  # now, while it is known
	trap "rm -rf '$folder'" EXIT

	cc "${strict[@]}" -D_DEFAULT_SOURCE "-DCOMPILED_FOR=$release" -isystem "$include" -I"$source/runtime/include" \
		-I"$source/generated/include" -I"$library/include" "$source/tests/headers/crossed.c" -o "$folder/crossed" \
		"$library/libverbsx.so" -Wl,-rpath,"$library"
	LD_PRELOAD=$device "$folder/crossed"
}

# library SOURCE TREES RELEASE COMPILER FOLDER: the committed code, built against a release, without Python; tests of oracle/ use it.
# gcc warns of some while it optimises; clang does not.
case_library() {
	local source=$1 include release=$3 compiler=$4 folder=$5 type=Release
	include=$(include_of "$2" "$release")
	[[ $compiler != clang ]] || type=Debug

	rm -rf "$folder"
	configure_library -S "$source" -B "$folder" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE="$type" \
		-DVERBSX_CHECKS=OFF -DVERBSX_RDMA_CORE="$release" -DVERBSX_RDMA_INCLUDE="$include"
	cmake --build "$folder" --target all verbsx-open
}

# elsewhere SOURCE TREES RELEASE PROCESSOR FOLDER: for another processor, as it is shipped; what that does not reach, a linker tells
case_elsewhere() {
	local source=$1 include release=$3 processor=$4 folder=$5
	include=$(include_of "$2" "$release")

	command -v "$processor-linux-gnu-gcc" || exit 77
	rm -rf "$folder"
	configure_library -S "$source" -B "$folder" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$processor" -DCMAKE_C_COMPILER="$processor-linux-gnu-gcc" \
		-DCMAKE_BUILD_TYPE=RelWithDebInfo -DVERBSX_BY_ROOM=OFF -DVERBSX_RDMA_CORE="$release" -DVERBSX_RDMA_INCLUDE="$include"
	cmake --build "$folder" --target verbsx
}

# objects SOURCE TREES RELEASE FOLDER EMULATED-DEVICE PROGRAM...: what only newer releases have, with functions in rdma-core's place
case_objects() {
	local source=$1 include release=$3 folder=$4 device=$5 program programs=("${@:6}")
	include=$(include_of "$2" "$release")

	configure -S "$source" -B "$folder" -DCMAKE_BUILD_TYPE=Debug -DVERBSX_WERROR=ON -DVERBSX_RDMA_CORE="$release" \
		-DVERBSX_RDMA_INCLUDE="$include"
	cmake --build "$folder" --target "${programs[@]##*/}"
	for program in "${programs[@]}"; do
		LD_PRELOAD=$device ASAN_OPTIONS=verify_asan_link_order=0 "$folder/tests/$program"
	done
}

# vendor SOURCE TREES PYTHON FOLDER EMULATED-DEVICE: generated from headers that a vendor has patched, with a header of their provider
# and lore about an object of theirs, built, installed, and used by a program
case_vendor() {
	local source=$1 python=$3 folder=$4 device=$5 copy=$4/source

	rm -rf "$folder"
	mkdir -p "$copy"
	cp -r "$source"/{CMakeLists.txt,LICENSE,README.md,cmake,docs,examples,gen,generated,runtime,templates} "$copy"
	cat >"$copy/gen/lore/acme.toml" <<-'END'
		[object]
		acme = { title = "acme", raw = "ibv_acme", parent = "ctx", create = "ibv_create_acme", number = "handle", destroy = "ibv_destroy_acme" }
	END
	cat >>"$copy/gen/groups.toml" <<-'END'

		[group.acme_dv]
		headers = ["infiniband/acme_dv.h"]
		library = "libacme.so.1"
		package = "libacme"
		first = 44
		prefix = "acme_dv_"
		word = "acme"
		provider = "libacme"
	END
	(cd "$source" && "$python" -m tests.gen.vendor 44 56 "$folder/include" "$(include_of "$2" 44)")
	configure_library -S "$copy" -B "$folder/build" -DCMAKE_BUILD_TYPE=Release -DVERBSX_REGENERATE=ON -DVERBSX_RDMA_CORE=44 \
		-DVERBSX_RDMA_INCLUDE="$folder/include"
	cmake --build "$folder/build"
	cmake --install "$folder/build" --prefix "$folder/prefix"
	cc "${strict[@]}" -D_DEFAULT_SOURCE -isystem "$folder/include" -I"$folder/prefix/include" "$source/tests/headers/vendor.c" \
		-o "$folder/vendor" "$folder/build/libverbsx.so" -Wl,-rpath,"$folder/build"
	LD_PRELOAD=$device "$folder/vendor"
}

# pages SOURCE INCLUDE:INCLUDE... TREES RELEASE PYTHON: the C in generated/docs
case_pages() {
	local source=$1 flags=()
	mapfile -t flags < <(flags_of "$2")

	"$5" "$source/tests/headers/pages.py" "$source" -isystem "$(include_of "$3" "$4")" "${flags[@]}"
}

# regenerated SOURCE FOLDER: generated from the installed headers, and built. What gcc warns of while it optimises it tells where
# committed code is built.
case_regenerated() {
	local source=$1 folder=$2

	rm -rf "$folder"
	configure_library -S "$source" -B "$folder" -DCMAKE_BUILD_TYPE=Debug -DVERBSX_CHECKS=OFF -DVERBSX_REGENERATE=ON
	cmake --build "$folder"
	[[ -e $folder/generated/include/verbsx/enums.h ]] || die "nothing was generated"
	grep -q IBV_WC_RETRY_EXC_ERR "$folder/libverbsx.so" || die "no enums in the library"
	cmake --install "$folder" --prefix "$folder/there" >/dev/null
	diff <({ ls "$source/generated/include/verbsx" "$source/runtime/include/verbsx" && echo config.h; } | grep 'h$' | sort) \
		<(find "$folder/there/include/verbsx" -printf '%f\n' | grep 'h$' | sort) || die "other headers are installed"
}

case=$1
shift
"case_$case" "$@"
