#!/bin/sh
# SPDX-License-Identifier: MIT
# What a reviewer gets: the golden files, byte for byte; no warning from two
# compilers; no finding of a MISRA checker; nothing half-written.
. tests/lib.sh
golden=$(pwd)/tests/codegen/golden
exits 0 "codegen makes the reviewed example" perseus codegen "$golden/plan.yaml" -o "$T/gen"
says "perseus build --plan=$T/gen/perseus_triggers.plan -- make" "it prints the command of the planned build"
says "gcc .*perseus_triggers.c" "it prints the compile lines"
says "^lines     [0-9]+ of this plan for [0-9]+ settings: [0-9]+ each; with the library [0-9]+ each" "... and what there is to review for each setting"
says "^library   [0-9]+ lines, the same for other plans" "... once for other plans, too"
for f in perseus_support.h perseus_platform_linux.c; do
	says "^          $(sha256sum <"$T/gen/$f" | cut -c1-16)... +$(wc -l <"$T/gen/$f") lines  $f" "... by its hash, $f"
done
for f in perseus_triggers.c perseus_triggers.h perseus_machine.h perseus_status.h perseus_support.h perseus_platform.h perseus_triggers.plan perseus_matrix.csv; do
	sed 's/^ \* tool .*/ * tool      perseus VERSION/' "$T/gen/$f" >"$T/$f"
	[ -z "$GOLDEN" ] || cp "$T/$f" "$golden/$f" # after review: GOLDEN=1 tests/codegen/review.sh
	it "$f is the reviewed one" diff -u "$golden/$f" "$T/$f"
done
exits 0 "codegen again" perseus codegen "$golden/plan.yaml" -o "$T/again"
it "the same plan gives the same bytes" diff -r "$T/gen" "$T/again"
it "no date, host or path is in them" sh -c "! grep -rE '(^|[^a-z])$(hostname)([^a-z]|\$)|$T|20[2-9][0-9]-[0-9][0-9]' '$T/gen'"

strict="-std=c11 -O2 -Wall -Wextra -Wconversion -Wswitch-default -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla -Werror"
for cc in "gcc -fanalyzer" clang; do
	for flags in "" -DPERSEUS_STATIC; do
		for f in perseus_triggers.c perseus_platform_linux.c; do
			if command -v ${cc% *} >/dev/null; then it "$cc $flags has nothing to say about $f" $cc $strict $flags -c -o "$T/x.o" "$T/gen/$f"
			else skip "$cc has nothing to say about $f" "no $cc here"; fi
		done
	done
done
# Plans that need less: what they do not use is not generated, and nothing is left unused.
# Versions of cppcheck behind 2.10 hide what the addon finds: one that does not find this says nothing of other files.
misra=
printf 'static int f(int x)\n{\n\tint y = 0;\n\tswitch (x) {\n\tcase 1:\n\t\ty = 2;\n\t\tbreak;\n\tcase 2:\n\t\ty = 3;\n\t\tbreak;\n\t}\n\treturn y;\n}\n' >"$T/probe.c"
if command -v cppcheck >/dev/null && cppcheck --addon=misra --std=c11 -q "$T/probe.c" 2>&1 | grep -q 'misra-c2012-16.4'; then misra=yes; fi
variant() {
	exits 0 "codegen $1" perseus codegen "$T/$1.yaml" -o "$T/$1"
	for cc in gcc clang; do
		command -v $cc >/dev/null || continue
		for f in perseus_triggers.c perseus_platform_linux.c; do
			it "$cc has nothing to say about $1, $f" $cc $strict -c -o "$T/x.o" "$T/$1/$f"
		done
	done
	[ -n "$misra" ] || return
	cppcheck --addon=misra --suppress=misra-config --std=c11 -q "$T/$1/perseus_triggers.c" 2>"$T/misra"
	cppcheck --addon=misra --suppress=misra-config --std=c11 --inline-suppr -q "$T/$1/perseus_triggers.c" "$T/$1/perseus_platform_linux.c" 2>>"$T/misra"
	it "MISRA C:2012: no finding, $1" sh -c "! grep . '$T/misra'"
}
sed '/^cpu:/d' "$golden/plan.yaml" >"$T/no-cpu.yaml"
sed '/^triggers:/,/^phases:/{/^phases:/!d}' "$golden/plan.yaml" >"$T/no-triggers.yaml"
sed '/^  - index: 1$/,/^phases:/{/^phases:/!d}; /^cpu:/d' "$golden/plan.yaml" >"$T/one-thread.yaml"
sed '/^    core: 7/d' "$T/one-thread.yaml" >"$T/nothing.yaml"
for v in no-cpu no-triggers one-thread; do variant $v; done
exits 1 "a plan that sets nothing" perseus codegen "$T/nothing.yaml" -o "$T/nothing"
says "the plan sets nothing: nothing is generated" "... is said"
it "... and nothing is written" [ ! -e "$T/nothing" ]
# What a reviewer of a plan that only starts threads need not read.
silent "recheck|NOT_IMPLEMENTED|THREAD_[A-Z0-9_]*, the last" "no code that cannot run" "$T/no-triggers/perseus_triggers.c" "$T/no-triggers/perseus_support.h" "$T/no-triggers/perseus_platform.h"
it "who is no thread of the plan comes by the default" sh -c "sed -n '/^static void perseus_place/,/^}/p' '$T/no-triggers/perseus_triggers.c' | grep -A1 'default: /. no thread of the plan' | grep -q not_entered"
# The library is of no plan: another program, other threads, cores and names of the same needs.
sed 's/^program: .*/program: "other"/; s/^n_cores: .*/n_cores: 4/; s/core: 7/core: 5/; s/^cpu: .*/cpu: "Another CPU"/; s/name: "logger"/name: "writer"/; s/khz: 1587000/khz: 1200000/' \
	"$golden/plan.yaml" >"$T/other.yaml"
