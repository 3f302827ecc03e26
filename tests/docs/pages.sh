#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages for users: links lead somewhere, commands and options exist, what is quoted from the
# sources stands there, and what is said of other tools has its source.  Each has its twin.
. tests/lib.sh
pages="README.md CHANGELOG.md docs/tutorial.md docs/commands.md docs/which.md docs/troubleshooting.md docs/stability.md"
folders="cmd record recorder report analyzer planner codegen verify lib daemon platform gcc-plugin"

# links PAGE: every file that it links to is there; lines have at most 100 columns but in tables, code and addresses
links() {
	grep -oE '\]\([^)#:[:space:]]+\)' "$1" | sed 's/^..//; s/.$//' | while read -r link; do
		[ -e "$(dirname "$1")/$link" ] || echo "there is no $link"
	done
	awk '/^```/ { code = !code } !code && !/^(\||    |!\[)/ && !/<https/ && length($0) > 100 { print "line " FNR " is too long" }' "$1"
}
# commands PAGE: the verbs and options behind `perseus VERB` in code are promised ones (docs/stable.txt)
commands() {
	grep -oE '(`|^    |^\$ )perseus [a-z][^`|;&>]*' "$1" | sed -E 's/^(`|    |\$ )perseus //; s/ -- .*//; s/ +# .*//' | sort -u | while read -r line; do
		# shellcheck disable=SC2086
		set -- $line
		verb=$1
		case $verb in help | flags) continue ;; esac
		grep -qx "verb $verb" docs/stable.txt || { echo "there is no verb $verb"; continue; }
		for word; do
			case $word in
			--*) grep -qE -- "^option $verb( [a-z]+)? ${word%%=*}(\$|=|\[)" docs/stable.txt || echo "perseus $verb has no ${word%%=*}" ;;
			esac
		done
	done
}
# sourced PAGE: each number in brackets is one of the sources below, and each source is used
sourced() {
	sed '/^## Sources/,$d' "$1" | grep -oE '\[[0-9]+\]' | tr -d '[]' | sort -u >"$T/used"
	sed -n '/^## Sources/,$s/^\([0-9]*\)\. .*/\1/p' "$1" | sort -u >"$T/given"
	[ -s "$T/used" ] || echo "no sources"
	comm -3 "$T/used" "$T/given" | tr -d '\t' | sed 's/^/source without use, or use without source: /'
}
# none CHECK PAGE: it finds nothing wrong
none() { wrong=$($1 "$2"); [ -z "$wrong" ] || { echo "$wrong"; return 1; }; }

for page in $pages; do
	it "$page: links and lines" none links $page
	it "$page: verbs and options exist" none commands $page
done
it "what is said of others has its source" none sourced docs/which.md
it "each row about others has a cell for each of them" \
	awk -F'|' '/^\| \| Perseus/ { n = NF } n && /^\|/ && NF != n { exit bad = 1 } n && /^\|/ { rows++ } END { exit bad || rows < 9 }' docs/which.md
# shellcheck disable=SC2086
exits 0 "each message that is explained stands in the sources" python3 tests/docs/messages.py docs/troubleshooting.md $folders
says '^(2[0-9]|[3-9][0-9]) messages, ' "of which there are many"
says '[0-9]{4,} texts' "and the sources have been read"

# The twins.
sed 's/was not found in PATH/was not found in the PATH/' docs/troubleshooting.md >"$T/page.md"
# shellcheck disable=SC2086
exits 1 "a message that no source has is noticed" python3 tests/docs/messages.py "$T/page.md" $folders
says 'not in the sources: was not found in the PATH' "and named"
printf 'See [this](nowhere.md), or `perseus repot`, or `perseus report --cals=3`.\n' >"$T/page.md"
links "$T/page.md" >"$T/out"
says 'there is no nowhere.md' "a link to nowhere is noticed"
commands "$T/page.md" >"$T/out"
says 'there is no verb repot' "so is a verb that does not exist"
says 'perseus report has no --cals' "and an option"
sed '/^8\. /d' docs/which.md >"$T/page.md"
it "and a statement whose source is missing" sh -c '[ -n "$1" ]' sh "$(sourced "$T/page.md")"
finish
