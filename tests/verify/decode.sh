#!/bin/sh
# SPDX-License-Identifier: MIT
# The instruction decoder of perseus-verify against objdump: the same
# boundaries in a large program, and unknown bytes never read outside.
. tests/lib.sh
command -v objdump >/dev/null || { skip "decoder against objdump" "binutils are missing"; finish; }
it "builds the decoder alone" gcc -std=gnu11 -O2 -I. -Iinclude -o "$T/decode" tests/verify/programs/decode.c verify/arch/x86_64/insn.c verify/arch/x86_64/reloc.c verify/elf/image.c verify/base/input.c
# Bytes that are data inside code make both lists disagree for a few lines; compilers put none there.
for file in "$(command -v objdump)" "$O/bin/perseus" "$(gcc -print-file-name=libstdc++.so)"; do
	"$T/decode" "$file" >"$T/ours" && objdump -dw --no-show-raw-insn "$file" |
		awk -F: '/^ +[0-9a-f]+:\t/ { gsub(/ /, "", $1); print $1 }' >"$T/theirs"
	n=$(wc -l <"$T/theirs")
	if [ "$n" -gt 10000 ] && cmp -s "$T/ours" "$T/theirs"; then ok "the boundaries of $n instructions of ${file##*/}"
	else not_ok "the boundaries of $n instructions of ${file##*/}" "$(diff "$T/ours" "$T/theirs" | head -5)"; fi
done
finish