exits 0 "codegen of another plan with the same needs" perseus codegen "$T/other.yaml" -o "$T/other"
for f in perseus_status.h perseus_support.h perseus_platform.h perseus_platform_linux.c; do
	it "it has the same library: $f" cmp "$T/gen/$f" "$T/other/$f"
done
it "the twin: its own files are others" sh -c "! cmp -s '$T/gen/perseus_machine.h' '$T/other/perseus_machine.h' && ! cmp -s '$T/gen/perseus_triggers.c' '$T/other/perseus_triggers.c'"
mixed() { rm -rf "$T/mixed" && cp -r "$T/gen" "$T/mixed" && cp "$T/no-triggers/$1" "$T/mixed" && gcc -std=c11 -c -o "$T/x.o" "$T/mixed/$2"; }
refused() { ! mixed "$1" "$2" 2>"$T/out" && grep -q 'has other parts than the plan needs' "$T/out"; }
it "support with other parts does not compile" refused perseus_support.h perseus_triggers.c
it "nor does a platform file" refused perseus_platform_linux.c perseus_platform_linux.c
it "nor does a plan's machine for another platform file" refused perseus_machine.h perseus_platform_linux.c
it "a trigger starts nothing" sh -c "! sed -n '/^void perseus_trigger_/,/^}/p' '$T/gen/perseus_triggers.c' | grep -E 'start|creator'"

# The other back ends: the triggers are the same, their platform files are small.
for b in posix stub; do
	perseus codegen "$golden/plan.yaml" -o "$T/$b" --backend=$b >/dev/null
	for cc in gcc clang; do
		command -v $cc >/dev/null && it "$cc has nothing to say about $b" $cc $strict -c -o "$T/x.o" "$T/$b/perseus_platform_$b.c"
	done
	command -v cppcheck >/dev/null || continue
	cppcheck --addon=misra --suppress=misra-config --std=c11 --inline-suppr -q "$T/$b/perseus_triggers.c" "$T/$b/perseus_platform_$b.c" 2>"$T/misra"
	it "MISRA C:2012: no finding beyond the deviations, $b" sh -c "! grep . '$T/misra'"
done

it "the header serves C++" sh -c "echo '#include \"perseus_triggers.h\"' | g++ -x c++ -Wall -Werror -I'$T/gen' -fsyntax-only -"

# The platform file has recorded deviations, each suppressed where it stands; the triggers need none.
if [ -n "$misra" ]; then
	cppcheck --addon=misra --suppress=misra-config --std=c11 -q "$T/gen/perseus_triggers.c" 2>"$T/misra"
	it "MISRA C:2012: no finding in the triggers" sh -c "! grep . '$T/misra'"
	cppcheck --addon=misra --suppress=misra-config --std=c11 --inline-suppr -q "$T/gen/perseus_triggers.c" "$T/gen/perseus_platform_linux.c" 2>"$T/misra"
	it "MISRA C:2012: no finding beyond the deviations in the whole" sh -c "! grep . '$T/misra'"
	sed 's/default: \/\* other threads/case 77u: \/* other threads/' "$T/gen/perseus_triggers.c" >"$T/gen/bad.c"
	cppcheck --addon=misra --suppress=misra-config --std=c11 -q "$T/gen/bad.c" 2>"$T/misra"
	says "misra-c2012-16.4" "the twin: a switch without default is found" "$T/misra"
	rm "$T/gen/bad.c"
else
	skip "MISRA C:2012: no finding" "no cppcheck here"
fi
it "every trigger and thread of the plan is in the matrix" sh -c "[ \$(grep -c '^threads\[' '$T/gen/perseus_matrix.csv') = 4 ] && [ \$(grep -c '^triggers\[' '$T/gen/perseus_matrix.csv') = 6 ]"
lines_agree() {
	awk -F, '$1 ~ /^triggers/ && $4 ~ /^perseus_trigger/ { print $5 }' "$T/gen/perseus_matrix.csv" | while read -r n; do
		sed -n "${n}p" "$T/gen/perseus_triggers.c" | grep -q 'if (' || return 1
	done
}
it "the matrix names the lines where the triggers stand" lines_agree
code() { sed '/^[[:blank:]]*\/\*@/,/\*\//d' "$1"; } # without the contracts
code "$T/gen/perseus_triggers.c" >"$T/code.c"
it "no function of the triggers is without bound" sh -c "! grep -nE 'while|goto|malloc|double|float|&&|\|\|' '$T/code.c'"

mkdir "$T/full" "$T/gen2"
echo old >"$T/gen2/perseus_triggers.c"
sed 's/core: 7/core: 9/' "$golden/plan.yaml" >"$T/bad.yaml"
exits 4 "a plan with an unknown core" perseus codegen "$T/bad.yaml" -o "$T/gen2"
says "unknown core 9" "the core is named"
it "what was there before stays" grep -qx old "$T/gen2/perseus_triggers.c"
exits 4 "a missing plan" perseus codegen "$T/none.yaml" -o "$T/gen2"
exits 3 "a directory that cannot be made" perseus codegen "$golden/plan.yaml" -o /proc/perseus
exits 2 "two plans" perseus codegen "$golden/plan.yaml" "$golden/plan.yaml" -o "$T/gen2"
exits 2 "an unknown backend" perseus codegen "$golden/plan.yaml" -o "$T/gen2" --backend=os9
finish
