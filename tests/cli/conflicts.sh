#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus conflicts: text, JSON and SARIF say the same; the patch applies,
# compiles without a warning, and ends the conflicts; what cannot be changed is
# refused with the reason.
. tests/lib.sh
S=$(pwd)/tests/cli
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "conflicts and their remedies" "one core only"; finish; exit; }
cp -r "$S/conflicts" src && cp -r src plain && cd src || exit 1
warn="-Wall -Wextra -Werror"
C="gcc -std=gnu11 -O1 $warn -fplugin=$PLUGIN"
CXX="g++ -std=c++17 -O1 $warn -fplugin=$PLUGIN"

# ---- C -------------------------------------------------------------------
it "the program in C builds" $C -o ../layouts layouts.c -pthread
exits 0 "it is recorded" sh -c "cd .. && perseus record -q --purpose=sharing --sharing=precise -o run ./layouts"
cp "$T/out" ../answer
# Whether a finding is significant is up to the machine's load: names, prices and remedies are asked for.
exits 0 "false sharing is found" perseus conflicts --all ../run
for o in 'stats\.hits/misses' 'outer\.in\.a/deep\.y' 'queue\.in/out' 'plain\.x/y' 'room\.seats' 'deep\.way\.up/way\.down' 'start' 'part\[\]' 'rows' 'count' 'worker\[\]\.done' 'each\[\]\.n' 'port_t\[\]\.sent' 'wide\[\]\.first/last' 'made\.left/right' 'maybe\.a/b' 'partly\.a/b'; do
	says "^share-[0-9]{6} false-sharing .*$o" "it has $o"
done
exits 0 "with prices" perseus conflicts --all --platform "$S/../sharing/platform.yaml" ../run
says '^share-.* false-sharing .*(costs|may cost up to) [0-9.]+ % of run time' "it stands with the finding"
exits 0 "the same once more, without" perseus conflicts --all ../run
says '^    remedy    pad +\+[0-9]+ bytes.*perseus conflicts --patch share-[0-9]{6}$' "padding is a remedy, with its price in bytes"
says '^    layout .* 40 bytes now, 128 then$' "... and the layout before and after"
says '^ +deep +8 +24 +64  run [01]$' "... member by member, with the thread"
says '^    reorder   struct gauge as in, in_errors [|] out, out_errors: 128 bytes' "another order of members is shown"
says '^              local-copy .*local variable' "a local copy is one, too"
says '^    ABI ' "the ABI is mentioned"
says 'findings?, [0-9]+ candidates? \(not priced\)\.' "without prices they are candidates"
it "... which a gate does not let pass" sh -c 'perseus conflicts --fail-on=99 ../run >/dev/null; s=$?; [ $s = 1 ] || [ $s = 5 ]'
exits 2 "a limit is a percentage" perseus conflicts --fail-on=much ../run
exits 2 "... up to 100" perseus conflicts --fail-on=101 ../run
mkdir ../priced && cp "$S/../sharing/platform.yaml" ../priced && cd ../priced || exit 1
exits 0 "platform.yaml is taken from the current folder" perseus conflicts --all ../run
says '^Prices: sharing-tests \(typical prices' "... and named"
exits 1 "what costs more than the limit fails" perseus conflicts --all --fail-on=0 ../run
it "what costs less passes, or is inconclusive" sh -c 'perseus conflicts --fail-on=100% ../run >/dev/null; s=$?; [ $s = 0 ] || [ $s = 5 ]'
perseus conflicts --all --json ../run >priced.json
most=$(sed -n 's/.*"cost_percent": *\([0-9.]*\).*/\1/p' priced.json | sort -g | awk '{most = $1} END {print most + 0.001}')
exits 5 "what may cost more than the limit does not pass" perseus conflicts --all --fail-on="$most" ../run
{ cat platform.yaml; sed -n 's/^price:/moved_price:/p; /^  [a-z]*: {alone_ps/p' platform.yaml; } >moved.yaml
echo 'moved_transfer_ps: {cache: 900000, package: 900000}' >>moved.yaml
exits 0 "cores that were farther apart at another time" perseus conflicts --all -p moved.yaml ../run
says 'a line travels [0-9]+ to 900 ns' "a line's travel is a range"
says 'cores of this machine move' "... and why"
exits 0 "... for machines" perseus conflicts --all --json -p moved.yaml ../run
says '"transfer_ns_high": ?900' "both ends are there"
says '"recordings": ?1' "of one recording"
exits 0 "the same recording twice" perseus conflicts --all --json -p moved.yaml ../run ../run
says '"recordings": ?2' "is two"
exits 0 "several recordings" perseus conflicts --all -p moved.yaml ../run ../run
says '2 recordings' "costs say so"
sed -i 's/^source: .*/source: "calibrated, disturbed by other load"/' platform.yaml
exits 5 "prices of a disturbed machine let nothing pass for good" perseus conflicts --fail-on=100 ../run
says "Inconclusive:.*the prices of 'sharing-tests' were measured on a disturbed machine" "... and say why"
cd ../src || exit 1
exits 0 "the same once more, without" perseus conflicts --all ../run
cp "$T/out" "$T/all"
id=$(sed -n 's/^\(share-[0-9]*\) false-sharing queue.*/\1/p' "$T/out")
exits 0 "one finding by its name" perseus conflicts ../run "$id"
it "... is all that is shown" test "$(grep -c '^share-' "$T/out")" = 1
exits 2 "a finding that is not there is said to be so" perseus conflicts ../run share-999999
[ "$id" = share-999999 ] || says "no finding 'share-999999'" "... by name"
exits 2 "two things cannot go to stdout" perseus conflicts --json --patch ../run
exits 3 "sources must be somewhere" perseus conflicts --patch --source "$T/none" ../run
says "none" "... and the directory is named"

