#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# docs/mistakes.md, a section a device: page.sh compare|update HEADING COMMAND... where COMMAND prints the section.
set -euo pipefail

page=$(cd "$(dirname "$0")/../.." && pwd)/docs/mistakes.md
mode=$1 heading="## $2"
shift 2

made=$(mktemp)
trap 'rm -f "$made"' EXIT
"$@" >"$made"

# The lines of the section.
section() {
	awk -v heading="$heading" '/^## / { inside = $0 == heading } inside' "$page"
}

# All of the page, with what was made in the place of the section.
replaced() {
	awk -v heading="$heading" -v made="$made" '
		/^## / { inside = $0 == heading; if (inside) while ((getline line < made) > 0) print line }
		!inside' "$page"
}

case $mode in
compare) diff -u --label "docs/mistakes.md: $heading" <(section) --label "what is said now" "$made" ;;
update)
	grep -qxF "$heading" "$page" || printf '%s\n' "$heading" >>"$page"
	replaced >"$page.new"
	mv "$page.new" "$page"
	;;
*) echo "page.sh: compare or update, not $mode" >&2; exit 2 ;;
esac
