#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus record --trace: what another reader of the format finds, what perseus
# itself says of it, and what happens where it cannot be written.
. tests/lib.sh

cat >"$T/prog.c" <<'C'
#include <pthread.h>
#include <stdlib.h>

__attribute__((noinline)) int leaf(int x) { __asm__ volatile(""); return x + 1; }
__attribute__((noinline)) int middle(int x) { for (int i = 0; i < 10; i++) x = leaf(x); return x; }
static int rounds;
static void *work(void *arg)
{
	int x = 0;

	for (int i = 0; i < rounds; i++)
		x += middle(i);
	return arg ? (void *)(long)x : NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[3];

	rounds = argc > 1 ? atoi(argv[1]) : 1000;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
C
cat >"$T/share.c" <<'C'
#include <pthread.h>
#include <stdlib.h>

struct pair { long mine, yours; } *pair;
static void *add(void *p)
{
	for (int i = 0; i < 5000; i++)
		++*(volatile long *)p;
	return NULL;
}
int main(void)
{
	pthread_t t;

	pair = calloc(1, sizeof(*pair));
	pthread_create(&t, NULL, add, &pair->yours);
	add(&pair->mine);
	pthread_join(t, NULL);
	free(pair);
	return 0;
}
C
for p in prog share; do
	gcc -O1 -g -pthread -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=calls,memory -o "$T/$p" "$T/$p.c" || exit 99
done
run=$T/run
# value KEY FILE
value() { sed -n "s/^  \"$1\": \([0-9a-z.]*\),*$/\1/p" "$2"; }
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "expected '$2', found '$3'"; fi; }

before=$(date +%s)
exits 0 "a run with --trace ends like its program" perseus record --trace --trace-buffer=32 -o "$run" "$T/prog"
after=$(date +%s)
says '^trace +[0-9,]+ events of [34] threads, [0-9.]+ [kM]B, none lost$' "the summary says what is in the trace"
exits 0 "perseus reads it" perseus report --trace "$run"
says '^agrees +with the record: [0-9]+ counts' "... and it agrees with the record"
says ' 30,000 .* prog.c:5 middle -> leaf$' "... to the call"
perseus report --trace --json "$run" >"$T/json"
it "... and as JSON" python3 -m json.tool "$T/json"
is "30,000 calls of leaf, 3,000 of middle, and those of main" "33006" "$(value calls "$T/json")"
is "a timing run has no accesses" 0 "$(value accesses_traced "$T/json")"

exits 0 "the first calls in order" perseus report --timeline=4 "$run"
says 'pthread_create \(prog.c' "... begin with the first"
perseus report --timeline=100000 "$run" >"$T/out"
is "... and all of them are all" 33007 "$(wc -l <"$T/out")"
says '^ +[0-9.]+ [mu]?s +[0-9.]+ [nmu]?s  [0-9]+\.[1-3]    leaf \(prog.c:5\)$' "... one inside the other"

if command -v babeltrace2 >/dev/null; then
	exits 0 "babeltrace2 reads the trace" babeltrace2 --clock-seconds "$run/trace"
	is "... each call" 33006 "$(grep -c ' call: ' "$T/out")"
	is "... 30,000 of leaf" 30000 "$(grep -c 'site = ( "leaf (middle, .*prog.c:5) #' "$T/out")"
	it "... none out of order" sh -c "sed 's/^\[\([0-9.]*\)\].*/\1/' '$T/out' | sort -c"
	it "... at the time of day when it ran" awk -v a="$before" -v b="$after" -F'[][]' \
	  '$2 < a - 1 || $2 > b + 1 {bad = 1} END {exit bad || !NR}' "$T/out"
	# Lengths as other tools see them add up to those of the record.
	total=$(awk -F'"wall_ns": ' 'NF > 1 {s += $2} END {printf "%.0f", s}' "$T/json")
	hz=$(sed -n 's/^\tfreq = \([0-9]*\);$/\1/p' "$run/trace/metadata")
	theirs=$(sed -n 's/.*{ ticks = \([0-9]*\), shift = \([0-9]*\),.*/\1 \2/p' "$T/out" |
	  awk -v hz="$hz" '{s += $1 * 2 ^ $2} END {printf "%.0f", s / hz * 1e9}')
	it "... as long as perseus says" awk -v a="$total" -v b="$theirs" 'BEGIN {exit !(a > 0 && (a - b) ^ 2 < (a * 1e-4) ^ 2)}'
	exits 0 "... and says where the trace is from" babeltrace2 -o ctf-metadata "$run/trace"
	says 'tracer_name = "perseus"' "... who wrote it"
	says 'state = "complete"' "... and that it is complete"