exits 0 "the patch goes to a file" perseus conflicts --all --patch=../fix.diff ../run
says '^share-' "... and the findings are shown all the same"
it "no source was touched" diff -r . ../plain
exits 0 "it goes to stdout as well" perseus conflicts --all --patch ../run
it "... and is the same" cmp "$T/out" ../fix.diff
says '^# share-.*made.*not changed: .*macro' "members that a macro makes are refused" ../fix.diff
says '^# share-.*maybe.*not changed: .*depends on a preprocessor condition' "so are members under a condition" ../fix.diff
says '^# share-.*partly.*not changed: .*depends on a preprocessor condition' "... and those of which a part is" ../fix.diff
says '^#   by hand: ' "... with what to do by hand" ../fix.diff
says '^#   smaller by hand, 128 bytes: its members as in, in_errors [|] out, out_errors$' "a smaller order is said, and why it is not made" ../fix.diff
says '^#   ABI: ' "sizes that change are named" ../fix.diff
says '^\+_Static_assert\(' "an assertion keeps the fix" ../fix.diff
says '^--- a/inc/types.h$' "names are relative" ../fix.diff
exits 0 "a patch of one finding" perseus conflicts --patch ../run "$id"
it "... changes one file" test "$(grep -c '^+++' "$T/out")" = 1
made=$(sed -n 's/^\(share-[0-9]*\) false-sharing made.*/\1/p' "$T/all")
exits 6 "a finding that no declaration can end" perseus conflicts --patch=../none.diff ../run "$made"
says 'nothing to change' "... is said so" "$T/err"
says 'not changed: .*macro' "... with the reason" "$T/err"
it "... and no file is written" test ! -e ../none.diff
exits 0 "... nor is one offered with it" perseus conflicts ../run "$made"
says '^ +no patch: .*macro' "... but the reason"
says '^ +by hand: ' "... and what people can do"
silent 'conflicts --patch' "... not the command"
exits 6 "... nor a line to stdout" perseus conflicts --patch ../run "$made"
it "... that patch(1) would call garbage" test ! -s "$T/out"
touch inc/types.h
exits 0 "a source that was changed since" perseus conflicts ../run "$made"
says 'was changed after the recording: if it' "... is named beside what was not changed" "$(tr -s ' \n' ' ' <"$T/out" >"$T/flat"; echo "$T/flat")"
touch -r ../plain/inc/types.h inc/types.h
exits 0 "from elsewhere, with --source" sh -c 'cd .. && perseus conflicts --all --patch --source src run'
it "... it is the same" cmp "$T/out" ../fix.diff

