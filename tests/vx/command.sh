#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: command.sh CASE VX GOLDEN-FOLDER
#
# One ctest case of the vx tool: the command line, and where nothing can be written.
set -euo pipefail

# shellcheck source=tests/vx/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case_help() {
	local command all

	run 0 "$vx" --help
	all=$output
	run 0 "$vx" help
	[[ $output == "$all" ]] || die "help is not --help: $output"
	for command in devices devinfo gids ports explain api emu; do
		like "$all" "^  $command "
		run 0 "$vx" "$command" -h
		like "$output" "^usage: vx $command"
		run 0 "$vx" "$command" --help
		nothing "$errors"
	done
	run 0 "$vx" help explain
	like "$output" '^usage: vx explain TEXT'
	unlike "$output" 'usage: vx COMMAND'
}

case_version() {
	run 0 "$vx" --version
	like "$output" '^vx [0-9]*\.[0-9]*\.[0-9]*$'
	run 0 "$vx" -V
	like "$output" '^vx [0-9]'
}

case_no_command() {
	run 2 "$vx"
	[[ $errors == 'vx: which command? See vx --help' ]] || die "$errors"
	nothing "$output"
	run 2 "$vx" device
	like "$errors" 'no command "device"; closest: devices;'
	run 2 "$vx" help devinf
	like "$errors" 'no command "devinf"; closest: devinfo;'
}

case_wrong_options() {
	local words says

	run 2 "$vx" devices --verbose
	like "$errors" '^vx devices: has no option --verbose'
	run 2 "$vx" devices --colour
	run 2 "$vx" devices mlx5_0
	run 2 "$vx" devinfo one two
	run 2 "$vx" devinfo -d mlx5_0
	like "$errors" '^vx devinfo: no option -d: write vx devinfo DEVICE;'
	# The option, and not the word before it
	while IFS='|' read -r words says; do
		read -ra words <<<"$words"
		run 2 "$vx" "${words[@]}"
		[[ $errors == "vx ${words[0]}: $says; see vx ${words[0]} --help" ]] || die "${words[*]}: $errors"
	done <<-'END'
		devinfo -qv|has no option -q
		devinfo -vq|has no option -q
		devices -xj|has no option -x
		devices --json -jx|has no option -x
		devices -q|has no option -q
		devices --colour|has no option --colour
		devices --json=3|--json takes no value
		devices --json --colour|has no option --colour
		devices -j --verbose|has no option --verbose
		explain -q|has no option -q
		explain -je|-e needs a value
		explain --enum|--enum needs a value
		emu -q|has no option -q
		emu --json|has no option --json
	END
	run 0 "$vx" explain '- status 12'
	like "$output" '^enumerator IBV_WC_RETRY_EXC_ERR$'
	run 2 "$vx" api -e ibv_mtu
	run 2 "$vx" explain
	like "$errors" 'what is to be explained'
	run 2 "$vx" explain 12 --enum
	run 2 "$vx" explain ibv_mtu 1 --enum ibv_mtu
	run 2 "$vx" emu
	run 2 "$vx" emu --json
	nothing "$output"
}

case_write_error() {
	local status words=()

	while read -ra words; do
		status=0
		"$vx" "${words[@]}" >/dev/full 2>"$work/errors" || status=$?
		[[ $status == 1 ]] || die "exit status $status of ${words[*]}"
		like "$(<"$work/errors")" '^vx: cannot write: No space left on device$'
	done <<<$'api --names\n--help\nexplain --help\nemu -h'
}

# Also where SIGPIPE is ignored, as Python's children have it
case_broken_pipe() {
	local first

	first=$({ "$vx" api --names || true; } 2>"$work/errors" | head -1)
	[[ -n $first ]] || die "no output"
	nothing "$(<"$work/errors")"
	first=$({ (trap '' PIPE; "$vx" api --names) || true; } 2>"$work/errors" | head -1)
	nothing "$(<"$work/errors")"
}

case_names() {
	run 0 "$vx" api --names
	like "$output" '^ibv_wc_status$'
	like "$output" '^IBV_WC_SUCCESS$'
	like "$output" '^ibv_port_attr$'
	like "$output" '^ibv_create_qp$'
	like "$output" '^ENOMEM$'
}

"case_$1"
