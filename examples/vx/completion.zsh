#compdef verbsx vx
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Completion of verbsx, alias vx, for zsh; installed as share/zsh/site-functions/_verbsx. What vx can do it is asked for.

# The commands and options in a help, as _describe wants them: "--json:print JSON"
_vx_rows() {
	"${(Q)words[1]}" "$@" --help 2>/dev/null | sed -nE 's/^  (-., )?((--)?[a-z]+)( [A-Z]+)?  +(.*)/\2:\5/p'
}

_vx_options() {
	local -a rows=(${(f)"$(_vx_rows "$1")"})

	_describe -o option rows
}

# Of a structure, as STRUCTURE.FIELD
_vx_fields() {
	"${(Q)words[1]}" explain "$1" 2>/dev/null |
		awk -v of="$1" 'at { split(substr($0, at), word, " "); print of "." word[1] } /^ *offset  size  type +name / { at = index($0, " name ") + 1 }'
}

# What the emulated device says that there is, where it is given something else, or a file
_vx_emu_list() {
	local -a found

	compset -P '*,'
	case $1 in
	(-c|--config)
		found=($("${(Q)words[1]}" emu -c '?=' -- true 2>&1 | sed -n 's/.*There are //p' | sed -E 's/[a-z0-9_]+/&=/g'))
		compadd -S '' -- $found
		;;
	(-f|--fault)
		found=($("${(Q)words[1]}" emu -f '?:' -- true 2>&1 | sed -n 's/.*there are \(.*\) and calls.*/\1/p')
			$("${(Q)words[1]}" api --names 2>/dev/null | sed -nE 's/^IBV_(EVENT|WC)_([A-Z_]+)$/\2/p'))
		compadd -- $found
		;;
	esac
	_files
}

# What follows -- is another command, with its own completion
_vx_emu() {
	local at=${words[(i)--]}

	if ((at < CURRENT)); then
		shift $at words
		((CURRENT -= at))
		_normal
	elif [[ ${words[CURRENT - 1]} == (-c|--config|-f|--fault|-t|--tap) ]]; then
		_vx_emu_list ${words[CURRENT - 1]}
	else
		_vx_options emu
	fi
}

# Of all names those of enums, which enumerators follow
_vx_enums() {
	compadd -- ${(f)"$("${(Q)words[1]}" api --names 2>/dev/null | awk '/^[a-z]/ { name = $0 } /^[A-Z]/ && !/^E[A-Z0-9]*$/ && name { print name; name = "" }')"}
}

_vx() {
	local -a rows
	local command=${words[2]} word=${words[CURRENT]}

	if ((CURRENT == 2)) || [[ $command == help ]]; then
		rows=(${(f)"$(_vx_rows)"})
		_describe command rows
		return
	fi
	if [[ $command == explain && ${words[CURRENT-1]} == (-e|--enum) ]]; then
		_vx_enums
		return
	fi
	case $command:$word in
	(emu:*) _vx_emu ;;
	(*:-*) _vx_options $command ;;
	# Six thousand names: not before something has been typed
	(explain:[a-z]*.*) compadd -- ${(f)"$(_vx_fields ${word%%.*})"} ;;
	(explain:?*) compadd -- ${(f)"$("${(Q)words[1]}" api --names 2>/dev/null)"} ;;
	(explain:) ;;
	((devinfo|gids|ports):*) compadd -- ${(f)"$("${(Q)words[1]}" devices 2>/dev/null | awk 'NR > 1 { print $1 }')"} ;;
	(*) _vx_options $command ;;
	esac
}

_vx "$@"