it "patch -p1 takes it" patch -p1 -i ../fix.diff
it "the patched program builds without a warning" $C -o ../fixed layouts.c -pthread
it "also when asked to be strict, and optimised" gcc -std=gnu11 -O3 $warn -Wpedantic -o ../fixed3 layouts.c -pthread
exits 0 "it computes" ../fixed3
it "... the same" cmp "$T/out" ../answer
exits 0 "the patched program is recorded" sh -c "cd .. && perseus record -q --purpose=sharing --sharing=precise -o run2 ./fixed"
perseus conflicts --all ../run2 >"$T/out"
says '^share-.* made\.left/right' "what was refused is still there"
it "... and nothing else is" test "$(grep '^share-' "$T/out" | grep -cvE 'made\.left/right|partly\.a/b|maybe\.a/b')" = 0

cp -r ../plain ../changed && sed -i 's/misses; /losses; /; s/^	long lost;/	long lost, more;/' ../changed/inc/types.h
exits 0 "sources that are not those of the build" perseus conflicts --all --patch --source ../changed ../run
says '^# share-.*stats.*not changed: ' "... are not changed"
says '^# share-.*port_t.*not changed: .*`more` that it did not have in the build' "... nor where a member was added"
it "... but the rest of them" grep -q '^+.*count\[2\]' "$T/out"

# ---- names that rule a terminal, and very many ---------------------------------
cp -r ../run ../evil
sed -i "s/ queue\$/ que$(printf '\033')[31mue/" ../evil/modules/*.symbols
it "a symbol has a control character in its name" grep -q "$(printf '\033')" ../evil/modules/*.symbols
exits 0 "its run is shown" perseus conflicts --all ../evil
says 'que.\[31mue' "... with the name"
silent "$(printf '\033')" "... but not with what rules a terminal" "$T/out"
printf 'x %s[31m\n' "$(printf '\033')" >>"$(echo ../evil/modules/*.symbols)"
exits 4 "a line that is none is refused" perseus conflicts ../evil
says 'expected' "... with what is expected" "$T/err"
silent "$(printf '\033')" "... and nothing that rules a terminal" "$T/err"

n=2500
{
	echo '#include <pthread.h>'
	echo 'struct pair { volatile long a, b; };'
	seq $n | sed 's/.*/static struct pair g& __attribute__((aligned(64)));/'
	echo 'static struct pair *all[] = {'
	seq $n | sed 's/.*/\&g&,/'
	cat <<'C'
};
static pthread_barrier_t bar;
static void *run(void *arg)
{
	long id = (long)arg;

	for (int turn = 0; turn < 80; turn++) {
		for (unsigned i = 0; (turn & 1) == id && i < sizeof(all) / sizeof(all[0]); i++)
			if (id)
				all[i]->b++;
			else
				all[i]->a++;
		pthread_barrier_wait(&bar);
	}
	return NULL;
}
int main(void)
{
	pthread_t t;

	pthread_barrier_init(&bar, NULL, 2);
	pthread_create(&t, NULL, run, (void *)1);
	run(NULL);
	return pthread_join(t, NULL);
}
C
} >../many.c
it "a program with $n pairs builds" gcc -O1 -fplugin="$PLUGIN" -o ../many ../many.c -pthread
exits 0 "it is recorded" perseus record -q --purpose=sharing --sharing=precise -o ../manyrun ../many
# Whether some of them are significant is up to the machine; grouped pair by pair they took minutes.
exits 0 "its findings are grouped at once" sh -c 'ulimit -t 20; perseus conflicts --all ../manyrun'
it "... more than half of which are there, whatever the machine did meanwhile" test "$(grep -c '^share-' "$T/out")" -gt $((n / 2))
it "... each with an id of its own" test -z "$(sed -n 's/^\(share-[0-9]*\) .*/\1/p' "$T/out" | sort | uniq -d)"

