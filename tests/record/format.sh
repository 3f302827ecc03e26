#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-record(5) is the specification of the record file: each row of its
# tables must be true of the headers, no field and no constant may be missing,
# and what it says of the histogram and of checksums must be what happens.
. tests/lib.sh

page=docs/man/perseus-record.5.md
headers="include/perseus/record.h include/perseus/counter.h"

# asserts PAGE: the tables as static assertions.  Fields follow one another
# without a gap up to the size of the struct, so a missing row is noticed.
asserts() {
	printf '#include "perseus/%s"\n' record.h counter.h sums.h abi.h
	awk -F'|' '
	function close_table() {
		if (name != "" && at != bytes)
			printf "_Static_assert(0, \"%s: rows end at byte %d of %d\");\n", name, at, bytes
		name = ""
	}
	match($0, /`struct prs_[a-z_0]+`, [0-9]+ bytes/) {
		close_table()
		split(substr($0, RSTART, RLENGTH), word, /[` ,]+/)
		name = word[3]; bytes = word[4]; at = 0; tables++
		printf "_Static_assert(sizeof(struct %s) == %d, \"%s\");\n", name, bytes, name
	}
	/^# / && $0 !~ /HEADER|ENTRY|BLOCK/ { close_table() }
	name != "" && $2 ~ /^ +[0-9]+ $/ {
		field = $4; gsub(/ /, "", field)
		printf "_Static_assert(offsetof(struct %s, %s) == %d", name, field, $2
		printf " && sizeof(((struct %s *)0)->%s) == %d && %d == %d", name, field, $3, $2, at
		printf ", \"%s.%s\");\n", name, field
		at = $2 + $3; rows++
		next
	}
	$2 ~ /^ +[0-9]+ $/ && $3 ~ /^ PRS_[A-Z_0-9]+ *$/ {
		gsub(/ /, "", $3)
		printf "_Static_assert(%s == %s, \"%s\");\n", $3, $2, $3
		constants++
	}
	END {
		close_table()
		if (tables != 19 || rows < 160 || constants < 70)
			printf "_Static_assert(0, \"%d tables, %d rows, %d constants found\");\n", tables, rows, constants
	}' "$1"
}

# compiles PAGE
compiles() {
	asserts "$1" >"$T/t.c" && gcc -std=gnu11 -Iinclude -fsyntax-only "$T/t.c"
}
does_not_compile() {
	! compiles "$1"
}

# enumerators: of all that goes into a record file
enumerators() {
	# shellcheck disable=SC2086
	sed -n '/^enum /,/}/p' $headers | grep -o 'PRS_[A-Z_0-9]* =' | sed 's/ =//'
}
# all_named PAGE: each is in a table
all_named() {
	bad=
	for name in $(enumerators); do grep -q "^|.*| $name *|" "$1" || bad="$bad $name"; done
	[ -z "$bad" ] || { echo "not in the page:$bad"; return 1; }
}
not_all_named() {
	! all_named "$1"
}

it "every row of the page is true of the headers" compiles $page
sed 's/^|     40 |    8 | tsc_hz /|     44 |    8 | tsc_hz /' $page >"$T/moved.md"
it "a wrong offset is noticed" does_not_compile "$T/moved.md"
sed '/| lost_lines  /d' $page >"$T/gone.md"
it "a missing field is noticed" does_not_compile "$T/gone.md"
sed 's/`struct prs_note`, 32 bytes/`struct prs_note`, 40 bytes/' $page >"$T/size.md"
it "a wrong size is noticed" does_not_compile "$T/size.md"
sed 's/|      0 |    4 | index         /|      0 |    4 | indices       /' $page >"$T/name.md"
it "a name that is no field is noticed" does_not_compile "$T/name.md"
sed 's/|   12 | PRS_CHUNK_WAIT/|   13 | PRS_CHUNK_WAIT/' $page >"$T/value.md"
it "a wrong value of a constant is noticed" does_not_compile "$T/value.md"

it "every enumerator of the headers is in the page" all_named $page
sed '/PRS_EV_BARRIER/d' $page >"$T/kind.md"
it "a missing one is noticed" not_all_named "$T/kind.md"
if [ "$(enumerators | wc -l)" -ge 60 ]; then ok "there are that many"; else not_ok "there are that many" "$(enumerators | wc -l)"; fi

# The histogram: the examples of the page, and its rules at every edge.
# histogram PAGE
histogram() {
	{
		cat <<-'END'
		#include <stdio.h>
		#include "perseus/record.h"
		static int bad;
		static void row(uint64_t ticks, uint32_t bucket, uint64_t low)
		{
			if (prs_hist_index(ticks) != bucket || prs_hist_low(bucket) != low)
				bad = printf("%llu ticks: bucket %u from %llu on\n", (unsigned long long)ticks,
					prs_hist_index(ticks), (unsigned long long)prs_hist_low(prs_hist_index(ticks)));
		}
		static void edges(void)
		{
			for (uint32_t i = 0; i < PRS_HIST_BUCKETS; i++) {
				uint64_t low = prs_hist_low(i), end = prs_hist_low(i + 1);
				if (prs_hist_index(low) != i || (i && prs_hist_index(low - 1) != i - 1))
					bad = printf("bucket %u does not begin at %llu\n", i, (unsigned long long)low);
				if (i && (double)(end - low) / 2 > 0.125 * (double)low)
					bad = printf("bucket %u is too wide\n", i);
			}
			if (prs_hist_index(~0ull) != PRS_HIST_BUCKETS - 1)
				bad = printf("the last bucket does not take the rest\n");
		}
		int main(void)
		{
			int rows = 0;
			edges();
		END
		awk -F'|' '/^# / {here = /^# HISTOGRAM/} here && $2 ~ /^ +[0-9]+ $/ {gsub(/ /, ""); split($0, c, "|"); printf "row(%sull, %s, %sull); rows++;\n", c[2], c[3], c[4]}' "$1"
		echo 'return bad != 0 || rows < 9; }'
	} >"$T/h.c"
	gcc -std=gnu11 -Wall -Iinclude -o "$T/h" "$T/h.c" && "$T/h"
}
not_histogram() {
	! histogram "$1"
}
it "the histogram is as the page says" histogram $page
sed 's/^|       1000 |  19 |/|       1000 |  20 |/' $page >"$T/hist.md"
it "a wrong bucket is noticed" not_histogram "$T/hist.md"

# ranges PAGE: what the START checksum covers, as the macro has it
ranges() {
	grep PRS_SUM_START "$1" | grep -o '[0-9]*\.\.[0-9]*' | awk -F'[.][.]' '{printf "{%d,%d},", $1, $2 + 1}'
}
macro_ranges() {
	sed -n '/define PRS_SUM_START_RANGES/,/}$/p' include/perseus/record.h | tr -d ' \t\n\\' | sed 's/.*RANGES{//; s/}$/,/'
}
same_ranges() {
	[ -n "$(ranges "$1")" ] && [ "$(ranges "$1")" = "$(macro_ranges)" ]
}
it "the START checksum covers what the page says" same_ranges $page

# A sealed file by the letter of the page: its own CRC, its own walk.
# checksums FILE
checksums() {
	python3 - "$1" <<-'END'
	import struct, sys
	data = open(sys.argv[1], "rb").read()
	table = []
	for i in range(256):
	    for _ in range(8):
	        i = i >> 1 ^ (0x82f63b78 if i & 1 else 0)
	    table.append(i)
	def crc(piece):
	    c = 0xffffffff
	    for b in piece:
	        c = table[(c ^ b) & 255] ^ c >> 8
	    return c ^ 0xffffffff
	kind, header_crc, n_chunks = struct.unpack_from("<III", data, 740)
	assert kind == 204, f"checksum kind {kind}"
	assert crc(data[:744] + bytes(4) + data[748:4096]) == header_crc, "header"
	at, seen = 4096, 0
	while at + 4096 <= len(data):
	    magic, kind, each, thread, own, length, used = struct.unpack_from("<IHHIIQQ", data, at)
	    if magic != 0x4b4e4843:
	        at += 4096
	        continue
	    content = used * (each or 1)
	    sum = crc(struct.pack("<Q", at) + data[at:at + 12] + bytes(4) + data[at + 16:at + 32] + data[at + 64:at + 64 + content]) or 1
	    assert sum == own, f"chunk of type {kind} at {at}"
	    if not each:
	        assert not any(data[at + 64 + content:at + length]), f"raw chunk at {at} has more"
	    seen += 1
	    at += length
	assert seen == n_chunks, f"{seen} of {n_chunks} chunks"
	print(f"{seen} chunks are right")
	END
}
if [ -z "$SAN" ]; then
	it "a program builds" gcc -O1 -g -fplugin="$PLUGIN" -pthread -o "$T/work" tests/record/golden/work.c
	it "it is recorded" perseus record -q --limit-mb=4 -o "$T/run" -- "$T/work" threads
	for file in "$T"/run/*.prec; do it "its checksums are right by the letter of the page" checksums "$file"; done
	printf '\001' | dd of="$file" bs=1 seek=100 conv=notrunc 2>/dev/null
	exits 1 "a wrong one is noticed" checksums "$file"
else
	skip "checksums are right by the letter of the page" "the plugin is not built with a sanitizer"
fi
finish
