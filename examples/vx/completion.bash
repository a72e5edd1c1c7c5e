# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Completion of vx for bash; installed as share/bash-completion/completions/vx.

_vx_words() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}")
}

_vx_explain() {
	case ${COMP_WORDS[COMP_CWORD]} in
	-*) _vx_words '--enum --json --help' ;;
	# Two thousand names: not before something has been typed
	?*) _vx_words "$("${COMP_WORDS[0]}" api --names 2>/dev/null)" ;;
	esac
}

_vx_devinfo() {
	case ${COMP_WORDS[COMP_CWORD]} in
	-*) _vx_words '--verbose --json --help' ;;
	*) _vx_words "$("${COMP_WORDS[0]}" devices 2>/dev/null | awk 'NR > 1 { print $1 }')" ;;
	esac
}

# What follows -- is another command, with its own completion where there is one
_vx_emu() {
	local at

	for ((at = 2; at < COMP_CWORD; at++)); do
		if [[ ${COMP_WORDS[at]} == -- ]]; then
			break
		fi
	done
	at=$((at + 1))
	if ((COMP_CWORD < at)); then
		_vx_words '--config --fault --tap --leaks --trace --help --'
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$at"
	elif ((COMP_CWORD == at)); then
		mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
	fi
}

_vx() {
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_vx_words 'devices devinfo explain api emu --help --version'
		return
	fi
	case ${COMP_WORDS[1]} in
	devices) _vx_words '--json --help' ;;
	devinfo) _vx_devinfo ;;
	explain) _vx_explain ;;
	api) _vx_words '--names --json --help' ;;
	emu) _vx_emu ;;
	esac
}

complete -o default -F _vx vx
