#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/verify: each requirement has cases, each case is a test, the sizes are
# those of today.  `tests/verify/docs.sh results` runs the cases and prints the
# table with their results instead.
. tests/lib.sh
docs=docs/verify
rows() { sed -n 's/^| \(TOR-[0-9]*\) | \([^|]*\) | \(.*\) |$/\1|\2|\3/p' $docs/cases.md; }

if [ "$1" = results ]; then
	for script in $(rows | cut -d'|' -f2 | sort -u); do O=$O sh "$script" >"$T/$(basename "$script").tap" 2>/dev/null; done
	echo "| id | script | case | passed | failed |"
	echo "|---|---|---|---|---|"
	rows | while IFS='|' read -r id script name; do
		tap=$T/$(basename "$script").tap
		echo "| $id | $script | $name | $(grep '^ok' "$tap" | grep -v '# SKIP' | grep -cF -- "$name") | $(grep '^not ok' "$tap" | grep -cF -- "$name") |"
	done
	exit 0
fi

sed -n 's/^| \(TOR-[0-9]*\) | .*/\1/p' $docs/requirements.md >"$T/ids"
if [ -s "$T/ids" ] && [ -z "$(sort "$T/ids" | uniq -d)" ]; then ok "requirements are numbered once"
else not_ok "requirements are numbered once" "$(sort "$T/ids" | uniq -d)"; fi
for id in $(cat "$T/ids"); do
	if rows | grep -q "^$id|"; then ok "$id has a case"; else not_ok "$id has a case" "none in $docs/cases.md"; fi
done
rows >"$T/rows"
while IFS='|' read -r id script name; do
	grep -qx "$id" "$T/ids" || not_ok "$id of cases.md is a requirement"
	if [ -x "$script" ] && grep -qF -- "${name#equal: }" "$script"; then ok "$id: $name"; else not_ok "$id: $name" "no such test in $script"; fi
done <"$T/rows"

# Lines with code: neither blank nor comment alone.
code() { cat "$@" | grep -cvE '^[[:space:]]*(/?\*|//|$)'; }
for tool in verify check source; do
	case $tool in verify) program=perseus-verify ;; check) program=perseus-plan-check ;; *) program=perseus-source-check ;; esac
	nm "$O/bin/$program" | awk '$2 == "T" { print $3 }' >"$T/in"
	files=
	for f in verify/*.c verify/*/*.c verify/arch/*/*.c verify/*/arch/*/*.c; do
		case $f in verify/verify-* | verify/check-* | verify/source-*) [ "${f#verify/$tool-}" != "$f" ] && files="$files $f"; continue ;; esac
		grep -oE '^[a-z][a-z0-9_ ]*[ *]([a-z0-9_]+)\(' "$f" | grep -v '^static' | sed -E 's/.*[ *]([a-z0-9_]+)\($/\1/' >"$T/has"
		grep -qxFf "$T/has" "$T/in" && files="$files $f"
	done
	n=$(code $files)
	said=$(sed -n "s/^| $program | \([0-9]*\) | \([0-9]*\) |.*/\2/p" $docs/size.md)
	if [ -n "$said" ] && [ $((n * 100)) -ge $((said * 90)) ] && [ $((n * 100)) -le $((said * 110)) ]; then ok "size of $program: $n lines with code in $(echo $files | wc -w) files"
	else not_ok "size of $program" "$docs/size.md says '$said', there are $n lines with code in $(echo $files | wc -w) files"; fi
done
finish
