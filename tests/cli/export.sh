#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus export: runs that were recorded once, in the formats of other tools.  What stands in
# a file adds up to what report says, other tools read it, and names keep to their place.
. tests/lib.sh
top=$PWD
py=/usr/bin/python3 # where python3-jsonschema is
[ -x /usr/bin/python3 ] || { skip "exports" "no python3"; finish; exit; }
check() { it "$1" "$py" "$top/tests/cli/export/check.py" "$2" "$3" "$4" $5; }
cd "$T" || exit 1
for run in threads timing sharing forked killed; do tar -xzf "$top/tests/record/golden/1.3-$run.tar.gz"; done

# A run of names that mean something to each format.
cp -r 1.3-timing hostile
printf 's/^(N\\t[0-9]+\\tfibonacci\\t)fibonacci/\\1=fib,"on;acci (\\xff\\xe2\\x80\\xae\<\\/script><!-- `| [x](y)/\n' >sed
LC_ALL=C sed -E -i -f sed hostile/modules/*.sites
old=$(sha256sum 1.3-timing/modules/*.sites | cut -d' ' -f1) new=$(sha256sum hostile/modules/*.sites | cut -d' ' -f1)
sed -i "s/$old/$new/" hostile/manifest.yaml
it "there is a run of bad names" sh -c 'LC_ALL=C grep -q "script><!" hostile/modules/*.sites'

for run in 1.3-threads 1.3-timing 1.3-forked hostile; do
	perseus report --json --calls 100000 $run >r.json && perseus report --paths --json --calls 100000 $run >p.json ||
		not_ok "report of $run"
	for format in folded speedscope callgrind perf-script; do
		exits 0 "$run as $format" perseus export --to $format -o out.$format $run
		check "... adds up" $format out.$format r.json p.json
	done
	for format in markdown quickfix; do
		exits 0 "$run as $format" perseus export --to $format -o out.$format $run
		check "... says what report says" $format out.$format r.json
	done
	exits 0 "$run: waits and long calls as JSON of Chrome" perseus export --to chrome -o out.chrome $run
	says "has no trace: only waits" "... which is said"
	check "... each ends" chrome out.chrome r.json
	for table in functions sites waits threads times; do
		exits 0 "$run: $table as csv" perseus export --to csv --table $table -o out.csv $run
		check "... adds up" csv-$table out.csv r.json
	done
	cmp -s out.folded /dev/null && not_ok "$run: there is something"
done
perseus report --folded hostile >folded
it "folded is what report gives" cmp folded out.folded
if command -v callgrind_annotate >/dev/null; then
	exits 0 "callgrind_annotate reads it" callgrind_annotate --threshold=100 out.callgrind
	says '\?\?\?:=fib,"on;acci \(|:=fib,"on;acci \(' "... the function of a bad name, too"
	total=$(sed -n 's/^totals: \([0-9]*\) .*/\1/p' out.callgrind)
	it "... with the same total" sh -c "tr -d , <'$T/out' | grep -q '^ *$total (100.0%).*PROGRAM TOTALS'"
	perseus export --to callgrind -o twice.callgrind 1.3-threads
	exits 0 "... and who called whom" callgrind_annotate --tree=both --inclusive=yes twice.callgrind
	says '> +work.c:threads \(1x\)' "... as often as they did"
else
	skip "callgrind_annotate reads it" "no valgrind"
fi

# A sharing run: findings.
exits 0 "findings as SARIF" perseus export --to sarif -o out.sarif 1.3-sharing
perseus conflicts --sarif=same.sarif 1.3-sharing >/dev/null
it "... are those of conflicts --sarif" cmp out.sarif same.sarif
exits 4 "a timing run has none" perseus export --to sarif 1.3-timing
says 'perseus record --purpose=sharing' "... and says how to get them"
exits 0 "findings for editors" perseus export --to quickfix 1.3-sharing
says '^work.c:131:1: warning: false-sharing on together.left/right.* at work.c:144 \[share-607747\]$' "... one side"
says '^work.c:144:1: warning: false-sharing on together.left/right.* at work.c:131 \[share-607747\]$' "... and the other"
exits 0 "findings for a pull request" perseus export --to markdown 1.3-sharing
says '^- \*\*false-sharing\*\* on together.left/right .*\(share-607747\)' "... are named"

# A trace: every call.
cat >prog.c <<'C'
#include <pthread.h>
__attribute__((noinline)) int leaf(int x) { __asm__ volatile(""); return x + 1; }
__attribute__((noinline)) int middle(int x) { for (int i = 0; i < 3; i++) x = leaf(x); return x; }
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static void *work(void *arg)
{
	int x = fib(9);

	for (int i = 0; i < 300; i++)
		x += middle(i);
	return arg ? (void *)(long)x : 0;
}
int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
C
gcc -O1 -g -pthread -fplugin="$PLUGIN" -o prog prog.c || exit 99
exits 0 "a run with a trace" perseus record -q --trace --trace-buffer=32 -o traced ./prog
perseus report --trace --json --calls 100000 traced >t.json
for format in speedscope chrome perfetto; do
	exits 0 "its calls for $format" perseus export --to $format --trace -o calls.$format traced
	silent . "... without a word" "$T/err"
done
check "each call is in speedscope's JSON, as long as it was" speedscope calls.speedscope t.json
check "... in Chrome's" chrome calls.chrome t.json
if command -v protoc >/dev/null; then
	protoc -I "$top/tests/cli/export" --decode=perfetto.protos.Trace perfetto.proto <calls.perfetto >calls.text
	check "... and in Perfetto's, as protoc reads it" perfetto calls.text t.json
	perseus export --to perfetto -o waits.perfetto 1.3-threads
	protoc -I "$top/tests/cli/export" --decode=perfetto.protos.Trace perfetto.proto <waits.perfetto >waits.text
	check "... so are waits of a run without a trace" perfetto waits.text r.json
	says 'name: "wait: condition"' "... by kind" waits.text
	says 'function_name: "fib"' "calls lead to the source" calls.text
else
	skip "Perfetto's format as protoc reads it" "no protobuf-compiler"
fi
for format in speedscope chrome perfetto; do
	exits 4 "a run without a trace has none for $format" perseus export --to $format --trace -o none.$format 1.3-threads
	says 'perseus record --trace PROGRAM' "... and says how to get one"
	it "... and leaves no file" test ! -e none.$format
done
exits 2 "folded stacks are of no single calls" perseus export --to folded --trace traced

exits 2 "an unknown format" perseus export --to pdf 1.3-threads
says "--to=pdf: expected folded, speedscope" "... is told which there are"
exits 2 "no format" perseus export 1.3-threads
exits 2 "a table of something else" perseus export --to folded --table waits 1.3-threads
exits 2 "an unknown table" perseus export --to csv --table rows 1.3-threads
exits 4 "no such run" perseus export --to csv none
exits 3 "a folder that is not there" perseus export --to csv -o none/x.csv 1.3-threads
exits 4 "a run that was killed" perseus export --to csv -o killed.csv 1.3-killed
says 'is incomplete: ' "... is said"
it "... and what there is, is written" test -s killed.csv
if [ -e /dev/full ]; then
	exits 3 "a full disk" perseus export --to csv -o /dev/full 1.3-threads
	says 'No space left' "... is said"
fi
echo old >kept.json
tar -xzf "$top/tests/record/golden/1.0-timing.tar.gz"
exits 4 "a run without paths has no tree" perseus export --to speedscope -o kept.json 1.0-timing
it "... and what was there stays" grep -qx old kept.json
it "nothing is left behind" sh -c '! ls | grep tmp'
cd "$top" || exit 1
finish
