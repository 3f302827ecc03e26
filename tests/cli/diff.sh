#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus diff: simulated documents of known difference, and real runs where no time matters.
. tests/lib.sh
top=$PWD
cd "$T" || exit 1

# doc FILE SEED [KEY=VALUE...]: a document of `report --json` with noise of 3 %.
cat >doc.py <<'E2'
import json, random, sys
o = dict(a.split("=", 1) for a in sys.argv[3:])
rng = random.Random(int(sys.argv[2]))
fs, sites = [], []
for i in range(1, 13):
    name = "f%d" % i
    self_ns = (1 + i % 5) * 1e7 * rng.lognormvariate(0, .03) * (float(o["slower"]) if "slower" in o and i == 3 else 1)
    row = {"file": "a.c", "line": 10 * i + int(o.get("insert", 0)), "self": .05, "self_ns": self_ns, "total_ns": self_ns,
           "calls": 1000, "timed": 100, "p50_ns": self_ns / 1000}
    if o.get("without") == name:
        continue
    fs.append(dict(row, name=name, assembler_name=name))
    sites.append(dict(row, id="0000000%x" % i, instance="0", function="main", callee=name))
d = {"schema": 1, "program": o.get("program", "p"), "purpose": o.get("purpose", "timing"),
     "complete": o.get("complete") != "no", "incomplete_why": "it was killed", "thread_ns": 1e9, "in_line": 0,
     "functions_in_all": len(fs), "functions": fs, "call_sites_in_all": len(sites), "call_sites": sites}
if o.get("program"):
    for f in fs:
        f["name"] = f["assembler_name"] = o["program"] + f["name"]
json.dump(d, open(sys.argv[1], "w"))
E2
doc() { python3 doc.py "$@"; }
for i in 1 2 3 4 5 6; do
	doc base$i $i
	doc same$i 1$i insert=10
	doc slow$i 2$i slower=1.2
done

exits 0 "two recordings of one build" perseus diff base1 same1
says "^no difference that can be told$" "show no difference"
says "Differences below [0-9]+ % of f[0-9]+ cannot be told from 1 recording a side" "and it is said what one recording can tell"
says "BASE1,BASE2" "and what would tell more"
exits 0 "six of each" perseus diff base1,base2,base3,base4,base5,base6 same1,same2,same3,same4,same5,same6
says "^no difference that can be told$" "show none either"
silent "^(slower|faster|added|removed)" "no row, though all lines have moved"
silent "BASE1,BASE2" "and no more are asked for"
exits 0 "a function 20 % slower, six recordings of each" perseus diff base1,base2,base3,base4,base5,base6 slow1,slow2,slow3,slow4,slow5,slow6
it "is the answer in the first line" sh -c 'head -1 out | grep -Eq "^slower: 1 function \(f3 \+(1[5-9]|2[0-5])\.[0-9] %\)$"'
it "and the first row" sh -c 'grep -E -m1 "^(slower|faster|same|added)  " out | grep -q "^slower  *f3  a.c:30$"'
says "\(\+[0-9.]+ to \+[0-9.]+\), confidence 99\.[0-9] %" "with its interval and confidence"
says "^next: perseus report --paths slow1$" "and the next step"
cp out whole
exits 0 "recordings may be named one by one" perseus diff base1 slow1 --also-base=base2 --also-base=base3,base4 --also-base base5 \
	--also-base=base6 --also-new=slow2,slow3,slow4,slow5,slow6
it "... with the same result" cmp -s out whole
exits 0 "the other way round" perseus diff slow1,slow2,slow3,slow4,slow5,slow6 base1,base2,base3,base4,base5,base6
says "^faster: 1 function \(f3 -1[0-9]\.[0-9] %\)$" "it is faster"
exits 0 "JSON" perseus diff --json base1,base2,base3,base4,base5,base6 slow1,slow2,slow3,slow4,slow5,slow6
it "has the row first, with all figures" python3 -c '
import json
d = json.load(open("out"))
r = d["rows"][0]
assert d["schema"] == 1 and d["changed"] >= 1 and d["purpose"] == "timing"
assert (r["kind"], r["assembler_name"], r["state"], r["line"]) == ("function", "f3", "slower", 30)
assert r["difference"]["low"] < r["difference"]["percent"] < r["difference"]["high"] and r["confidence"] > .99
assert r["base"]["calls"] == 1000 and r["new"]["self_ns"] > 1.1 * r["base"]["self_ns"]'
doc less 31 without=f4
exits 0 "a function that went" perseus diff base1 less
says "^no difference that can be told; removed: 1 function \(f4\)$" "is said beside the answer"
exits 0 "and came" perseus diff less base1
says "added: 1 function \(f4\)" "likewise"
exits 0 "all rows" perseus diff --all base1 same1
it "are shown when asked for" sh -c '[ $(grep -c "^same  " out) = 24 ]'

