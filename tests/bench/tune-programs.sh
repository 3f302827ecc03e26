# SPDX-License-Identifier: MIT
# make bench-tune-programs: the two experiments of section 6 of the 2008 report (examples/tune): what perseus tune
# finds beside the exhaustive best.  The exhaustive search runs all settings in turns, REPEATS times; both answers
# then run in fresh pairs.  Needs a quiet machine for some minutes; ONLY=corun or pipeline.
. tests/bench/lib.sh
load_note
make -s -C examples/tune O="$T" || exit 3
cp examples/tune/*.yaml "$T" && cd "$T" || exit 3

# every NAME REPEATS WORDS...: the median seconds of each setting on stdin (its arguments), the least first
every() {
	python3 - "$@" <<'E2'
import random, statistics, subprocess, sys, time
program, repeats = sys.argv[1], int(sys.argv[2])
settings = [line.split() for line in open('settings')]
seconds = {tuple(s): [] for s in settings}
for _ in range(repeats):
    random.Random(_).shuffle(settings)
    for s in settings:
        begin = time.monotonic()
        subprocess.run([program] + s, stdout=subprocess.DEVNULL, check=True)
        seconds[tuple(s)].append(time.monotonic() - begin)
for s in sorted(seconds, key=lambda s: statistics.median(seconds[s])):
    print('%.6f' % statistics.median(seconds[s]), *s)
E2
}

# experiment NAME REPEATS TRIALS DEFAULT PAPER WORDS...
experiment() {
	[ -z "$ONLY" ] || [ "$ONLY" = "$1" ] || return 0
	name=$1 repeats=$2 trials=$3 default=$4 paper=$5
	shift 5
	every "./$name" "$repeats" >"$name.all" || exit 3
	n=$(wc -l <settings)
	best=$(head -1 "$name.all" | cut -d' ' -f2-)
	perseus tune --space="$name.yaml" --trials="$trials" --confirm=15 --settings="$name.set" -- "./$name" "$@" >"$name.text" 2>&1
	sed 's/^/# /' "$name.text"
	found=$(cut -d= -f2 "$name.set" | tr '\n' ' ')
	search=$(sed -n 's/^search: \([0-9]*\) runs.*/\1/p' "$name.text")
	for w in best found; do
		eval "printf '#!/bin/sh\nexec ./%s %s\n' \"$name\" \"\$$w\"" >"$w-$name"
		chmod +x "$w-$name"
	done
	echo "# exhaustive: $(head -3 "$name.all" | tr '\n' ';') default $(grep " $default\$" "$name.all")"
	gain=$(awk -v d="$(grep " $default\$" "$name.all" | cut -d' ' -f1)" 'NR == 1 { printf "%.1f", 100 * (1 - $1 / d) }' "$name.all")
	echo "# $name: exhaustive best ($best) $gain % below the default ($default); the report: $paper"
	figure "tune.trials_share.$name" "$(awk -v a="$search" -v n="$n" -v r="$repeats" 'BEGIN { printf "%.3f", a / (n * r) }')" 0.334 \
		"$search runs of the search, $n settings $repeats times exhaustively"
	low=1 note="the same setting: $best"
	if [ "$found" != "$best " ]; then
		perseus prove --pairs=25 --max-load=100 --max-uneven=1000 "./best-$name" "./found-$name" >pairs.text 2>&1
		low=$(sed -n 's/.*interval \([0-9.]*\) to.*/\1/p' pairs.text | head -1)
		note="found $found, best $best, in fresh pairs: $(head -1 pairs.text)"
	fi
	figure "tune.above_exhaustive.$name" "$low" 1 "low end of the ratio to the exhaustive best: above 1 it is worse by more than noise; $note"
}

for m in 1 2 3 4; do for s in 1 2 3 4; do echo "$m $s"; done; done >settings
experiment corun "${REPEATS:-5}" 26 "4 4" "(3,1) of (4,4), 6.1 % time, on four cores" '{multipliers}' '{sorters}'
for p in 1 2 3 4 5; do for c in 1 2 3 4; do for t in 192 96 64 48 38 32 24 16 12 8; do echo "$p $c $t"; done; done; done >settings
experiment pipeline "${REPEATS:-3}" 66 "2 2 192" "(4,1), tile 100 of 500, 60.5 % time of (2,2) without tiling, on four cores" '{producers}' '{consumers}' '{tile}'
finish_bench
