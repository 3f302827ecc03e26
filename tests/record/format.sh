#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-record(5) is the specification of the record file: each row of its
# tables must be true of include/perseus/record.h, and no field may be missing.
. tests/lib.sh

page=docs/man/perseus-record.5.md

# asserts PAGE: the tables as static assertions.  Fields follow one another
# without a gap up to the size of the struct, so a missing row is noticed.
asserts() {
	echo '#include "perseus/record.h"'
	awk -F'|' '
	function close_table() {
		if (name != "" && at != bytes)
			printf "_Static_assert(0, \"%s: rows end at byte %d of %d\");\n", name, at, bytes
		name = ""
	}
	match($0, /`struct prs_[a-z_]+`, [0-9]+ bytes/) {
		close_table()
		split(substr($0, RSTART, RLENGTH), word, /[` ,]+/)
		name = word[3]; bytes = word[4]; at = 0; tables++
		printf "_Static_assert(sizeof(struct %s) == %d, \"%s\");\n", name, bytes, name
	}
	/^# / && $0 !~ /HEADER|ENTRY/ { close_table() }
	name != "" && $2 ~ /^ +[0-9]+ $/ {
		field = $4; gsub(/ /, "", field)
		printf "_Static_assert(offsetof(struct %s, %s) == %d", name, field, $2
		printf " && sizeof(((struct %s *)0)->%s) == %d && %d == %d", name, field, $3, $2, at
		printf ", \"%s.%s\");\n", name, field
		at = $2 + $3; rows++
	}
	END {
		close_table()
		if (tables != 10 || rows < 100)
			printf "_Static_assert(0, \"%d tables and %d rows found\");\n", tables, rows
	}' "$1"
}

# compiles PAGE
compiles() {
	asserts "$1" >"$T/t.c" && gcc -std=gnu11 -Iinclude -fsyntax-only "$T/t.c"
}
does_not_compile() {
	! compiles "$1"
}

it "every row of the page is true of the header" compiles $page
sed 's/^|     40 |    8 | tsc_hz /|     44 |    8 | tsc_hz /' $page >"$T/moved.md"
it "a wrong offset is noticed" does_not_compile "$T/moved.md"
sed '/| lost_lines  /d' $page >"$T/gone.md"
it "a missing field is noticed" does_not_compile "$T/gone.md"
sed 's/`struct prs_note`, 32 bytes/`struct prs_note`, 40 bytes/' $page >"$T/size.md"
it "a wrong size is noticed" does_not_compile "$T/size.md"
sed 's/|      0 |    4 | index         /|      0 |    4 | indices       /' $page >"$T/name.md"
it "a name that is no field is noticed" does_not_compile "$T/name.md"
finish