sed 's/"schema": 1,/"schema": 1, "command": ["p", "100"], "cpu": "A", "cores": 8, "load_before": 0.1,/' base1 >here
sed 's/"schema": 1,/"schema": 1, "command": ["p", "200"], "cpu": "B", "cores": 2, "load_before": 3.5,/' base1 >there
exits 0 "runs of another command line and machine" perseus diff here there
says "^caution: the command lines differ: base was run with '100', new with '200'$" "are named"
says "^caution: the machines differ: 8 cores of 'A', and 2 of 'B'$" "likewise"
says "^caution: the load of the machine was 0.1 before base and 3.5 before new" "and another load"
exits 0 "of the same" perseus diff here here
silent "^caution" "are not"

# What cannot be compared.
doc sharing 41 purpose=sharing
doc dead 42 complete=no
doc other 43 program=q
printf '{"schema": 1, "complete": true, "program": "p", "findings": [%s]}' '{"id": "share-000001", "subject": "stats.rx/tx", "significant": true,
	"cost_percent": 11.4, "cost_percent_low": 9.8, "cost_percent_high": 12.9, "transfers_per_s": 310000}' >shared
printf '{"schema": 1, "complete": true, "program": "p", "findings": []}' >cured
exits 2 "times of a sharing run" perseus diff base1 sharing
exits 2 "timing and sharing" perseus diff base1 shared
says "'shared' is a sharing run, and the first one is a timing run" "by name" "$T/err"
exits 4 "an incomplete recording" perseus diff base1 dead
says "'dead' is incomplete: it was killed" "and why" "$T/err"
exits 4 "another program" perseus diff base1 other
says "few functions in common" "and how that shows" "$T/err"
exits 4 "a missing run" perseus diff base1 missing
exits 2 "one side" perseus diff base1
exits 2 "three sides" perseus diff base1 base2 base3
exits 2 "no name at all" perseus diff , base1
exits 2 "noise of nothing" perseus diff --noise=0 base1 base2

# Findings.
exits 0 "a finding that went" perseus diff shared cured
says "removed: 1 finding \(stats.rx/tx\)" "is gone"
exits 0 "and came" perseus diff cured shared
says "^no difference that can be told; added: 1 finding|added: 1 finding" "is new"
exits 0 "the same finding" perseus diff shared shared
says "^no difference that can be told$" "has not changed"

# Documents that are none.
head -c 700 base1 >cut
exits 4 "a document cut short" perseus diff base1 cut
says "'cut' is not JSON: line 1" "where it is wrong" "$T/err"
echo '{"schema": 1}' >empty
exits 4 "JSON of something else" perseus diff base1 empty
says "perseus report --json RUN writes one" "and what is expected" "$T/err"
: >nothing
exits 4 "an empty file" perseus diff base1 nothing
exits 0 "a page" perseus diff --html=diff.html --all --json base1,base2,base3,base4,base5,base6 slow1,slow2,slow3,slow4,slow5,slow6
it "holds what --json prints, and a row for each of its rows" python3 -c '
import json, re
page, said = open("diff.html").read(), json.load(open("out"))
held = json.loads(re.search("id=.diff.>(.*?)</script>", page, re.S).group(1))
assert held == said
assert page.count("<tr><td>") == len(said["rows"]), (page.count("<tr><td>"), len(said["rows"]))
'
exits 0 "runs of another machine, as a page" perseus diff --html=machines.html here there
it "its page says what the text says" python3 -c '
import html, re
page = " ".join(html.unescape(re.sub("<[^>]*>", " ", open("machines.html").read().split("<script")[0])).split())
text = open("out").read()
said = re.findall(r"^caution: .*(?:\n  .*)*", text, re.M) + [text[text.index("Differences below"):]]
assert len(said) > 3, said
for words in said:
    assert " ".join(words.split()) in page, (words, page)
whole = re.search(r"^base .*  (\S+ \S+) of thread time\nnew .*  (\S+ \S+), (.*)$", text, re.M)
assert "thread time: %s -> %s, %s" % whole.groups() in page, page'
exits 3 "a page that cannot be written" perseus diff --html=none/diff.html base1 slow1
exits 4 "a program" perseus diff base1 "$(command -v sh)"
says "neither a run nor a document" "is not taken for one" "$T/err"
printf '<!doctype html><p>hello</p>' >page.html
exits 4 "a page of something else" perseus diff base1 page.html
printf '<!doctype html><script type="application/json" id="report">%s</script></html>' "$(sed 's/</\\u003c/g' base1)" >page.html
exits 0 "a page with a document" perseus diff page.html base1
says "^no difference that can be told$" "is read like the document"
head -c -7 page.html >cut.html
exits 4 "a page without its end" perseus diff cut.html base1
says "'cut.html' is a page that is cut" "may lack more than that" "$T/err"
sed 's/"self_ns": *[0-9.]*/"self_ns": "much"/' base1 >altered
it "a figure that is none" sh -c '! cmp -s base1 altered'
exits 4 "a document with a figure that is none" perseus diff altered base1
says "'altered' is damaged: row 1 of its functions has no numbers" "says where" "$T/err"
# What both call is no sign that they are one program; what both define is.
python3 -c '
import json
d = json.load(open("base1"))
for name in "one", "two":
    d["program"] = name
    for i, f in enumerate(d["functions"]):
        f["place_is_call"] = i % 2 == 0
        if i % 2 and name == "two":
            f["name"] = f["assembler_name"] = "other" + f["name"]
    json.dump(d, open("calls-" + name, "w"))
    if name == "two":
        for f in d["functions"]:
            f["place_is_call"] = not f["place_is_call"]
        json.dump(d, open("defines-two", "w"))
        d["program"] = "one"
        d["functions"] = json.load(open("base1"))["functions"]
        for i, f in enumerate(d["functions"]):
            f["place_is_call"] = i % 2 == 1
        json.dump(d, open("defines-one", "w"))'
