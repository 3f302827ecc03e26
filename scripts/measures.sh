#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/measures.sh FOLDER...: for each folder, without those inside it: C files, lines
# with headers, functions (number, median, 90th percentile and most lines), files of more
# than 400 lines.
# scripts/measures.sh --check LIMITS FOLDER...: fails where a folder has more than 12 C files or
# 5,000 lines, or a function more than 60.  A line `FOLDER FILES LINES` of the file LIMITS
# says how far above one is, and may not be exceeded; it must go once it is not needed.
# `FOLDER - -`: a flat table of which each entry has a limit of its own.
max_files=12 max_lines=5000 max_function=60
limits=
[ "$1" != --check ] || { limits=$2; shift 2; }

# Each function of the files: its lines, where, name.
functions() {
	awk 'FNR == 1 { open = 0 }
	/^[A-Za-z_].*\(/ { head = $0 }
	/^{$/ { open = FNR }
	/^}$/ && open { sub(/\(.*/, "", head); sub(/.*[ *]/, "", head); print FNR - open + 1, FILENAME ":" open, head; open = 0 }' "$@"
}

[ -n "$limits" ] || printf '%-16s %4s %7s  %-24s %s\n' folder .c lines 'functions n/med/p90/max' '> 400 lines'
bad=0
for f; do
	set -- "$f"/*.c
	[ -f "$1" ] || continue
	files=$#
	lines=$(cat "$f"/*.[ch] | wc -l)
	if [ -z "$limits" ]; then
		long=$(wc -l "$f"/*.[ch] | awk '$2 != "total" && $1 > 400 { n++ } END { print n + 0 }')
		functions "$@" | sort -n | awk -v f="$f" -v files="$files" -v lines="$lines" -v long="$long" '
			{ n[NR] = $1 }
			END { printf "%-16s %4d %7d  %-24s %d\n", f, files, lines, NR "/" n[int((NR + 1) / 2)] "/" n[int(NR * 0.9 + 0.5)] "/" n[NR], long }'
		continue
	fi
	known=$(sed -n "s,^$f ,,p" "$limits")
	if [ "$known" = "- -" ]; then
		may_files=$files may_lines=$lines
	elif [ -n "$known" ]; then
		[ "$files" -gt $max_files ] || [ "$lines" -gt $max_lines ] || { echo "$limits: $f/ keeps to the limits: take its line out"; bad=1; }
		may_files=${known% *} may_lines=${known#* }
	else
		may_files=$max_files may_lines=$max_lines
	fi
	[ "$files" -le "$may_files" ] || { echo "$f/ has $files C files, at most $may_files are allowed"; bad=1; }
	[ "$lines" -le "$may_lines" ] || { echo "$f/ has $lines lines, at most $may_lines are allowed"; bad=1; }
	functions "$@" | awk -v max=$max_function '$1 > max { print $2 ": " $3 "() has " $1 " lines, at most " max " are allowed"; bad = 1 } END { exit bad }' || bad=1
done
exit $bad