# ---- SARIF ---------------------------------------------------------------
py=/usr/bin/python3
exits 0 "SARIF" perseus conflicts --all --sarif=../x.sarif ../run
cat >../check.py <<'P'
import json, jsonschema, sys
schema, doc, ids = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), sys.argv[3].split()
v = jsonschema.Draft4Validator(schema)
errors = [e.message for e in v.iter_errors(doc)]
assert not errors, errors
run = doc["runs"][0]
assert [r["partialFingerprints"]["perseusEvidence/v1"] for r in run["results"]] == ids, ids
for r in run["results"]:
    assert run["tool"]["driver"]["rules"][r["ruleIndex"]]["id"] == r["ruleId"]
    places = [r["locations"][0], r["relatedLocations"][0]]
    for p in places:
        assert p["physicalLocation"]["artifactLocation"]["uri"] == "layouts.c", p
        assert 45 < p["physicalLocation"]["region"]["startLine"] < 95, p
    assert len(r["codeFlows"][0]["threadFlows"]) == 2
doc["runs"][0]["results"][0]["level"] = "bad"
assert list(v.iter_errors(doc)), "the validator takes anything"
P
perseus conflicts --all ../run >"$T/out"
ids=$(sed -n 's/^\(share-[0-9]*\) .*/\1/p' "$T/out" | tr '\n' ' ')
if $py -c 'import jsonschema' 2>/dev/null; then
	it "SARIF: by the standard's schema, both sides, and the same findings" $py ../check.py "$S/sarif-2.1.0.json" ../x.sarif "$ids"
else
	skip "SARIF: by the standard's schema" "no python3-jsonschema"
fi
exits 0 "the source has the patch: JSON" perseus conflicts --all --json ../run
it "... has no second one" $py -c '
import json, sys
f = {x["subject"]: x for x in json.load(open(sys.argv[1]))["findings"]}
pad = [x for x in f["stats.hits/misses"]["remedies"] if x["kind"] == "pad"][0]
assert not pad["patch"] and "has that alignment in the source already" in pad["not_patched"][0]["why"], pad
' "$T/out"
exits 0 "JSON" perseus conflicts --all --json --source=../plain ../run
it "JSON: remedies and layouts" $py -c '
import json, sys
f = {x["subject"]: x for x in json.load(open(sys.argv[1]))["findings"]}
r = f["stats.hits/misses"]["remedies"]
pad = [x for x in r if x["kind"] == "pad"][0]
assert pad["bytes"] == 104 and pad["layouts"][0]["bytes_then"] == 128, pad
assert {m["name"]: m["offset_then"] for m in pad["layouts"][0]["members"]} == {"hits": 0, "cold": 8, "misses": 64}, pad
assert pad["patch"] and not pad["not_patched"] and pad["plan"] and not pad["not_planned"], pad
pad = [x for x in f["made.left/right"]["remedies"] if x["kind"] == "pad"][0]
assert not pad["patch"] and "macro" in pad["not_patched"][0]["why"] and pad["not_patched"][0]["by_hand"], pad
assert not pad["plan"] and "macro" in pad["not_planned"][0]["why"], pad
' "$T/out"

