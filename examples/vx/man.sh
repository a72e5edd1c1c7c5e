#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: man.sh VX
#
# Writes the man page verbsx(1), made of what VX says about itself. The committed verbsx.1 is compared with it by a test.
set -euo pipefail

readonly vx=$1

# VX says of itself what it is called.
says() {
	(exec -a verbsx "$vx" "$@")
}

# Help as text for man(7): a row of a list begins with two blanks, and other text is filled.
roff() {
	sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/'/\\\\(aq/g" | awk '
		function close_usage() { if (usage) print ".fi"; usage = 0 }
		/^usage: /               { usage = 1; print ".nf"; sub(/^usage: /, ""); print; next }
		usage && /^ +verbsx /        { sub(/^ +/, ""); print; next }
		/^$/                     { close_usage(); print ".PP"; next }
		match($0, /^  [^ ].*[^ ]  +/) && split($0, part, /  +/) == 3 { printf ".TP\n.B %s\n%s\n", part[2], part[3]; next }
		                         { sub(/^ +/, ""); print }
		END                      { close_usage() }'
}

commands() {
	says --help | sed -nE 's/^  ([a-z]+)  .*/\1/p'
}

# What VX knows of each variable of libverbsx; what else has such a name is a macro.
environment() {
	local name text

	for name in $(says api --names | grep '^VERBSX_'); do
		text=$(says explain "$name")
		if [[ $text == 'variable '* ]]; then
			printf '.TP\n.B %s\n' "$name"
			sed -n 's/^ *says *: //p' <<<"$text" | roff
		fi
	done
}

cat <<'END'
.\" SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
.\" Made by man.sh of what the command says about itself. Do not edit: man.sh writes it anew.
.TH VERBSX 1 "" libverbsx "User Commands"
.SH NAME
verbsx, vx \- RDMA devices, and what rdma\-core says, explained
.SH SYNOPSIS
END
says --help | roff | sed 's/^\.PP$/.SH DESCRIPTION/; t rest; b; :rest; n; b rest'
printf '.SH COMMANDS\n'
for command in $(commands); do
	printf '.SS verbsx %s\n' "$command"
	says "$command" --help | roff
done
printf '.SH ENVIRONMENT\n'
environment
printf '.SH SEE ALSO\n.BR ibv_devinfo (1),\n.BR verbs (7)\n'
