#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: check.sh CASE SOURCE FOLDER MODE [EMU [BUILT]]
#
# One case of how programs find and use libverbsx. SOURCE is this project, FOLDER where to build, MODE loader or
# direct, EMU the library that emulates a device. The case "install" comes first; it leaves what the others use in
# FOLDER/installed: the libraries of BUILT, a folder where this mode was built, or else its own.
set -euo pipefail

readonly case=$1 source=$2 folder=$3 mode=$4 emu=${5:-} built=${6:-}
readonly here=$source/tests/consumers installed=$folder/installed
# How programs find and use it does not depend on how fast it is.
readonly build_options=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DVERBSX_BY_ROOM=ON -DVERBSX_CHECKS=OFF -DVERBSX_BUILD_TESTS=OFF -DVERBSX_BUILD_EXAMPLES=OFF
	-DVERBSX_BUILD_EMU=OFF -DVERBSX_LOADER="$([[ $mode == loader ]] && echo ON || echo OFF)")

die() {
	echo "check.sh: $*" >&2
	exit 1
}

# Succeeds when the program itself, or a library that it brings, needs a library of rdma-core to start.
needs_rdma_core() {
	LD_LIBRARY_PATH=$installed/lib ldd "$1" | grep -E 'libibverbs|librdmacm|libmlx5'
}

expect_names() {
	local program=$1 output

	output=$(LD_LIBRARY_PATH=$installed/lib "$program")
	diff "$here/names.txt" - <<<"$output" || die "$program prints something else than names.txt"
}

expect_no_rdma_core() {
	local program=$1

	if needs_rdma_core "$program"; then
		die "$program needs rdma-core to start"
	fi
}

expect_device() {
	local program=$1 output

	output=$(LD_PRELOAD=$emu LD_LIBRARY_PATH=$installed/lib "$program")
	[[ $output == 'mlx5_0: IBV_PORT_ACTIVE' ]] || die "$program on the emulated device: $output"
}

# ---- cases ----

# Installed below one folder, then moved to another, as packages are.
case_install() {
	rm -rf "$folder"
	cmake -S "$source" -B "$folder/build" -DCMAKE_RULE_MESSAGES=OFF -DCMAKE_INSTALL_PREFIX="$folder/first" -DCMAKE_INSTALL_LIBDIR=lib \
		-DVERBSX_WERROR=ON "${build_options[@]}"
	if [[ $built ]]; then
		cp -P "$built"/libverbsx.{so*,a} "$folder/build"
	else
		cmake --build "$folder/build"
	fi
	cmake --install "$folder/build"
	mv "$folder/first" "$installed"
	cmp "$installed/share/doc/verbsx/mistakes.md" "$source/docs/mistakes.md"
	cmp "$installed/share/verbsx/api.json" "$source/generated/api.json"
	cmp "$installed/share/verbsx/api.schema.json" "$source/docs/api.schema.json"
	python3 "$here/links.py" "$installed/share/doc/verbsx/guide.md"
	if grep -rIl -e "$folder" -e "$source" "$installed"; then
		die "these files name a folder of the machine that built them"
	fi
	if readelf -d "$installed/lib/libverbsx.so" | grep -E 'RPATH|RUNPATH'; then
		die "libverbsx.so has a run path"
	fi
}

# compile SOURCE OUTPUT FLAG...
compile() {
	local program=$1 output=$2 compiler=(cc -std=gnu11)
	shift 2

	if [[ $program == *.cpp ]]; then
		compiler=(c++ -std=c++17)
	fi
	"${compiler[@]}" -Wall -Wextra -Wpedantic -Werror -o "$folder/$output" "$here/$program" "$@"
}

# flags_of PREFIX [--static]
flags_of() {
	local prefix=$1
	shift

	PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs "$@" libverbsx
}

case_pkgconfig_shared() {
	local flags

	read -ra flags < <(flags_of "$installed")
	if [[ " ${flags[*]} " =~ " -l"(ibverbs|rdmacm|mlx5|dl)" " ]]; then
		die "private requirements are not private: ${flags[*]}"
	fi
	compile names.c names-c "${flags[@]}"
	expect_names "$folder/names-c"
	compile names.cpp names-cxx "${flags[@]}"
	expect_names "$folder/names-cxx"
	compile devices.c devices "${flags[@]}"
	expect_device "$folder/devices"
	if [[ $mode == loader ]]; then
		expect_no_rdma_core "$folder/names-c"
	elif ! needs_rdma_core "$folder/names-c"; then
		die "libverbsx.so of direct mode does not link rdma-core"
	fi
}

# Where only the static library is installed, --static names what it needs.
case_pkgconfig_static() {
	local flags

	rm -rf "$folder/static"
	cp -r "$installed" "$folder/static"
	rm "$folder"/static/lib/libverbsx.so*
	read -ra flags < <(flags_of "$folder/static" --static)
	if [[ $mode == loader && " ${flags[*]} " =~ " -l"(ibverbs|rdmacm|mlx5)" " ]]; then
		die "loader mode asks for rdma-core: ${flags[*]}"
	fi
	compile names.c names-c-static "${flags[@]}"
	expect_names "$folder/names-c-static"
	compile names.cpp names-cxx-static "${flags[@]}"
	expect_names "$folder/names-cxx-static"
	compile devices.c devices-static "${flags[@]}"
	expect_device "$folder/devices-static"
	compile names.c names-c-fully-static -static "${flags[@]}"
	expect_names "$folder/names-c-fully-static"
}

