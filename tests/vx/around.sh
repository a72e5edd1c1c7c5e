#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: around.sh CASE VX GOLDEN-FOLDER [BUILD-FOLDER]
#
# One ctest case of the vx tool: how it looks, and what is around it. With UPDATE=1 golden files are written anew.
set -euo pipefail

# shellcheck source=tests/vx/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# ---- where output goes ----

case_folded() {
	local wide

	output=$(on_terminal 72 "$vx" explain IBV_WC_RETRY_EXC_ERR)
	wide=$(tail -n +2 <<<"$output" | awk 'length > 72')
	nothing "$wide"
	like "$output" $'^\x1b\\[1menumerator IBV_WC_RETRY_EXC_ERR\x1b\\[0m$'
	like "$output" '^             [a-z]'
	output=$(NO_COLOR=1 on_terminal 72 "$vx" explain IBV_WC_RETRY_EXC_ERR)
	like "$output" '^enumerator IBV_WC_RETRY_EXC_ERR$'
	output=$(on_terminal 72 "$vx" emu -- "$vx" devinfo -v)
	like "$output" '^                                  IBV_DEVICE_'
}

case_plain_when_piped() {
	run 0 "$vx" explain IBV_WC_RETRY_EXC_ERR
	unlike "$output" $'\x1b'
	[[ $(grep -c '^  causes' <<<"$output") == 1 && $(wc -l <<<"$output") -le 9 ]] || die "folded: $output"
	unlike "$output" ' $'
	run 0 emulated "$vx" devinfo -v
	unlike "$output" ' $'
}

# ---- around it ----

# completions WORD...: what bash would offer for the last word.
completions() {
	COMP_WORDS=("$vx" "$@") COMP_CWORD=$#
	_vx
	printf '%s\n' "${COMPREPLY[@]}"
}

