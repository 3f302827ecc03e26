#!/bin/sh
# SPDX-License-Identifier: MIT
# check-arch.sh FOLDER...: nothing of one processor in the C of the folders, outside of those
# called arch: neither names of its registers, instructions and relocations, nor code by its
# bytes.  Comments may say of what a line is a case.
find "$@" -name '*.[ch]' ! -path '*/arch/*' -exec awk '
	FNR == 1 { inside = 0 }
	{
		text = $0
		# Comments of one line, then those of several.
		gsub(/\/\*([^*]|\*+[^*\/])*\*\//, "", text)
		if (inside && !sub(/^.*\*\//, "", text)) next
		inside = sub(/\/\*.*$/, "", text)
		sub(/\/\/.*$/, "", text)
	}
	text ~ /R_(X86_64|AARCH64)|EM_(X86|AARCH)|[xX]86|[aA][mM][dD]64|[aA][aA][rR][cC][hH]64|rdtsc|cpuid|__builtin_ia32|_mm_[a-z]*\(|%%?[re](ax|bx|cx|dx|si|di|sp|bp|ip)|%%?[fg]s:|\\x[0-9a-f][0-9a-f]\\x[0-9a-f][0-9a-f]/ ||
	text ~ /arch\/[a-z0-9]+_?[0-9]*\// { print FILENAME ":" FNR ": belongs to a processor, and so into a folder arch: " $0; bad = 1 }
	END { exit bad }' {} +
