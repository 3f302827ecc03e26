#!/bin/sh
# SPDX-License-Identifier: MIT
# README.md and docs/tutorial.md: their commands run in a fresh directory, one behind the other, and
# print what the page shows.  Twins: a page with another output, or with another command, differs.
. tests/lib.sh
top=$PWD
runner=$top/tests/docs/run.py
export TMPDIR="$T"
ln -s "$top" "$T/perseus"

# walk PAGE LOG: in a directory of its own; ~/perseus is the tree
walk() {
	rm -rf "$T/here" && mkdir "$T/here"
	(cd "$T/here" && HOME=$T python3 "$runner" "$1") >"$2" 2>&1
}

# as_shown PAGE LEAST: the page's commands, LEAST or more, print what it shows
as_shown() {
	# Threads that never ran side by side have no conflict: that is for the machine to say.
	for try in 1 2 3; do
		walk "$top/$1" "$T/log" && break
		grep -q '^busy$' "$T/log" || break
	done
	wrong=$(grep '^differs: ' "$T/log")
	if [ -n "$wrong" ] && grep -q '^busy$' "$T/log"; then
		skip "$1 is as the tool is" "machine busy: two threads did not run side by side"
	elif [ -n "$wrong" ] || ! grep -q '^[0-9]* commands, ' "$T/log"; then
		not_ok "$1 is as the tool is" "$wrong
$(tail -n 60 "$T/log")"
	else
		ok "$1 is as the tool is"
		it "its commands are many" sh -c '[ "$(sed -n "s/^\([0-9]*\) commands, .*/\1/p" "$1")" -ge "$2" ]' sh "$T/log" "$2"
	fi
}
as_shown README.md 6
as_shown docs/tutorial.md 15

# The twins: short pages, of which the first is right.
page() { printf '```\n$ %s\n%s\n```\n' "$1" "$2" >"$T/page.md"; }
page 'perseus --version' 'perseus 9.8.7'
it "another number is the same form" walk "$T/page.md" "$T/log"
page 'perseus --version' 'perseus, version 9.8.7'
exits 1 "a line that is not printed is noticed" walk "$T/page.md" "$T/log"
says '^differs: perseus --version: perseus, version 9\.8\.7$' "and named" "$T/log"
page 'perseus --no-such-option; echo' ''
it "an empty line asks for nothing" walk "$T/page.md" "$T/log"
page 'perseus record --no-such-option' ''
exits 1 "a command that is wrong by now is noticed" walk "$T/page.md" "$T/log"
says '^differs: perseus record --no-such-option: status 2$' "and named" "$T/log"
printf 'perseus doctor\n' >"$T/page.md"
exits 1 "so is a page without commands" walk "$T/page.md" "$T/log"
finish
