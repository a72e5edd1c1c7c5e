# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Completion of verbsx, alias vx, for bash; installed as share/bash-completion/completions/verbsx. What vx can do it is
# asked for.

_vx_words() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}")
}

_vx_commands() {
	"${COMP_WORDS[0]}" --help 2>/dev/null | sed -nE 's/^  ([a-z]+)  .*/\1/p'
}

# Of a command, or of vx itself
_vx_options() {
	"${COMP_WORDS[0]}" "$@" --help 2>/dev/null | sed -nE 's/^  -., (--[a-z]+).*/\1/p'
}

# Of a structure, as STRUCTURE.FIELD
_vx_fields() {
	"${COMP_WORDS[0]}" explain "$1" 2>/dev/null |
		awk -v of="$1" 'at { split(substr($0, at), word, " "); print of "." word[1] } /^ *offset  size  type +name / { at = index($0, " name ") + 1 }'
}

# The last of names that are joined by |, which are in quotes; bash puts back what it completes without the quote
_vx_names() {
	local word=${COMP_WORDS[COMP_CWORD]#[\'\"]} before=

	if [[ $word == *'|'* ]]; then
		before=${word%'|'*}'|'
		word=${word##*'|'}
	fi
	# Six thousand names: not before something has been typed
	if [[ $word == [a-z]*.* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_vx_fields "${word%%.*}")" -- "$word")
	elif [[ $word ]]; then
		mapfile -t COMPREPLY < <(compgen -P "$before" -W "$("${COMP_WORDS[0]}" api --names 2>/dev/null | grep -vxF "${before//'|'/$'\n'}")" -- "$word")
	fi
}

# Of all names those of enums, which enumerators follow
_vx_enums() {
	_vx_words "$("${COMP_WORDS[0]}" api --names 2>/dev/null | awk '/^[a-z]/ { name = $0 } /^[A-Z]/ && !/^E[A-Z0-9]*$/ && name { print name; name = "" }')"
}

# The calls that a device answers: no more than these have a fault of the emulated one
_vx_device_calls() {
	local verbs='create|destroy|modify|query|resize|alloc|dealloc|free|reg|dereg|rereg|advise|open|close|attach|detach'
	local kinds='qp|cq|srq|wq|pd|mr|mw|ah|xrcd|flow|mcast|dm|dm_mr|dmabuf_mr|counters|rwq_ind_table|port|gid_table'

	"${COMP_WORDS[0]}" api --names 2>/dev/null | sed -nE "s/^ibv_(($verbs)_($kinds)|query_device|create_comp_channel)\$/\1/p"
}

# The word at the cursor, which bash takes apart at "=" and ":", in $word, with what of it bash puts back by itself in $kept; and what
# stands before it in $option
_vx_whole_word() {
	local at=$COMP_CWORD

	word=${COMP_WORDS[at]}
	while ((at > 2)) && [[ ${COMP_WORDS[at]} == [=:] || ${COMP_WORDS[at - 1]} == [=:] ]]; do
		at=$((at - 1))
		word=${COMP_WORDS[at]}$word
	done
	option=${COMP_WORDS[at - 1]}
	kept=
	if ((at < COMP_CWORD)); then
		kept=${word%"${word##*[=:]}"}
	fi
}

# The values of a setting of the emulated device, where it has a few
_vx_setting_values() {
	"${COMP_WORDS[0]}" emu -c "$1=?" -- true 2>&1 | sed -n 's/.* is not one of //p'
}

# What the emulated device says that there is, where it is given something else: of a list the last, or a file
_vx_emu_list() {
	local before='' words='' last=$word

	if [[ $word == *,* ]]; then
		before=${word%,*},
		last=${word##*,}
	fi
	case $option:$last in
	-c:*=* | --config:*=*)
		before+=${last%%=*}=
		words=$(_vx_setting_values "${last%%=*}")
		;;
	-c:* | --config:*)
		words=$("${COMP_WORDS[0]}" emu -c '?=' -- true 2>&1 | sed -n 's/.*There are //p' | sed -E 's/[a-z0-9_]+/&=/g')
		compopt -o nospace 2>/dev/null
		;;
	-f:*:* | --fault:*:*)
		before+=${last%%:*}:
		words=$("${COMP_WORDS[0]}" api --names 2>/dev/null | grep -x 'E[A-Z0-9]*')
		;;
	-f:* | --fault:*)
		words=$("${COMP_WORDS[0]}" emu -f '?:' -- true 2>&1 | sed -n 's/.*there are \(.*\) and calls.*/\1/p')
		words+=" $("${COMP_WORDS[0]}" api --names 2>/dev/null | sed -nE 's/^IBV_(EVENT|WC)_([A-Z_]+)$/\2/p')"
		words+=" $(_vx_device_calls)"
		;;
	esac
	mapfile -t COMPREPLY < <(
		compgen -P "$before" -W "$words" -- "${word#"$before"}"
		compgen -f -- "$word"
	)
	COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}

# What follows -- is another command, with its own completion where there is one
_vx_emu() {
	local at word option kept

	_vx_whole_word
	for ((at = 2; at < COMP_CWORD; at++)); do
		if [[ ${COMP_WORDS[at]} == -- ]]; then
			break
		fi
	done
	at=$((at + 1))
	if ((COMP_CWORD < at)) && [[ $option =~ ^(-c|--config|-f|--fault|-t|--tap)$ ]]; then
		_vx_emu_list
	elif ((COMP_CWORD < at)); then
		_vx_words "$(_vx_options emu) --"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$at"
	elif ((COMP_CWORD == at)); then
		mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
	fi
}

_vx() {
	local command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_vx_words "$(_vx_commands) $(_vx_options)"
		return
	fi
	if [[ $command == explain && $before =~ ^(-e|--enum)$ ]]; then
		_vx_enums
		return
	fi
	case $command:$word in
	emu:*) _vx_emu ;;
	*:-*) _vx_words "$(_vx_options "$command")" ;;
	explain:*) _vx_names ;;
	help:*) _vx_words "$(_vx_commands)" ;;
	devinfo:* | gids:* | ports:*) _vx_words "$("${COMP_WORDS[0]}" devices 2>/dev/null | awk 'NR > 1 { print $1 }')" ;;
	*) _vx_words "$(_vx_options "$command")" ;;
	esac
}

complete -o default -F _vx verbsx vx