else
	skip "babeltrace2 reads the trace" "babeltrace2 is not installed"
fi

exits 0 "a sharing run traces accesses, too" perseus record --purpose=sharing --trace --trace-buffer=32 -o "$T/shared" "$T/share"
says 'none lost' "... all of them"
exits 0 "... perseus reads it" perseus report --trace --json "$T/shared"
cp "$T/out" "$T/json"
is "... every access reached the trace" 0 "$(value counts_that_differ "$T/json")"
it "... of both threads" test "$(value accesses_traced "$T/json")" -ge 10000
exits 0 "... and as text" perseus report --trace "$T/shared"
says '[0-9,]+  share.c:8 add: ' "... with the place of the access"
if command -v babeltrace2 >/dev/null; then
	exits 0 "babeltrace2 reads accesses" babeltrace2 "$T/shared/trace"
	is "... each" "$(value accesses_traced "$T/json")" "$(grep -c ' memory: ' "$T/out")"
	says 'memory: .*site = \( ".*share.c:8\) #.*bytes = 8, kind = \( "(rmw|store)".*address = 0x[0-9A-Fa-f]{6,}' "... with site, size, kind and address"
	says 'note: .*kind = \( "alloc" .*bytes = 16' "... the allocation of what they share"
	says 'note: .*kind = \( "free" ' "... and its end"
fi
perseus record -q --purpose=sharing -o "$T/plain" "$T/share" 2>/dev/null
exits 4 "a run without a trace has none to report" perseus report --trace "$T/plain"
says 'perseus record --trace' "... and says how to get one"
silent '^trace ' "... and its summary names none" "$T/err"

exits 2 "an unknown policy is refused" perseus record --trace-full=wait -o "$T/no" "$T/prog"
says 'degrade, drop or block' "... and says which there are"
exits 2 "a buffer of no size is refused" perseus record --trace-buffer=0 -o "$T/no" "$T/prog"
exits 2 "a timeline of no calls is refused" perseus report --timeline=0 "$run"
it "... and nothing was run" test ! -e "$T/no"

# What the recorder adds up of the trace is part of the record, as if there were none.
perseus report --json "$run" >"$T/with.json"
cp -r "$run" "$T/alone"
rm -rf "$T/alone/trace"
perseus report --json "$T/alone" | sed "s|$T/alone|$run|" >"$T/without.json"
it "a report needs no trace" cmp "$T/with.json" "$T/without.json"
rm "$T/alone"/*.sums
exits 4 "... but what was added up: without it" perseus report "$T/alone"
says 'the times of traced calls are missing' "... that is said" "$T/out"
says ' 30,000 .*prog.c:5 middle -> leaf' "... and calls are counted as ever"
cp "$run"/*.sums "$T/alone"
printf 'X' | dd of="$(ls "$T/alone"/*.sums)" bs=1 seek=100 conv=notrunc 2>/dev/null
exits 4 "damage to it makes the run incomplete" perseus report "$T/alone"
says 'sums of traced calls is damaged' "... and is named" "$T/out"

# A stream that was cut off is read as far as it goes.  The smallest is that of
# the first thread, whatever number it has.
cp -r "$run" "$T/cut"
stream=$(ls -S "$T/cut/trace"/[0-9]* | tail -n 1)
truncate -s -20 "$stream"
exits 4 "a stream that is cut off makes the trace incomplete" perseus report --trace "$T/cut"
says 'is damaged: stream .* cut off' "... is named"
says ' 30,000 ' "... and the others are read, whole"

mkdir "$T/small"
if mount -t tmpfs -o size=48m none "$T/small" 2>/dev/null; then
	exits 4 "a full disk ends the trace, not the program" perseus record --trace -o "$T/small/run" "$T/prog" 200000
	says 'the trace ends before the program did: cannot write below .*No space left' "... which is said"
	exits 0 "... the rest of the run is whole" perseus report "$T/small/run"
	says '6,600,006|6,000,000' "... to the last call"
	exits 4 "... the trace is not" perseus report --trace "$T/small/run"
	says 'ends before the program did' "... and says so"
	it "... some room is left to the program" test "$(df -k --output=avail "$T/small" | tail -n 1)" -ge 8192
	umount "$T/small"
else
	skip "a full disk ends the trace, not the program" "no right to mount a small file system"
fi
finish
