#!/bin/sh
# SPDX-License-Identifier: MIT
# Each row of docs/threats.md names a test that there is, that ran and passed.
# Where a test has run since Perseus was built and the test was written, or is
# running beside, its results are read; else it is run.
. tests/lib.sh
page=${PAGE:-docs/threats.md}

# rows: ID, FILE and TEXT of each, separated by tabs
rows() { sed -n 's/^| \([A-Z][0-9][0-9]*\) |.* | `\(tests\/[^`]*\)`: \(.*\) |$/\1\t\2\t\3/p' "$page"; }
rows >"$T/rows"
# Every line of a table but heads and rules is a row.
[ "$(grep -c '^| [A-Z][0-9]' "$page")" = "$(wc -l <"$T/rows")" ] && ok "each row names a test" ||
	not_ok "each row names a test" "$(grep '^| [A-Z][0-9]' "$page" | grep -v '`tests/[^`]*`: ')"
[ "$(wc -l <"$T/rows")" -ge 40 ] && ok "the table has rows" || not_ok "the table has rows" "$(wc -l <"$T/rows")"
[ "$(cut -f1 "$T/rows" | sort | uniq -d)" = "" ] && ok "no two of one number" || not_ok "no two of one number" "$(cut -f1 "$T/rows" | sort | uniq -d)"

last_built=$(ls -td "$O"/bin/* "$O"/lib/* | head -n 1)
# earlier NAME FILE: the log of a run of FILE that is newer than what it tests
earlier() { find "$O/test-logs" -name "$1.log.sum" -newer "$last_built" -newer "$2" 2>/dev/null | xargs -r ls -t | sed -n '1s/\.sum$//p'; }

# result FILE: its TAP, in $T/results/
result() {
	case $1 in
	*.c) built=$O/${1%.c} ;;
	*) built=$1 ;;
	esac
	name=$(echo "$built" | sed "s,^$O/,,; s,/,.,g")
	to=$T/results/$(echo "$1" | tr / .)
	if [ -e "$TEST_LOGS/$name.log" ]; then
		for _ in $(seq 3000); do [ -e "$TEST_LOGS/$name.log.sum" ] && break; sleep 0.1; done
		cp "$TEST_LOGS/$name.log" "$to"
	elif log=$(earlier "$name" "$1") && [ -n "$log" ]; then
		cp "$log" "$to"
	elif [ -x "$built" ]; then
		"$built" >"$to" 2>&1 </dev/null
	fi
}
mkdir "$T/results"
for file in $(cut -f2 "$T/rows" | sort -u); do result "$file"; done

# none_ran RESULTS: the reason, if all of them were skipped
none_ran() { grep -Eq '^(not )?ok ' "$1" 2>/dev/null && ! grep -E '^(not )?ok ' "$1" | grep -vq '# SKIP' && grep -m 1 '# SKIP' "$1"; }

# judge ID FILE TEXT: a line of the results begins its text with TEXT, or ends with it
judge() {
	lines=$(TEXT=$3 awk '/^[[:space:]]*(not )?ok / { sub(/^[[:space:]]*/, ""); l = $0; sub(/^(not )?ok [0-9]* - /, "", l); t = ENVIRON["TEXT"]
		if (index(l, t) == 1 || (length(l) > length(t) && substr(l, length(l) - length(t) + 1) == t)) print }' \
		"$T/results/$(echo "$2" | tr / .)" 2>/dev/null)
	# A test that cannot run at all says so once.
	[ -n "$lines" ] || lines=$(none_ran "$T/results/$(echo "$2" | tr / .)")
	# To a plain user it may say that of a part.
	[ -n "$lines" ] || [ "$(id -u)" = 0 ] || lines=$(grep -m 1 '# SKIP' "$T/results/$(echo "$2" | tr / .)")
	case $lines in
	'') not_ok "$1: $2: $3" "there is no such result" ;;
	*'not ok'*) not_ok "$1: $2: $3" "$lines" ;;
	*'# SKIP'*) skip "$1" "$(echo "$lines" | sed -n 's/.*# SKIP //p' | head -n 1)" ;;
	*) ok "$1: $2: $3" ;;
	esac
}
tab=$(printf '\t')
while IFS="$tab" read -r id file text; do judge "$id" "$file" "$text"; done <"$T/rows"

# Its twins: a row whose test there is not, or that failed.
tap_before=$tap_bad
mkdir -p "$T/twin"
printf 'ok 1 - this\nnot ok 2 - that\n' >"$T/results/tests.twin"
judge X tests/twin this >"$T/twin/this"
judge X tests/twin that >"$T/twin/that"
judge X tests/twin other >"$T/twin/other"
tap_n=$((tap_n - 3)) tap_bad=$tap_before
says '^ok' "(a test that passed is seen)" "$T/twin/this"
says '^not ok' "(one that failed is seen)" "$T/twin/that"
says '^not ok' "(one that there is not is seen)" "$T/twin/other"
finish
