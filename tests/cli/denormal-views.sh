#!/bin/sh
# SPDX-License-Identifier: MIT
# Denormals beside the source and as SARIF: the figures are those of perseus denormals.
. tests/lib.sh
top=$PWD
py=/usr/bin/python3
cd "$T" || exit 1
cp "$top/tests/page/phased.c" .
it "a program builds" gcc -O1 -g $(perseus flags) -o phased phased.c -pthread
mkdir counted
it "... and with counters" gcc -O1 -g $(perseus flags --probe=denormal:full) -o counted/phased phased.c -pthread
sed 's/1e-36f/1.0f/; s/0.25f/0.9f/' phased.c >normal.c
it "its twin, in which nothing fades" gcc -O1 -g $(perseus flags --probe=denormal:full) -o normal normal.c -pthread
it "a timing run" perseus record -q -o timed ./phased
it "denormals are counted" perseus record -q --purpose=denormal -o den counted/phased
it "... and those of the twin" perseus record -q --purpose=denormal -o none ./normal
perseus denormals --json den >den.json
line=$(grep -n 'cells\[i\] \*=' phased.c | cut -d: -f1)
exits 0 "a source with both" perseus annotate phased.c timed den
says "^ +40,000 +1,320,000 +$line " "the line where they are born"
says "born +denormals   line" "... under its heads"
exits 0 "in the other order" perseus annotate phased.c den timed
says "^ +40,000 +1,320,000 +$line " "... the same"
exits 0 "times alone" perseus annotate phased.c timed
silent "born" "have no denormals"
exits 2 "two that counted" perseus annotate phased.c den none
exits 0 "as JSON" perseus annotate --json phased.c timed den
cp out a.json
it "the sums are those of perseus denormals" $py -c '
import json
a, d = json.load(open("a.json")), json.load(open("den.json"))
assert sum(l["births"] for l in a["lines"]) == d["total"]["births"] == 40000
assert sum(l["denormals"] for l in a["lines"]) == sum(d["total"][k] for k in ("results", "loads", "stores"))
assert "denormal_cost_ns_high" not in a["lines"][0]
'
exits 0 "SARIF" perseus export --to sarif -o den.sarif den
exits 0 "... of the twin" perseus export --to sarif -o none.sarif none
it "each line with births is a warning" $py -c '
import json
s, d = json.load(open("den.sarif")), json.load(open("den.json"))
r = s["runs"][0]["results"]
births = [x for x in r if x["ruleId"] == "denormal-birth"]
assert [x["locations"][0]["physicalLocation"]["region"]["startLine"] for x in births] == [x["line"] for x in d["births"]]
assert [x["properties"]["births"] for x in births] == [x["births"] for x in d["births"]]
assert all(x["level"] == ("warning" if x["ruleId"] == "denormal-birth" else "note") for x in r)
assert len({x["partialFingerprints"]["perseusEvidence/v1"] for x in r}) == len(r)
none = json.load(open("none.sarif"))["runs"][0]["results"]
assert none == [], none
'
if $py -c 'import jsonschema' 2>/dev/null; then
	it "... by the schema of the standard" $py -c '
import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
for f in "den.sarif", "none.sarif":
    jsonschema.Draft4Validator(schema).validate(json.load(open(f)))
' "$top/tests/cli/sarif-2.1.0.json"
else
	skip "... by the schema of the standard" "no python3-jsonschema"
fi
exits 4 "other formats want calls" perseus export --to folded den
finish