case_completion() {
	local faults

	# shellcheck source=/dev/null
	source "$sources/completion.bash"
	complete -p verbsx vx >/dev/null
	[[ $(completions dev | xargs) == 'devices devinfo' ]] || die "$(completions dev)"
	[[ $(completions explain ibv_ah_attr.s | xargs) == 'ibv_ah_attr.sl ibv_ah_attr.src_path_bits ibv_ah_attr.static_rate' ]] ||
		die "$(completions explain ibv_ah_attr.s)"
	[[ $(completions explain IBV_WC_RETRY) == IBV_WC_RETRY_EXC_ERR ]] || die "$(completions explain IBV_WC_RETRY)"
	[[ $(completions explain "'IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_R") == 'IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_READ' ]] ||
		die "$(completions explain "'IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_R")"
	[[ $(completions explain 'A|B|IBV_WC_RETRY') == 'A|B|IBV_WC_RETRY_EXC_ERR' ]] || die "$(completions explain 'A|B|IBV_WC_RETRY')"
	nothing "$(completions explain "'IBV_ACCESS_LOCAL_WRITE|")"
	[[ $(completions explain --e) == --enum ]] || die "$(completions explain --e)"
	[[ $(completions explain --enum ibv_wc | xargs) == 'ibv_wc_flags ibv_wc_ip_csum_ok ibv_wc_opcode ibv_wc_standard_flags ibv_wc_status' ]] || die "$(completions explain --enum ibv_wc)"
	[[ $(completions explain -e ibv_mt) == ibv_mtu ]] || die "$(completions explain -e ibv_mt)"
	[[ $(completions api --n) == --names ]] || die "$(completions api --n)"
	[[ $(completions --v) == --version ]] || die "$(completions --v)"
	[[ $(completions emu --t | xargs) == '--tap --trace' ]] || die "$(completions emu --t)"
	[[ $(completions emu -- ibv_devinf | uniq) == ibv_devinfo ]] || die "$(completions emu -- ibv_devinf)"
	[[ $(completions emu -c /etc/passw | head -1) == /etc/passwd* ]] || die "$(completions emu -c /etc/passw)"
	[[ $(completions emu -c max_qp_ | xargs) == 'max_qp_wr=' ]] || die "$(completions emu -c max_qp_)"
	[[ $(completions emu -c xrc=off,one_h) == 'xrc=off,one_host=' ]] || die "$(completions emu -c xrc=off,one_h)"
	[[ $(completions emu -f port_d) == port_down ]] || die "$(completions emu -f port_d)"
	[[ $(completions emu -f port_down,SM_CH) == port_down,SM_CHANGE ]] || die "$(completions emu -f port_down,SM_CH)"
	like "$(completions emu -f cre)" '^create_qp$'
	[[ $(completions emu -f port_down,query_d) == port_down,query_device ]] || die "$(completions emu -f port_down,query_d)"
	faults=$(COMP_WORDS=("$vx") && _vx_device_calls | sed 's/$/#99:EIO/' | paste -sd,)
	[[ $faults == *create_qp#*modify_qp#* ]] || die "too few calls: $faults"
	"$vx" emu -f "$faults" -- true 2>&1 || die "not all are calls of the device: $faults"
	[[ $(completions emu -f RETRY_E) == RETRY_EXC_ERR ]] || die "$(completions emu -f RETRY_E)"
	# As bash takes words apart, at "=" and ":", and puts back only the last part
	[[ $(completions emu -c link_layer = | xargs) == 'infiniband ethernet' ]] || die "$(completions emu -c link_layer =)"
	[[ $(completions emu -c link_layer = e) == ethernet ]] || die "$(completions emu -c link_layer = e)"
	[[ $(completions emu -c link_layer=e) == link_layer=ethernet ]] || die "$(completions emu -c link_layer=e)"
	[[ $(completions emu -c link_layer = ethernet,ip) == ethernet,ipv4= ]] || die "$(completions emu -c link_layer = ethernet,ip)"
	[[ $(completions emu -c link_layer = ethernet,xrc = o | xargs) == 'off on' ]] || die "$(completions emu -c link_layer = ethernet,xrc = o)"
	[[ $(completions emu --fault create_qp : ENOS | xargs) == 'ENOSPC ENOSYS' ]] || die "$(completions emu --fault create_qp : ENOS)"
	[[ $(completions emu -f port_down,create_qp#2 : ENOM) == ENOMEM ]] || die "$(completions emu -f port_down,create_qp#2 : ENOM)"
	[[ $(completions explain out_of_b) == out_of_buffer ]] || die "$(completions explain out_of_b)"
	[[ $(completions help dev | xargs) == 'devices devinfo' ]] || die "$(completions help dev)"
	nothing "$(completions explain 'IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_LOCAL_W')"
	[[ $(completions emu --fault /etc/passw | head -1) == /etc/passwd* ]] || die "$(completions emu --fault /etc/passw)"
	nothing "$(completions explain '')"
	LD_PRELOAD=$(emu_library)
	export LD_PRELOAD
	[[ $(completions devinfo m) == mlx5_0 ]] || die "$(completions devinfo m)"
	[[ $(completions gids m) == mlx5_0 ]] || die "$(completions gids m)"
	[[ $(completions ports m) == mlx5_0 ]] || die "$(completions ports m)"
	[[ $(completions gids --p) == --peer ]] || die "$(completions gids --p)"
}

# zsh_completions WORD...: what zsh would offer for the last word, and what it says of it.
zsh_completions() {
	zsh -f -c '
		_describe() { print -rl -- ${(P)@[-1]} }
		compadd() { shift; print -rl -- ${(M)@:#${words[CURRENT]}*} }
		_files() { :; }
		compset() { :; }
		_normal() { print "the completion of $words[1]" }
		script=$1
		shift
		words=("$@") CURRENT=$#
		set --
		source $script' - "$sources/completion.zsh" "$vx" "$@"
}

case_completion_zsh() {
	like "$(zsh_completions '')" '^devinfo:what devices tell about themselves'
	like "$(zsh_completions '')" '^--version:tell which'
	like "$(zsh_completions explain ibv_ah_attr.src)" '^ibv_ah_attr.src_path_bits'
	[[ $(zsh_completions explain IBV_WC_RETRY) == IBV_WC_RETRY_EXC_ERR ]] || die "$(zsh_completions explain IBV_WC_RETRY)"
	[[ $(zsh_completions explain --enum ibv_mt) == ibv_mtu ]] || die "$(zsh_completions explain --enum ibv_mt)"
	like "$(zsh_completions explain -)" '^--enum:read TEXT as a value of this enum$'
	like "$(zsh_completions api '')" '^--names:'
	[[ $(zsh_completions emu -c max_qp_) == max_qp_wr= ]] || die "$(zsh_completions emu -c max_qp_)"
	[[ $(zsh_completions emu -f port_d) == port_down ]] || die "$(zsh_completions emu -f port_d)"
	like "$(zsh_completions help '')" '^devinfo:what devices tell about themselves'
	unlike "$(zsh_completions api '')" '^vx'
	[[ $(zsh_completions emu -- ibv_devinfo -) == 'the completion of ibv_devinfo' ]] || die "$(zsh_completions emu -- ibv_devinfo -)"
	nothing "$(zsh_completions explain '')"
	LD_PRELOAD=$(emu_library)
	export LD_PRELOAD
	[[ $(zsh_completions devinfo m) == mlx5_0 ]] || die "$(zsh_completions devinfo m)"
	[[ $(zsh_completions gids m) == mlx5_0 ]] || die "$(zsh_completions gids m)"
	like "$(zsh_completions gids -)" '^--peer:where the path is to lead'
}

# Each word of the help is in the page, for it is made of that
case_man() {
	bash "$sources/man.sh" "$vx" >"$work/output"
	diff -u "$sources/verbsx.1" "$work/output" || update "$sources/verbsx.1"
	like "$(<"$sources/verbsx.1")" '^\.B .*tap FILE$'
	[[ $(grep -c '^\.SS verbsx ' "$sources/verbsx.1") == 7 ]] || die "not a section for each command"
}

# Where rdma-core is missing vx still explains
case_without_rdma_core() {
	run 0 env VERBSX_IBVERBS_LIB=/none "$vx" explain IBV_WC_SUCCESS
	if "$vx" api | grep -q 'link_mode *: loader'; then
		run 1 env VERBSX_IBVERBS_LIB=/none "$vx" devices
		like "$errors" '/none'
		run 0 env VERBSX_IBVERBS_LIB=/none "$vx" api
		unlike "$output" '^running'
	fi
}

case_trace() {
	local plain file=$work/trace

	run 0 emulated "$vx" devinfo
	plain=$output
	run 0 env VERBSX_TRACE=1 "$vx" emu -- "$vx" devinfo
	[[ $output == "$plain" ]] || die "tracing changes what it prints: $output"
	like "$errors" '^ibv_open_device(device=mlx5_0) = mlx5_0 <[0-9]*\.[0-9]\{6\}>$'
	like "$errors" '^ibv_query_port(context=mlx5_0, port_num=1, port_attr={state=IBV_PORT_ACTIVE(4) '

	run 0 env VERBSX_TRACE="$file.%p" "$vx" emu -- "$vx" devinfo
	nothing "$errors"
	[[ $(cat "$file".[0-9]*) == *'ibv_close_device(context=mlx5_0) = 0 <'* ]] || die "no file of the process"
	run 0 env VERBSX_TRACE=0 "$vx" emu -- "$vx" devinfo
	nothing "$errors"

	# The program goes on.
	run 0 env VERBSX_TRACE=/nowhere/at/all "$vx" emu -- "$vx" devinfo
	[[ $output == "$plain" ]] || die "without a file it prints: $output"
	like "$errors" '^libverbsx: VERBSX_TRACE=/nowhere/at/all: No such file or directory$'
}

# The other tool keeps its name
case_installed_long_only() {
	run 0 cmake -S "$sources/../.." -B "$work/build" -DVERBSX_SHORT_NAME=OFF -DVERBSX_BUILD_TESTS=OFF -DVERBSX_BUILD_EMU=OFF
	cp "$vx" "$work/build/examples/vx/vx"
	run 0 cmake --install "$work/build" --prefix "$work/prefix" --component command
	run 0 "$work/prefix/bin/verbsx" --version
	like "$output" '^verbsx [0-9]'
	nothing "$(find "$work/prefix" -name '*vx*' ! -name '*verbsx*')"
	unlike "$(cat "$work"/prefix/share/{bash-completion/completions/verbsx,zsh/site-functions/_verbsx})" 'verbsx vx'
}

case_installed() {
	local file

	cmake --install "$build" --prefix "$work/prefix" >"$work/log" || die "$(<"$work/log")"
	mv "$work/prefix" "$work/moved"
	run 0 "$work/moved/bin/verbsx" emu -- "$work/moved/bin/vx" devices
	like "$output" mlx5_0
	run 2 "$work/moved/bin/verbsx" nothing
	like "$errors" '^verbsx: no command "nothing"; see verbsx --help$'
	run 0 "$work/moved/bin/verbsx" emu --help
	like "$output" '^usage: verbsx emu '
	run 0 "$work/moved/bin/vx" emu -- printenv LD_PRELOAD
	[[ $output == "$work"/moved/lib*/verbsx/libverbsx-emu.so ]] || die "not the installed one: $output"
	for file in bin/{verbsx,vx} share/{bash-completion/completions/{verbsx,vx},zsh/site-functions/_verbsx,man/man1/{verbsx,vx}.1}; do
		[[ -f $work/moved/$file ]] || die "no $file"
	done
	[[ -f $(echo "$work"/moved/share/doc/*/emu.md) ]] || die "no manual of the device"
	installed_device_is_found
}

# By pkg-config and by CMake, for the tests of others
installed_device_is_found() {
	local pc library

	pc=$(echo "$work"/moved/lib*/pkgconfig "$work"/moved/lib/*/pkgconfig)
	library=$(PKG_CONFIG_PATH=${pc// /:} pkg-config --variable=library verbsx-emu)
	run 0 env LD_PRELOAD="$library" "$work/moved/bin/vx" devices
	like "$output" mlx5_0
	mkdir "$work/project"
	cat >"$work/project/CMakeLists.txt" <<-'END'
		cmake_minimum_required(VERSION 3.18)
		project(consumer LANGUAGES C)
		find_package(verbsx CONFIG REQUIRED)
		message(STATUS "library ${verbsx_EMU_LIBRARY}.")
	END
	run 0 cmake -S "$work/project" -B "$work/project/build" -Dverbsx_ROOT="$work/moved"
	like "$output" "library $work/moved/.*/libverbsx-emu.so\.$"
}

"case_$1"
