#!/bin/sh
# SPDX-License-Identifier: MIT
# check-runtime.sh SHARED OBJECT...: the runtime may call only what
# tests/runtime.allow lists (one symbol a line, its reason behind #), uses no
# vector or x87 register, and keeps its text within 64 kB.
shared=$1
shift
bad=0
allow=$(sed 's/[[:space:]]*#.*//; /^$/d' tests/runtime.allow)
defined=$(nm --defined-only "$@" | awk 'NF == 3 {print $3}' | sort -u)
for sym in $(nm -u "$@" | awk '$1 == "U" || $1 == "w" {print $2}' | sort -u); do
	echo "$defined" | grep -qx -- "$sym" && continue
	echo "$allow" | grep -qx -- "$sym" || { echo "runtime may not call $sym (tests/runtime.allow)"; bad=1; }
done
hits=$(objdump -d --no-show-raw-insn "$@" | grep -E '%[xyz]mm[0-9]|[[:space:]]f(ld|st|add|mul|div)[a-z]*[[:space:]]' | head -5)
[ -z "$hits" ] || { echo "vector or floating-point register in the runtime:"; echo "$hits"; bad=1; }
text=$(size -A "$shared" | awk '$1 == ".text" {print $2}')
[ "${text:-0}" -le 65536 ] || { echo "runtime text is $text bytes, at most 65536"; bad=1; }
exit $bad
