#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus runs: what lies in perseus.data, what is removed, and what never is.
. tests/lib.sh
cd "$T" || exit 1
cat >work.c <<'E'
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) static void step(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};
	nanosleep(&t, NULL);
}
int main(int argc, char **argv) { step(argc > 1 ? atol(argv[1]) : 1); }
E
exits 0 "without runs" perseus runs
says "^no runs in perseus.data/" "... it says so" out
it "reading made no directory" test ! -e perseus.data
it "a program builds" gcc -O1 -fplugin="$PLUGIN" -o work work.c
it "one run" perseus record -q ./work
touch -d '2026-01-02 10:00:00' perseus.data/work-1/manifest.yaml
it "a second, for sharing" perseus record -q --purpose=sharing ./work
touch -d '2026-01-02 11:00:00' perseus.data/work-2/manifest.yaml
it "a third" perseus record -q ./work
touch -d '2026-01-02 12:00:00' perseus.data/work-3/manifest.yaml
it "one elsewhere" perseus record -q -o "$T/else" ./work

exits 0 "the list" perseus runs
says "^run +purpose +recorded +time +size +program$" "has a head" out
it "the newest is first" test "$(sed -n '2s/ .*//p' out)" = work-3
says "^work-2 +sharing +2026-01-02 11:00 .* work  @last-sharing$" "purpose, time and the name that leads to it" out
says "^$T/else +timing .* work  @last  @last-timing$" "one elsewhere, by its path" out
says "^4 runs, [0-9.]+ [kM]B\.$" "and how many" out
exits 0 "json" perseus runs --json
it "holds the same" python3 -c "
import json
d = json.load(open('out'))
assert d['schema'] == 1
r = {x['name']: x for x in d['runs']}
assert [x['name'] for x in d['runs']][:3] == ['work-3', 'work-2', 'work-1'], d
assert r['work-2']['purpose'] == 'sharing' and r['work-2']['links'] == ['last-sharing']
assert r['work-1']['argv'] == ['./work'] and r['work-1']['wall_ns'] > 0 and r['work-1']['bytes'] > 4096
assert r['work-1']['status'] == 'exited' and r['work-1']['problem'] is None and not r['work-1']['elsewhere']
e = r['$T/else']
assert e['elsewhere'] and e['links'] == ['last', 'last-timing']"

# Removing
exits 4 "one that is not there" perseus runs --delete work-1 work-9
says "no run 'work-9'" "... is named" err
it "... and none is removed" test -d perseus.data/work-1
exits 0 "one by its name" perseus runs --delete work-2 perseus.data/work-2/
it "... is named once" test "$(grep -c '^removed work-2, ' out)" = 1
it "... is gone" test ! -e perseus.data/work-2
says "^@last-sharing led to 'work-2', which is gone; there is none now$" "what led to it is removed" err
it "... really" test ! -L perseus.data/last-sharing
exits 3 "one elsewhere is not removed" perseus runs --delete @last
says "does not lie in perseus.data/: remove it by hand" "... and why" err
it "... it is still there" test -d else
rm -r else
exits 0 "one that somebody else removed" perseus runs
says "^@last led to '$T/else', which is gone; it is 'work-3' now$" "... is noticed" err
says "^work-3 .*  @last  @last-timing$" "... and mended" out
exits 0 "which report takes" perseus report @last
exits 0 "all but one" perseus runs --delete --keep=1 --json
it "only the newest is left" test "$(ls perseus.data | tr '\n' ' ')" = "last last-timing work-3 "
it "... and in the list" python3 -c "import json; assert [r['name'] for r in json.load(open('out'))['runs']] == ['work-3']"
says "^removed work-1, " "what was removed is said" err
exits 0 "--keep of more than there are" perseus runs --delete --keep=5
it "... removes nothing" test -d perseus.data/work-3

# What is no run is not touched
mkdir perseus.data/notes && echo mine >perseus.data/notes/mine
exits 4 "a directory that is no run" perseus runs --delete notes
it "... stays" test -e perseus.data/notes/mine
mkdir away && cp -r perseus.data/work-3 away/work && ln -s "$T/away/work" perseus.data/linked
exits 4 "a link to a run" perseus runs --delete linked
it "... stays as what it leads to" test -d away/work
exits 4 "a name with a way out" perseus runs --delete ../away/work
it "... stays" test -e away/work/manifest.yaml
ln -s "$T/away" perseus.data/work-3/out
mkdir perseus.data/broken && echo 'perseus: nonsense' >perseus.data/broken/manifest.yaml
exits 0 "a run with a manifest that cannot be read" perseus runs
says "^broken +- .*\(.*manifest\.yaml.*\)" "... is listed with the reason" out
exits 0 "... and can be removed" perseus runs --delete broken work-3
it "a link inside of a run is not followed" test -e away/work/manifest.yaml
says "^@last led to 'work-3', which is gone; there is none now$" "the last one leads nowhere" err

# Being recorded
perseus record -q -o perseus.data/live ./work 60000 &
recorder=$!
for i in $(seq 300); do ls perseus.data/live/*.prec >/dev/null 2>&1 && break; sleep 0.1; done
exits 3 "a run that is being recorded" perseus runs --delete live
says "not removed: process [0-9]+ is being recorded there" "... is not removed" err
exits 0 "it is listed" perseus runs
says "^live +timing .*  work  \(running\)" "... as one that runs" out
kill "$(cat /proc/$recorder/task/$recorder/children)"
wait $recorder
exits 0 "afterwards it can be" perseus runs --delete live

exits 2 "names without --delete" perseus runs live
exits 2 "--keep without --delete" perseus runs --keep=3
exits 2 "--delete without names" perseus runs --delete
exits 2 "--delete with both" perseus runs --delete live --keep=3
exits 2 "--keep of nothing" perseus runs --delete --keep=0
exits 2 "an unknown option" perseus runs --keeep=1
says "did you mean --keep" "... has the one that was meant" err
finish
