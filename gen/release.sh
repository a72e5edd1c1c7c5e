# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# ./dev release, which reads this: how a new release of rdma-core is taken in.

help_release() {
	cat <<-'END'
	usage: ./dev release NN [--tree DIR [--symbols FILE]...]

	Takes in release NN of rdma-core: reads its headers, writes its facts, what is new in it as docs/releases/NN.md,
	and generated/ anew; compiles that against the headers of NN, of the newest release before it and of the oldest,
	and holds the tables against what the compiler says of NN. In the end it says what a person has to decide, in lines
	of lore. All is tried in build/release; nothing is changed here unless all of it succeeds: where a step fails, those
	that can do without it are tried nevertheless, and the end tells of all that failed. A release of which facts are kept
	is read anew, as gen/groups.toml may have more headers; those that it had have to be the same.
	  --tree DIR  headers (a folder that holds infiniband/ and rdma/), or rdma-core's sources: a git repository,
	              of which the tag vNN.0 is read if it has that, or files; else Debian's packages are fetched, or the
	              repository is read that VERBSX_RDMA_CORE_REPOSITORY names
	  --symbols FILE  which library exports what is new, where the tree has headers alone: a .symbols file of Debian's, or
	              a version script, which is called by the library: libibverbs.map, or libibverbs.so.1.map. What older releases
	              export needs no line; other functions that no file has, and no library in lib beside the headers, are taken
	              for internal to rdma-core
	END
}