exits 4 "programs that call the same functions" perseus diff calls-one calls-two
exits 0 "programs that define the same functions" perseus diff defines-one defines-two
sed 's/"f5"/"\\u001b[31mred\\u202e"/' base1 >hostile
exits 0 "names that would rule the terminal" perseus diff base1 hostile
it "do not reach it" sh -c '! grep -q "$(printf "\033")" out'

# Real runs; no time is looked at.
cat >prog.c <<'E2'
#include <stdio.h>
static __attribute__((noinline)) unsigned work(unsigned n) { unsigned s = n; while (n--) s = s * 31 + n; return s; }
__attribute__((noinline)) unsigned twice(unsigned n) { return work(n) ^ work(n / 2); }
int main(void) { unsigned s = 0; for (int i = 0; i < 2000; i++) s = s * 31 + twice(2000 + (unsigned)i); printf("%u\n", s); return 0; }
E2
(for i in 1 2 3 4 5 6 7 8 9 10; do echo "/* a line */"; done; cat prog.c) >moved.c
for p in prog moved; do
	cp $p.c app.c
	gcc -O1 -g $(perseus flags) -o app app.c || echo "Bail out! cannot build"
	perseus record -o run-$p ./app >/dev/null 2>&1
done
perseus report --json --calls 1000 run-prog >prog.json
perseus report --html=prog.html run-prog >/dev/null 2>&1
exits 0 "a run and its document" perseus diff --all run-prog prog.json
silent "^(slower|faster|added|removed|not known)" "are the same"
says "twice" "row by row"
# A page of a timing and of a sharing run has both.
for run in timing sharing; do tar -xzf "$top/tests/record/golden/1.3-$run.tar.gz"; done
perseus report --html=both.html 1.3-timing 1.3-sharing >/dev/null 2>&1
exits 0 "the findings of a page with both" perseus diff --all --findings both.html 1.3-sharing
says "^same +together.left/right" "are those of the run"
exits 0 "... without the word its times" perseus diff both.html 1.3-timing
exits 2 "a run without findings has none" perseus diff --findings 1.3-timing both.html
says "has no findings" "which is said" "$T/err"
exits 0 "a run and its page" perseus diff --all prog.html run-prog
silent "^(slower|faster|added|removed|not known)" "are the same, too"
perseus report --json --calls 1 run-prog >one.json
exits 0 "a document of one row" perseus diff --all run-prog one.json
silent "^removed" "removes nothing"
says "^not known" "and says that it does not know"
exits 0 "ten lines inserted above" perseus diff --json --all run-prog run-moved
it "leave every row where it was" python3 -c '
import json
for r in json.load(open("out"))["rows"]:
    assert r["state"] not in ("added", "removed") and not r["renamed"], r'
cat >share.c <<'E2'
#include <pthread.h>
static struct { volatile long rx, tx; } stats;
static void *receive(void *a) { for (int i = 0; i < 200000; i++) stats.rx++; return a; }
static void *transmit(void *a) { for (int i = 0; i < 200000; i++) stats.tx++; return a; }
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, receive, 0);
	pthread_create(&t[1], 0, transmit, 0);
	pthread_join(t[0], 0);
	return pthread_join(t[1], 0);
}
E2
gcc -O1 -g $(perseus flags) -o share share.c -pthread
perseus record --purpose=sharing -o run-share ./share >/dev/null 2>&1
mkdir -p perseus.data && mv run-prog perseus.data/app && ln -s perseus.data/app run-prog
exits 0 "a run called like its program" perseus diff app run-prog
perseus conflicts --json run-share >share.json
exits 0 "a sharing run and its document" perseus diff --json --all run-share share.json
it "are the same" python3 -c '
import json
d = json.load(open("out"))
assert d["purpose"] == "sharing" and not (d["changed"] or d["added"] or d["removed"])
assert all(r["base"] == r["new"] for r in d["rows"])'
exits 2 "a timing run beside it" perseus diff run-prog run-share
says "same purpose" "is said" "$T/err"
cd "$top" || exit 1
finish
