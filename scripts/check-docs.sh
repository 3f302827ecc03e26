#!/bin/sh
# SPDX-License-Identifier: MIT
# check-docs.sh: docs/design.md has at most 300 lines of 100 columns, the README.md of a
# folder at most 120 lines, and the files and functions that they name exist.
bad=0
say() { echo "$1"; bad=1; }
tree='. ( -path ./build* -o -name .git ) -prune -o -type f'
# shellcheck disable=SC2086
files=$(find $tree -print | sed 's,^\./,,')
names=$(printf '%s\n' "$files" | grep -E '\.(c|h|in|js|py|sh)$' | xargs cat | grep -oE '\b[A-Za-z_][A-Za-z_0-9]*\(' | sort -u)
for f in docs/design.md $(printf '%s\n' "$files" | grep 'README\.md$'); do
	most=120
	[ $f != docs/design.md ] || most=300
	n=$(wc -l <$f)
	[ "$n" -le $most ] || say "$f has $n lines, at most $most are allowed"
	at=$(awk 'length($0) > 100 && !/^\|/ { print FNR; exit }' $f)
	[ $f != docs/design.md ] || [ -z "$at" ] || say "$f:$at has more than 100 columns"
	for link in $(grep -oE '\]\([^)#:[:space:]]+\)' $f | sed 's/^..//; s/.$//'); do
		[ -e "$(dirname $f)/$link" ] || say "$f: there is no $link"
	done
	for path in $(grep -oE '`[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+\.(c|h|sh|py|md)`' $f | tr -d '`' | sort -u); do
		[ -e "$path" ] || [ -e "$(dirname $f)/$path" ] || printf '%s\n' "$files" | grep -q "/$path$" || say "$f: there is no $path"
	done
	for name in $(grep -oE '`[a-z_0-9]+\(\)`' $f | tr -d '`)' | sort -u); do
		printf '%s\n' "$names" | grep -qxF -- "$name" || say "$f: there is no $name)"
	done
done
exit $bad
