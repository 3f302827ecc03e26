#!/bin/sh
# SPDX-License-Identifier: MIT
# check-print.sh FILE...: only cmd/base/print.c prints what a user sees, without what would rule the terminal.
awk '
FNR == 1 { comment = 0 }
{
	line = $0
	gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
	if (comment) {
		if (!sub(/^.*\*\//, "", line))
			next
		comment = 0
	}
	gsub(/\/\*[^*]*\*+([^\/*][^*]*\*+)*\//, "", line)
	comment = sub(/\/\*.*/, "", line)
	gsub(/format\(printf/, "", line)
	if (match(line, /(^|[^A-Za-z0-9_])(v?f?printf|f?puts|f?putc|putchar|fwrite|perror|psignal)(_unlocked)?[ \t]*\(/)) {
		print FILENAME ":" FNR ": cmd_print(), cmd_say() and cmd_put() print what users see (cmd/base/cmd.h)"
		bad = 1
	}
}
END { exit bad }' "$@"
