#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus calibrate --snoops and --show: the benchmark by the software directory, and its table beside the paper's.
. tests/lib.sh
cp yaml/examples/platform.yaml "$T"
cd "$T" || exit 1

# ---- a table of made-up counts
exits 0 "a platform alone" perseus calibrate --show
says '^platform +' "... is shown" out
says 'not measured: perseus calibrate --snoops' "... and what is missing" out
printf 'perseus-snoops 1\n# made up\n32 100000 1 500 2\n128 400000 0 4000 0\n' >platform.yaml.snoops
exits 0 "with counts" perseus calibrate --show
says '^ +32 +100000 +1 +500 +2 +0\.5000 %$' "a line for each size" out
says '^ +128 +400000 +0 +4000 +0 +1\.0000 %$' "... of them" out
says 'at least +250 x +100 to 1,000 x$' "the least ratio beside the paper's" out
says '0\.5000 to 1\.0000 % +0\.04 to 1\.67 %$' "the part of the writes beside the paper's" out
says 'at most +0\.00200 % +0\.0005 %' "that of the others, too" out
printf 'perseus-snoops 1\n32 100000 1 500\n' >platform.yaml.snoops
exits 4 "a line that is torn" perseus calibrate --show
says "platform.yaml.snoops' line 2: expected five numbers" "... is named"
printf 'perseus-snoops 1\n32 0 1 500 2\n' >platform.yaml.snoops
exits 4 "no writes" perseus calibrate --show
echo other >platform.yaml.snoops
exits 4 "another file" perseus calibrate --show
says "does not begin with" "... is told"
exits 4 "no platform" perseus calibrate --show -o none.yaml
exits 2 "a table of a stream" perseus calibrate --snoops -o -

# ---- the benchmark itself: only the threads of `parallel` take lines from each other
if [ -z "$SAN" ]; then
	exits 0 "the benchmark, quickly" perseus calibrate --snoops --quick -o here.yaml
	says "^wrote here.yaml.snoops$" "it is kept" out
	it "only threads on the same arrays take lines" awk '$1 == 32 { n++; bad = $2 != 327680 || $3 != 0 || $4 < 10 || $4 <= 5 * $5 } END { exit n != 1 || bad }' here.yaml.snoops
	mkdir -p bin tmp
	printf '#!/bin/sh\necho no compiler today\nexit 1\n' >bin/gcc
	chmod +x bin/gcc
	exits 3 "without a compiler" env PATH="$T/bin:$PATH" TMPDIR="$T/tmp" perseus calibrate --snoops --quick -o none.yaml
	says "gcc does not compile the benchmark: no compiler today" "... it is said"
	it "... and nothing is left" sh -c '[ -z "$(ls tmp)" ] && [ ! -e none.yaml.snoops ]'
	exits 3 "a place where nothing can be written" perseus calibrate --snoops --quick -o none/here.yaml
else
	skip "the benchmark" "the plugin is not built with a sanitizer"
fi
finish
