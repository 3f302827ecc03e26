#!/bin/sh
# SPDX-License-Identifier: MIT
# `make help' has a line for each target that is for people, and for nothing else.
. tests/lib.sh
exits 0 "make help" make -s O="$O" help
sed -n 's/^  make \([a-z0-9-]*\)  *[^ ].*/\1/p' "$T/out" | sort >"$T/shown"
it "each once" sh -c '! uniq -d "$1" | grep .' sh "$T/shown"
it "a line is a name, and what it is for" sh -c '! grep -vE "^  make [a-z0-9-]+ +[^ ].{5,90}\$" "$1"' sh "$T/out"
# Of make's own table: folders become archives, unit-FOLDER runs its tests, bench-TOPIC is told of
# beside bench; the rest are parts of `lint', `check' and `install'.
make -pnq O="$O" help 2>/dev/null | sed -n 's/^\.PHONY: //p' | tr ' ' '\n' | grep '^[a-zA-Z]' | sort -u >"$T/phony"
{
	echo FORCE built check-built unported install-cc1 check-man
	echo check-tests check-size check-names check-docs check-print check-layers check-arch check-headers check-format
	sed -n 's/^FOLDERS *:= //p' Makefile
	sed 's,.*/,,; s/\.sh$/ /; s/^/bench-/' <<-L
	$(ls tests/bench/*.sh)
	L
} | tr ' ' '\n' | sort -u >"$T/parts"
it "make knows them all" sh -c '[ -s "$1/phony" ] && ! comm -23 "$1/shown" "$1/phony" | grep .' sh "$T"
it "what it does not show is a part of something" sh -c '! comm -23 "$1/phony" "$1/shown" | grep -v "^unit-" | grep -vxF -f "$1/parts"' sh "$T"
it "what is a part is not shown" sh -c '! comm -12 "$1/parts" "$1/shown" | grep .' sh "$T"
finish
