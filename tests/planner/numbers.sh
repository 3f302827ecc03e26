#!/bin/sh
# SPDX-License-Identifier: MIT
# Numbers of triggers: the same however the plan was searched, and one more
# trigger changes neither those of the others nor the text that stands for them.
. tests/lib.sh
model=tests/verify/moves-model.yaml
platform=tests/verify/moves-platform.yaml
plan() { # OUT OPTIONS...
	p_out=$1
	shift
	perseus plan "$model" -p "$platform" --objective=energy -o "$T/$p_out.yaml" "$@"
}
numbers() { sed -n 's/^  - number: //p' "$T/$1.yaml"; }

exits 0 "a plan with call triggers is made" plan one --threads=1
it "it has several" test "$(grep -c '^    at: call$' "$T/one.yaml")" -ge 3
it "the numbers ascend" sh -c 'sort -n -u | cmp - "$1"' - "$T/n" <<-EOF
	$(numbers one | tee "$T/n")
EOF
for threads in 2 3 7; do
	plan "t$threads" --threads=$threads >"$T/out" 2>&1
	it "$threads threads give the same bytes" cmp "$T/one.yaml" "$T/t$threads.yaml"
done
for method in genetic exact; do
	plan g1 --method=$method --seed 5 --threads=1 >"$T/out" 2>&1
	plan g4 --method=$method --seed 5 --threads=4 >"$T/out" 2>&1
	it "by --method=$method, too" cmp "$T/g1.yaml" "$T/g4.yaml"
done

# The model with the threads' calls at other lines: lines are no part of a number.
sed 's/line: 2$/line: 200/' "$model" >"$T/moved-model.yaml"
model=$T/moved-model.yaml plan moved >"$T/out" 2>&1
numbers one >"$T/n"
numbers moved >"$T/n2"
it "moved sources change no number" cmp "$T/n" "$T/n2"
sed 's/id: "0000000000001002"/id: "0000000000001003"/' "$model" >"$T/other-model.yaml"
model=$T/other-model.yaml plan other >"$T/out" 2>&1
numbers other >"$T/n2"
it "twin: another call does" sh -c '! cmp -s "$1" "$2"' - "$T/n" "$T/n2"

# Without one of its triggers, as if that were not needed; the lowest one of a call's gives its function the name.
without() { awk -v n="$1" '/^  - number: / { skip = $3 == n } /^[a-z]/ { skip = 0 } !skip' "$T/one.yaml" >"$T/less.yaml"; }
# Places in the plan and lines of the file move behind a trigger that is gone; its name and words may not.
row_of() { grep "^triggers\[[0-9]*\],trigger,$1," "$T/$2/perseus_matrix.csv" | sed 's/^[^,]*,//; s/,[0-9]*,THREAD/,LINE,THREAD/'; }
changes() { diff -U0 "$T/fewer/$1" "$T/gen/$1" | grep '^[-+][^-+]'; }

exits 0 "the plan is generated" perseus codegen "$T/one.yaml" -o "$T/gen"
for gone in $(grep -A1 '^  - number: ' "$T/one.yaml" | awk '$2 == "number:" { n = $3 } $1 == "at:" && $2 == "call" && k++ { print n }'); do
	one=$(printf '%04d' "$gone")
	without "$gone"
	exits 0 "without trigger $one it is generated, too" perseus codegen "$T/less.yaml" -o "$T/fewer"
	for n in $(numbers less); do
		name=$(printf '%04d' "$n")
		row_of "$name" gen >"$T/a"
		row_of "$name" fewer >"$T/b"
		it "... with trigger $name in the matrix" sh -c '[ -s "$1" ] && cmp "$1" "$2"' - "$T/a" "$T/b"
	done
	it "... with the same calls in the plan file" sh -c 'grep "^call " "$1" >"$3" && grep "^call " "$2" | cmp - "$3"' - \
		"$T/gen/perseus_triggers.plan" "$T/fewer/perseus_triggers.plan" "$T/a"
	changes perseus_triggers.c >"$T/diff"
	# The hash of the plan, counts of triggers, and the new trigger's own lines.
	echo "# $(wc -l <"$T/diff") of $(wc -l <"$T/gen/perseus_triggers.c") lines of perseus_triggers.c differ"
	it "... and nearly the same text" test "$(wc -l <"$T/diff")" -le 30
	it "... that names no other trigger" sh -c '! grep -E "trigger_?[ _][0-9]{4}" "$1" | grep -v "$2"' - "$T/diff" "$one"
	it "twin: the trigger's own lines are among them" grep -Eq "^\+.*trigger $one" "$T/diff"
done
finish
