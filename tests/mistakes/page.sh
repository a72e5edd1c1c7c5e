#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Whether docs/mistakes.md has in a section what a command prints: page.sh HEADING COMMAND...
# GOLDEN_WRITE=1 writes the section anew instead.
set -euo pipefail

page=$(cd "$(dirname "$0")/../.." && pwd)/docs/mistakes.md
heading="## $1"
shift

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

if [[ -n ${GOLDEN_WRITE:-} ]]; then
	grep -qxF "$heading" "$page" || printf '%s\n' "$heading" >>"$page"
	replaced >"$page.new"
	mv "$page.new" "$page"
fi
diff -u --label "docs/mistakes.md: $heading" <(section) --label "what is said now" "$made"