# ---- the memory map ------------------------------------------------------
exits 0 "the memory map" perseus conflicts --map=../map.json ../run
it "it knows pages, lines, blocks and threads, and its cells add up to its lines" $py -c '
import json, sys
m = json.load(open(sys.argv[1]))["processes"][0]
assert len(m["pages"]) * m["bins"] <= 4096 and len(m["lines"]) <= 4096
assert {"main", "run 0", "run 1"} <= set(m["threads"]), m["threads"]
line = [l for l in m["lines"] if l["object"] == "stats"][0]
assert line["transfers"] > 100 and len(line["threads"]) >= 2, line
assert int(line["address"], 16) // m["page_bytes"] * m["page_bytes"] in [int(p, 16) for p in m["pages"]]
for k in ("reads", "writes", "transfers"):
    a, b = sum(c[k] for c in m["cells"]), sum(l[k] for l in m["lines"])
    assert abs(a - b) <= 1e-6 * b, (k, a, b)
assert any(b["file"] == "layouts.c" and b["bytes"] == 32 for b in m["blocks"]), m["blocks"]
' ../map.json

# ---- C++ -----------------------------------------------------------------
it "the program in C++ builds" $CXX -o ../classes classes.cc -pthread
exits 0 "it is recorded" sh -c "cd .. && perseus record -q --purpose=sharing --sharing=precise -o runxx ./classes"
cp "$T/out" ../answer
exits 0 "false sharing is found" perseus conflicts --all ../runxx
says '^share-[0-9]{6} false-sharing .*square.*drawn' "blocks of \`new\` have the type that is made"
exits 0 "there is a patch" perseus conflicts --all --patch=../fixxx.diff ../runxx
says '^\+	alignas\(64\) T tail' "a template's member" ../fixxx.diff
says '^\+.*alignas\(64\) volatile long out_' "a private member" ../fixxx.diff
silent '^\+.*long long : 64' "C++17 keeps alignment where memory is allocated: no room by hand" ../fixxx.diff
says '^\+.*struct alignas\(64\) tick' "... the type begins a line" ../fixxx.diff
it "patch -p1 takes it" patch -p1 -i ../fixxx.diff
it "the patched program builds without a warning" $CXX -o ../fixedxx classes.cc -pthread
exits 0 "it is recorded" sh -c "cd .. && perseus record -q --purpose=sharing --sharing=precise -o runxx2 ./fixedxx"
it "it computes the same" cmp "$T/out" ../answer
exits 0 "and has no finding" perseus conflicts ../runxx2
silent '^share-' "... none at all"

# ---- declarations that have a weaker alignment already -----------------------
sed 's/static \(_Alignas(..)\)/\1 static/; s/_Alignas/alignas/' weak.c >weak.cc
for f in weak.c weak.cc; do
	cc=$C && [ $f = weak.cc ] && cc=$CXX
	rm -rf ../weak ../weak2
	it "$f builds" $cc -o ../weakly $f -pthread
	exits 0 "it is recorded" sh -c "cd .. && perseus record -q --purpose=sharing --sharing=precise -o weak ./weakly"
	perseus conflicts --all ../weak >"$T/out"
	for o in 'pair\.a/b' 'part\[\]' 'late\[\]'; do says "^share-[0-9]{6} false-sharing .*$o" "it has $o"; done
	ids=$(sed -n 's/^\(share-[0-9]*\) false-sharing.*/\1/p' "$T/out")
	exits 0 "there is a patch" perseus conflicts --patch=../weak.diff ../weak $ids
	it "patch -p1 takes it" patch -p1 -i ../weak.diff
	silent 'lign(as|ed)\((16|32)\)' "no weaker alignment is left" $f
	it "the patched program builds without a warning" $cc -o ../weakly $f -pthread
	exits 0 "it is recorded" sh -c "cd .. && perseus record -q --purpose=sharing --sharing=precise -o weak2 ./weakly"
	exits 0 "and nothing is left of it" perseus conflicts --all ../weak2
	silent '^share-.*(pair|part|late)' "... at all"
done
finish