# The newest release before one that facts are kept of; the oldest.
release_before() {
	local release=$1 path number before=0

	for path in gen/facts/rdma-core-*.json; do
		number=${path//[!0-9]/}
		((number >= release || number <= before)) || before=$number
	done
	((before)) || usage "release $release is older than all that facts are kept of"
	echo "$before"
}

oldest_release() {
	local paths=(gen/facts/rdma-core-*.json)

	printf '%s\n' "${paths[@]//[!0-9]/}" | sort -n | head -n 1
}

# All that the generator and the oracle need, without what they make.
copy_project() {
	mkdir -p "$1"
	tar -c --exclude=./build --exclude=./.git --exclude=./tests/emu . | tar -x -C "$1"
}

# What is new in a release, for people.
write_notes() {
	local before=$1 release=$2 notes=$3

	mkdir -p "$(dirname "$notes")"
	echo '<!-- SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB -->' >"$notes"
	python -m gen diff "$before" "$release" --format markdown >>"$notes" || ((($? & 3) == 0))	# the rest tells what differs
}

# compile_with FOLDER RELEASE=INCLUDE OTHER-RELEASE...: of others the headers that can be had
compile_with() {
	local folder=$1 other fetched trees=("$2")

	for other in "${@:3}"; do
		if fetched=$(python -m gen.reach.releases "$other"); then
			trees+=("$other=${fetched#* }/usr/include")
		else
			echo "release $other: not tried, its headers are not to be had"
		fi
	done
	python -m tests.gen.compiles "$folder" "${trees[@]}"
}

in_project() {
	local project=$1
	shift
	(cd "$project" && "$@")
}

# Put in place what was made elsewhere; a folder is replaced whole.
take_over() {
	local project=$1 path
	shift

	for path; do
		mkdir -p "$(dirname "$path")"
		rm -rf "$path.new"
		cp -r "$project/$path" "$path.new"
	done
	for path; do
		rm -rf "$path"
		mv "$path.new" "$path"
	done
}

# A step that others go on without: what has failed is told at the end.
attempt() {
	local title=$1 log=$2

	! (step "$@") || return 0
	failed+=("$title: $(grep -m 1 -iE 'error|differ|:[0-9]+: ' "$log" || tail -n 1 "$log")"$'\n'"        $log")
	lacks+=("$title")
}

tell_failed() {
	local count=${#failed[@]}

	say "$count $( ((count == 1)) && echo step || echo steps) failed, so nothing is changed here"
	printf '    %s\n' "${failed[@]}" >&2
	[[ -z $1 ]] || echo "    Not tried, as they need it: $1" >&2
}

cmd_release() {
	local release='' tree='' work before path options symbols=() start=$SECONDS
	local project headers facts notes like=() failed=() lacks=() untried=''

	while (($#)); do
		case $1 in
		--tree)
			tree=$(cd "$caller" && realpath -e "${2:-}" 2>/dev/null) || usage "--tree needs a folder that there is"
			[[ -d $tree ]] || usage "--tree needs a folder, and $2 is a file"
			shift 2
			;;
		--symbols)
			path=$(cd "$caller" && realpath -e "${2:-}" 2>/dev/null) || usage "--symbols needs a file that there is"
			[[ -f $path ]] || usage "--symbols needs a file, and $2 is none"
			symbols+=(--symbols "$path")
			shift 2
			;;
		-*) usage "release has no option $1" ;;
		*)
			[[ -z $release ]] || usage "release takes one number, and not $1 as well"
			release=$1
			shift
			;;
		esac
	done
	[[ $release =~ ^[1-9][0-9]{1,2}$ ]] || usage "release needs a number, such as 66"
	need "${to_build[@]}" "${to_generate[@]}" g++ python3-pyelftools
	before=$(release_before "$release") || exit
	work=$PWD/$build/release/$release
	project=$work/project headers=$work/tree/usr/include
	facts=gen/facts/rdma-core-$release.json notes=docs/releases/$release.md
	rm -rf "$work"
	copy_project "$project"
	rm -f "$project/$facts"
	options=(${tree:+--tree "$tree"})
	step "Headers of rdma-core $release" "$work/fetch.log" python -m gen.reach.trees "$release" "$work/tree" "${options[@]}"
	sed 's/^/    from /' "$work/fetch.log" >&2
	for path in "$work"/tree/symbols/*; do
		[[ ! -e $path ]] || symbols+=(--symbols "$path")
	done
	[[ ! -e $facts ]] || like=(--like "$PWD/$facts")
	((${#symbols[@]})) || [[ -e $work/tree/usr/lib ]] ||
		say "Headers alone do not tell what a library exports: functions that are new in $release are taken for internal; --symbols FILE tells"
	step "Facts" "$work/scan.log" in_project "$project" python -m gen scan --headers "$headers" --release "$release" \
		"${symbols[@]}" "${like[@]}" --output "$facts"
	attempt "What is new since $before" "$work/diff.log" in_project "$project" write_notes "$before" "$release" "$notes"
	attempt "Generating" "$work/emit.log" in_project "$project" python -m gen emit --quiet
	attempt "What is to be decided" "$work/report.log" in_project "$project" python -m gen report --headers "$headers" \
		--release "$release" "${symbols[@]}"
	if [[ ${lacks[*]} == *Generating* ]]; then
		untried='Compiling, The tables against DWARF'
	else
		attempt "Compiling, as C and as C++" "$work/compile.log" in_project "$project" compile_with "$work/config" \
			"$release=$headers" "$before" "$(oldest_release)"
		CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) attempt "The tables against DWARF" "$work/oracle.log" in_project "$project" \
			python -m tests.oracle "$release" "$work/oracle" --headers "$headers" --new
	fi
	attempt "Releases that lie between $before and $release" "$work/since.log" in_project "$project" since_of "$before" "$release"
	if ((${#failed[@]})); then
		[[ ${lacks[*]} == *decided* ]] || list_to_decide "$work" "$release" "./dev release $release as now" \
			"$(printf ' %q' --headers "${headers#"$caller/"}" --release "$release" "${symbols[@]}")"
		tell_failed "$untried"
		return 1
	fi
	take_over "$project" "$facts" "$notes" gen/abi generated tests/oracle/coverage.toml
	say "rdma-core $release is taken in, after $((SECONDS - start)) s: $facts, $notes, gen/abi and generated/"
	to_decide "$release" "$work"
}

# Lore has to say more where a release was left out. Whether it does is only known where the headers of that can be had.
since_of() {
	local before=$1 release=$2

	((release > before + 1)) && [[ ${VERBSX_RDMA_CORE_REPOSITORY:-} ]] || return 0
	python -m gen since || (($? <= 2))
}

# list_to_decide WORK RELEASE NEXT [TREE]: what comes once lore has it; how ./dev report is told of a tree that is not taken in
list_to_decide() {
	local work=$1 release=$2 next=$3 tree=${4:-} lines

	lines=$(grep -hvE '[0-9]+ to decide, [0-9]+ noted|names in [0-9]+ releases' "$work/report.log" "$work/since.log" || true)
	if [[ -n $lines ]]; then
		say "To be decided: what lore in gen/lore should say of these, then $next; ./dev report$tree lists it again, with --lore as a file for gen/lore"
		echo "$lines"
		[[ $tree || $lines != *'    gen/groups.toml: '* ]] ||
			say "Headers of no group are listed here alone, as facts are of groups: once gen/groups.toml has their lines, ./dev release $release as now reads them"
		[[ $lines != *': no library exports it, '* ]] ||
			say "What no library exports is not there for programs: if one does export it, ./dev release $release needs that told, by --symbols FILE, and no line of lore"
	else
		say "Nothing is left to be decided"
	fi
}

to_decide() {
	local release=$1 work=$2 by_hand

	list_to_decide "$work" "$release" "./dev regen"
	grep -q "^    $release: Suite" gen/reach/releases.py ||
		say "Tests can have its headers when Debian's suite is in RELEASES of gen/reach/releases.py, or by VERBSX_RDMA_CORE_REPOSITORY"
	[[ ${VERBSX_RDMA_CORE_REPOSITORY:-} ]] ||
		say "Which release since the last one brought what is known with VERBSX_RDMA_CORE_REPOSITORY alone: see ./dev since"
	by_hand=$(python -m tests.gen.by_hand)
	[[ -z $by_hand ]] || say "By hand, as a test asks: what these say of releases and vendors"$'\n'"$by_hand"
	say "Tests ask for what else is written by hand: gen.called and gen.tortured that each new function is called, gen.words what new fields are"
	say "Then read $notes and git diff, and run ./dev abi for new functions, and ./dev test"
}
