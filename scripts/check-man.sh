#!/bin/sh
# SPDX-License-Identifier: MIT
# check-man.sh PERSEUS: every verb has a page, every page a verb; every option that
# `perseus VERB --help` shows stands in the page, its usage lines and the page's synopsis
# name the same options, and both say what the exit status means.
perseus=$1
bad=0
say() { echo "$*"; bad=1; }
# options_of: the options that the text on stdin names
options_of() { grep -oE -- '(^|[^A-Za-z0-9-])--?[a-z][a-z-]*' | sed 's/^[^-]*//' | grep -E '^--|^-[a-z]$' | sort -u; }
verbs=$(sed -n 's/^[[:space:]]*X(\([a-z]*\)).*/\1/p' cmd/verbs.h)
for verb in $verbs; do
	page=docs/man/perseus-$verb.1.scd
	[ -f "$page" ] || { say "$page is missing"; continue; }
	help=$("$perseus" "$verb" --help)
	for opt in $(echo "$help" | grep -o -E -- '--[a-z][a-z-]+' | sort -u); do
		grep -q -F -- "$opt" "$page" || say "$page does not mention $opt"
	done
	synopsis=$(sed -n '/^# SYNOPSIS/,/^# [^S]/p' "$page" | tr -d '*_' | grep -v '^perseus-' | options_of)
	for opt in $(echo "$help" | awk '/^$/ { exit } 1' | options_of); do
		echo "$synopsis" | grep -qx -e "$opt" || say "$page: the synopsis lacks $opt of the help's usage"
	done
	for opt in $synopsis; do
		echo "$help" | options_of | grep -qx -e "$opt" || say "$page: the synopsis has $opt, which the help does not know"
	done
	echo "$help" | grep -qi 'exit status' || say "perseus $verb --help does not say what the exit status means"
	for section in 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
		grep -q "^# $section" "$page" || say "$page has no section $section"
	done
done
for page in docs/man/perseus-*.1.scd; do
	verb=${page#docs/man/perseus-}
	verb=${verb%.1.scd}
	echo "$verbs" | grep -qx "$verb" || say "$page: no such verb"
done
exit $bad