# Nothing of rdma-core is linked, in either mode: only the archive.
case_no_rdma_core() {
	compile names.c names-alone -I"$installed/include" "$installed/lib/libverbsx.a" -ldl -pthread
	expect_names "$folder/names-alone"
	expect_no_rdma_core "$folder/names-alone"
}

check_cmake_programs() {
	local build=$1 program

	for program in names-c-shared names-c-static names-cxx-shared names-cxx-static; do
		expect_names "$build/$program"
	done
	expect_no_rdma_core "$build/names-c-static"
	expect_device "$build/devices-shared"
	expect_device "$build/devices-static"
}

case_find_package() {
	cmake -S "$here/find_package" -B "$folder/find_package" -Dverbsx_ROOT="$installed"
	cmake --build "$folder/find_package"
	check_cmake_programs "$folder/find_package"
}

# Programs need the headers that the library was built with: those beside the libibverbs.pc that says their release.
case_other_headers() {
	local place=$folder/other kind flags

	rm -rf "$place"
	mkdir -p "$place"/rdma/{include,lib/pkgconfig} "$place/build" "$place/program"
	cp -r "$(pkg-config --variable=includedir libibverbs)"/{infiniband,rdma} "$place/rdma/include"
	echo '#define OTHER_HEADERS' >>"$place/rdma/include/infiniband/verbs.h"
	echo 'Version: 1.14.43.7' >"$place/rdma/lib/pkgconfig/libibverbs.pc"
	cmake -S "$source" -B "$place/build" -DCMAKE_INSTALL_LIBDIR=lib -DVERBSX_RDMA_INCLUDE="$place/rdma/include" "${build_options[@]}"
	grep -q '^#define VX_RDMA_CORE 43$' "$place/build/include/verbsx/config.h" || die "not of release 43"
	cp -P "$installed"/lib/libverbsx.{so*,a} "$place/build"
	cmake --install "$place/build" --prefix "$place/installed"

	printf '%s\n' '#include <verbsx/verbsx.h>' '#ifndef OTHER_HEADERS' '#error not those' '#endif' 'int main(void) { return 0; }' >"$place/program/program.c"
	read -ra flags < <(flags_of "$place/installed")
	cc -Wall -Wextra -Werror "$place/program/program.c" "${flags[@]}" -o "$place/program/program"
	printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(other LANGUAGES C)' 'find_package(verbsx CONFIG REQUIRED)' >"$place/program/CMakeLists.txt"
	for kind in verbsx verbsx-static; do
		printf '%s\n' "add_executable(with-$kind program.c)" "target_link_libraries(with-$kind PRIVATE verbsx::$kind)" >>"$place/program/CMakeLists.txt"
	done
	cmake -S "$place/program" -B "$place/program/build" -Dverbsx_ROOT="$place/installed"
	cmake --build "$place/program/build"

	rm -r "$place/rdma/lib"
	if cmake -S "$source" -B "$place/unknown" -DVERBSX_RDMA_INCLUDE="$place/rdma/include" "${build_options[@]}" 2>"$place/said"; then
		die "headers are taken that nobody says the release of"
	fi
	grep -q 'VERBSX_RDMA_CORE=NN' "$place/said"
}

case_add_subdirectory() {
	cmake -S "$here/add_subdirectory" -B "$folder/add_subdirectory" "${build_options[@]}"
	cmake --build "$folder/add_subdirectory"
	check_cmake_programs "$folder/add_subdirectory"
}

# build_archive NAME COMPILER CFLAGS OPTION...: the static library alone
build_archive() {
	local build=$folder/$1 name=$2 options=$3
	shift 3

	CC=$name CFLAGS=$options cmake -S "$source" -B "$build" -DCMAKE_RULE_MESSAGES=OFF "${build_options[@]}" "$@"
	cmake --build "$build" --target verbsx-static
}

# link_archive NAME COMPILER...: a program with it
link_archive() {
	local build=$folder/$1
	shift

	"$@" -std=gnu11 -I"$source/runtime/include" -I"$source/generated/include" -I"$build/include" -o "$build/names" "$here/names.c" "$build/libverbsx.a" -ldl -pthread
	expect_names "$build/names"
}

# By the flags of distributions' packages, and by CMake's own. The archive is for programs without them as well.
case_lto() {
	local flags=(-O1 -flto=auto -ffat-lto-objects)

	rm -rf "$folder"
	build_archive gcc gcc "${flags[*]}"
	link_archive gcc gcc
	link_archive gcc gcc "${flags[@]}"
	build_archive clang clang "" -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON
	link_archive clang clang
	link_archive clang clang -flto=thin -fuse-ld=lld
}

"case_$case"
