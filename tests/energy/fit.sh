#!/bin/sh
# SPDX-License-Identifier: MIT
# Models of a machine whose costs are known, and tables that are no tables.
. tests/lib.sh
secret=tests/energy/secret.py
python3 $secret 1 0.005 >"$T/train.csv"
python3 $secret 2 0.005 6 >"$T/other.csv"

exits 0 "a table with columns known by their names is fitted" perseus energy fit "$T/train.csv" --json -o "$T/energy.yaml"
cp "$T/out" "$T/fit.json"
cat >"$T/weights.py" <<'P'
import json, sys
doc = json.load(open(sys.argv[1]))
events = [e["name"] for e in doc["events"] if e["used"]]
m = doc["models"][0]
got = dict(zip(events, m["weights"]))
state = {e["name"]: e["state"] for e in doc["events"]}
print(got, state, m["constant"])
for name, true in (("a", 1.2e-9), ("b", 0.4e-9), ("c", 3e-9)):
    assert abs(got[name] / true - 1) < 0.02, name
assert abs(m["constant"] / 5 - 1) < 0.02
assert abs(got["d"]) < 0.02e-9
assert state["z"] == "zero" and state["e"] == "duplicate" and state["n"] == "duplicate"
assert doc["per"] == "second"
P
it "each weight is the machine's within 2 %" python3 "$T/weights.py" "$T/fit.json"
exits 0 "other programs of the machine are estimated" perseus energy check "$T/energy.yaml" "$T/other.csv" --fail-on=90
# Twins: another machine; counts that no training program had.
awk -F, -v OFS=, 'NR > 1 { $5 *= 1.3 } 1' "$T/other.csv" >"$T/hot.csv"
exits 1 "a machine that draws a third more is noticed" perseus energy check "$T/energy.yaml" "$T/hot.csv" --fail-on=90
awk -F, -v OFS=, 'NR > 1 { $8 *= 40 } 1' "$T/other.csv" >"$T/far.csv"
exits 0 "counts beyond those of training are extrapolations" perseus energy check "$T/energy.yaml" "$T/far.csv"
says '^outside +240 rows \(100' "... all of them"
says ' c beyond its range' "... and the event is named"

# A sequence of programs counts what its parts count, or the event is no cause.
{ cat "$T/train.csv"; python3 $secret 1 0.005 2 | awk -F, -v OFS=, 'NR > 1 { $1 = "p00+p01"; $12 += 9e8; print }'; } >"$T/sequence.csv"
exits 0 "a table with a sequence of programs is fitted" perseus energy fit "$T/sequence.csv" --no-events=a,e --json -o "$T/s.yaml"
it "an event whose counts do not add up is left out" python3 -c "
import json; d = json.load(open('$T/out')); e = {x['name']: x for x in d['events']}
assert e['n']['state'] == 'not-additive' and not e['n']['used'], e['n']
assert e['b']['used'] and d['programs'] == 12, (e['b'], d['programs'])"

# Tables that are none: message with the place, status 4, nothing written.
bad() { # TEXT PATTERN AWK-PROGRAM [OPTION...]
	text=$1 pattern=$2 program=$3
	shift 3
	awk -F, -v OFS=, "$program" "$T/train.csv" >"$T/bad.csv"
	rm -f "$T/bad.yaml"
	exits 4 "$text" perseus energy fit "$T/bad.csv" "$@" -o "$T/bad.yaml"
	says "$pattern" "... said with its place"
	it "... and nothing is written" test ! -e "$T/bad.yaml"
}
bad "a text among numbers" "line 7, column 6 \(a\): expected a number, found 'many'" 'NR == 7 { $6 = "many" } 1'
bad "not a number" "line 7, column 6 \(a\): expected a number, found 'nan'" 'NR == 7 { $6 = "nan" } 1'
bad "a negative count" "line 9, column 7 \(b\): expected a count" 'NR == 9 { $7 = -1 } 1'
bad "a negative time" "line 9, column 3 \(seconds\): expected a number above 0" 'NR == 9 { $3 = "-0.5" } 1'
bad "a column too few" "line 5: 11 columns, the first line has 12" 'NR == 5 { NF = 11 } 1'
bad "one program only" "1 program: a model cannot be tested" 'NR > 1 { $1 = "p" } 1'
bad "fewer rows than events" "at least" 'NR < 4 || (NR > 60 && NR < 63)'
bad "milliwatts that are called watts" "suspected to be in mW" 'NR > 1 { $5 *= 1000 } 1'
bad "names and no rows" "has names and no rows" 'NR == 1'
bad "no names" "expected a name in the first line" 'NR > 1'
bad "no power" "no column of power" 'NR == 1 { $5 = "x" } 1'
bad "two powers" "both 'watts' and 'power' could be the power" 'NR == 1 { $6 = "power" } 1'
awk -F, -v OFS=, 'NR > 1 { $5 *= 1000 } 1' "$T/train.csv" >"$T/milli.csv"
exits 4 "... nor when they are checked" perseus energy check "$T/energy.yaml" "$T/milli.csv"
says 'suspected to be in mW' "... with the unit that they seem to be in"
says '  --power-unit=mW says so, --power-unit=W that it is right' "... and how to say which"
awk -F, -v OFS=, 'NR > 1 { $5 = 1000 * $6 } 1' "$T/train.csv" >"$T/count.csv"
exits 4 "counts in the place of watts" perseus energy fit "$T/count.csv" -o "$T/bad.yaml"
says 'no unit makes that what a processor draws' "... are in no unit"
exits 0 "the unit can be said" perseus energy fit "$T/milli.csv" --power-unit=mW -o "$T/milli.yaml"
exits 4 "a table that is not there" perseus energy fit "$T/none.csv" -o "$T/bad.yaml"
: >"$T/empty.csv"
exits 4 "an empty table" perseus energy fit "$T/empty.csv" -o "$T/bad.yaml"
head -c 3000 /dev/urandom >"$T/random"
exits 4 "no table at all" perseus energy fit "$T/random" -o "$T/bad.yaml"
gzip -c "$T/train.csv" | head -c 4000 >"$T/cut.gz"
exits 4 "a compressed file that was cut" perseus energy fit "$T/cut.gz" -o "$T/bad.yaml"
mkdir "$T/folder"
exits 4 "a folder" perseus energy fit "$T/folder" -o "$T/bad.yaml"
says "folder': Is a directory" "... is called one"
silent 'behind line 0' "... behind no line"
exits 4 "a model without the event" perseus energy check "$T/energy.yaml" "$T/train.csv" --no-events=c
exits 0 "columns can be named" perseus energy fit "$T/train.csv" --column=power=watts --column=family=run -o "$T/named.yaml"
exits 4 "... that are there" perseus energy fit "$T/train.csv" --column=power=nobody -o "$T/bad.yaml"
says "has no column 'nobody'" "... by name"
exits 2 "... in a role that there is" perseus energy fit "$T/train.csv" --column=shoe=watts -o "$T/bad.yaml"
exits 2 "an unknown method" perseus energy fit "$T/train.csv" --model=magic
exits 3 "a place that cannot be written" perseus energy fit "$T/train.csv" -o "$T/none/x.yaml"

# Forms of text: quotes, comments, decimal commas; what they say or a refusal, never another number.
same() { # TEXT FILE: it is fitted to what the plain table says
	exits 0 "$1" perseus energy fit "$2" --json -o "$T/form.yaml"
	it "... to the same weights" python3 -c "
import json; a, b = (json.load(open(f))['models'][0]['weights'] for f in ('$T/fit.json', '$T/out'))
assert a == b, (a, b)"
}
awk 'NR == 1 { print "# a comment, with, commas"; print "#"; print; next } NR == 20 { print "# stopped here" } 1' "$T/train.csv" >"$T/comments.csv"
same "comments are passed over" "$T/comments.csv"
awk -F, -v OFS=, 'NR > 1 { $1 = "\"" $1 ", the \"\"" NR % 2 "\"\" one\"" } 1' "$T/train.csv" | sed 's/, the ""[01]"" one/, all ""of"" it/' >"$T/quotes.csv"
same "separators and quotes inside of quotes" "$T/quotes.csv"
it "... are part of the name" grep -q 'all \\"of\\" it' "$T/form.yaml"
awk 'NR > 1 { gsub(/\./, "@") } { gsub(/,/, ";"); gsub(/@/, ","); print }' "$T/train.csv" >"$T/decimal.csv"
same "decimal commas" "$T/decimal.csv"
exits 0 "... also of a table to check" perseus energy check "$T/energy.yaml" "$T/decimal.csv" --fail-on=90
it "a table from standard input is checked" sh -c "perseus energy check '$T/energy.yaml' - <'$T/other.csv'"
form() { # TEXT PATTERN FILE: refused
	exits 4 "$1" perseus energy fit "$3" -o "$T/bad.yaml"
	says "$2" "... is refused with the reason"
}
sed '9s/\([0-9]\),\([0-9]\)/\1.\2/' "$T/decimal.csv" >"$T/both.csv"
form "a point among decimal commas" "line 9, .*one decimal mark" "$T/both.csv"
printf 'program;watts;a;seconds\np;1,500;5;1\nq;2,500;7;1\n' >"$T/thousands.csv"
form "commas that may be of thousands" "line 2: the comma may be a decimal one or one of thousands" "$T/thousands.csv"
awk -F, -v OFS=, 'NR == 8 { sub(/\./, ",", $5) } 1' "$T/train.csv" >"$T/comma.csv"
form "a decimal comma between commas" "line 8: 13 columns.*" "$T/comma.csv"
says "decimal commas\?" "... and what to do"
sed '7s/^/"/' "$T/train.csv" >"$T/open.csv"
form "a quote that does not end" "line 7, column 1: a quote that does not end" "$T/open.csv"
# Counters that took turns.
turns() { awk -F, -v OFS=, -v part="$1" 'NR == 1 { print $0, "time_enabled", "time_running"; next } { print $0, 1000, 1000 * part }' "$T/train.csv" >"$T/turns.csv"; }
turns 0.5
exits 0 "a table of counters that took turns is fitted" perseus energy fit "$T/turns.csv" --json -o "$T/turns.yaml"
it "... and its events are marked" python3 -c "
import json; s = [e['state'] for e in json.load(open('$T/out'))['events'] if e['used']]
assert 'multiplexed' in s and 'good' not in s, s"
turns 1
exits 0 "a table of counters that did not" perseus energy fit "$T/turns.csv" --json -o "$T/turns.yaml"
silent multiplexed "... has no such mark"
cut -d, -f1-13 "$T/turns.csv" >"$T/half.csv"
form "one of the two columns" "one of the columns time_enabled and time_running" "$T/half.csv"

# More numbers of cores than programs; no frequency; rows in any order; names with units.
awk -F, -v OFS=, 'NR == 1 { print $0, "cores"; next } { print $0, NR % 9 + 1 }' "$T/train.csv" | grep -E '^(program|p0[0-2])' >"$T/cores.csv"
exits 0 "three programs on nine numbers of cores are fitted" perseus energy fit "$T/cores.csv" --json -o "$T/cores.yaml"
cut -d, -f1-3,5- "$T/train.csv" >"$T/any.csv"
exits 0 "a table without a frequency is fitted" perseus energy fit "$T/any.csv" -o "$T/any.yaml"
says '^any +480 ' "... and its model is of any"
exits 0 "... and estimates" perseus energy check "$T/any.yaml" "$T/any.csv" --fail-on=90
{ head -n 1 "$T/train.csv"; tail -n +2 "$T/train.csv" | sort -t, -k6,6; } >"$T/mixed.csv"
exits 0 "rows in another order are fitted" perseus energy fit "$T/mixed.csv" --json -o "$T/mixed.yaml"
cat >"$T/same.py" <<'P'
import json, re, sys
a, b = (json.load(open(f)) for f in sys.argv[1:3])
for x, y in zip(a["models"], b["models"]):
    for p, q in zip(x["errors"], y["errors"]):
        for key in ("mean", "run", "run_worst", "worst"): assert abs(p[key] - q[key]) < 1e-9, (key, p, q)
limits = [float(re.search("distance: (.*)", open(f).read())[1]) for f in sys.argv[3:5]]
assert abs(limits[0] / limits[1] - 1) < 0.02, limits
P
cp "$T/out" "$T/mixed.json"
it "... to the same errors and limits" python3 "$T/same.py" "$T/fit.json" "$T/mixed.json" "$T/energy.yaml" "$T/mixed.yaml"
unit() { # NAME FACTOR COLUMN
	awk -F, -v OFS=, -v name="$1" -v factor="$2" -v at="$3" 'NR == 1 { $at = name } NR > 1 { $at *= factor } 1' "$T/train.csv" >"$T/unit.csv"
	exits 0 "a column '$1' is read" perseus energy fit "$T/unit.csv" --json -o "$T/unit.yaml"
	it "... in its unit" python3 -c "
import json; a, b = json.load(open('$T/fit.json')), json.load(open('$T/out'))
assert b['per'] == 'second' and abs(b['models'][0]['constant'] / a['models'][0]['constant'] - 1) < 1e-6, b
assert b['models'][0]['mhz'] == 2000, b"
}
unit 'power [mW]' 1000 5
unit power_mw 1000 5
unit 'frequency_khz' 1000 4
unit duration_ms 1000 3
awk -F, -v OFS=, 'NR == 1 { $8 = "core cycles" } 1' "$T/train.csv" >"$T/named.csv"
exits 0 "an event whose name begins like a role is one" perseus energy fit "$T/named.csv" -o "$T/named.yaml"
says '^columns .*; the other 7 are events' "... and what was taken for what is said"
exits 4 "a program to test that is not there" perseus energy fit "$T/train.csv" --test=p00,nobody -o "$T/bad.yaml"
exits 2 "best events are of least squares" perseus energy fit "$T/train.csv" --most-events=2 -o "$T/bad.yaml"
grep -E '^(program|p0[01])' "$T/train.csv" >"$T/two.csv"
exits 0 "two programs are fitted" perseus energy fit "$T/two.csv" -o "$T/two.yaml"
says 'how far it holds is not known' "... and nothing is claimed"
exits 4 "... nor held against others" perseus energy check "$T/two.yaml" "$T/other.csv" --fail-on=50

# A meter that hangs or skips: rows that are far off count little, to one method.
awk -F, -v OFS=, 'NR > 1 && NR % 17 == 0 { $5 *= 8 } NR > 1 && NR % 29 == 0 { $5 *= 0.1 } 1' "$T/train.csv" >"$T/wild.csv"
for model in robust ols; do
	exits 0 "a table with rows far off is fitted by $model" perseus energy fit "$T/wild.csv" --model=$model --json -o "$T/$model.yaml"
	cp "$T/out" "$T/$model.json"
done
cat >"$T/costs.py" <<'P'
import json, sys
doc = json.load(open(sys.argv[1]))
m = doc["models"][0]
got = dict(zip([e["name"] for e in doc["events"] if e["used"]], m["weights"]), constant=m["constant"])
print(got)
for name, true in (("a", 1.2e-9), ("b", 0.4e-9), ("c", 3e-9), ("constant", 5)): assert abs(got[name] / true - 1) < 0.02, name
P
it "... by robust to the machine's weights within 2 %" python3 "$T/costs.py" "$T/robust.json"
it "... which ols misses" sh -c "! python3 '$T/costs.py' '$T/ols.json'"
it "... and says its name" grep -q '^method: robust' "$T/robust.yaml"
exits 0 "a table without such rows" perseus energy fit "$T/train.csv" --model=robust --json -o "$T/robust.yaml"
it "... is fitted as well" python3 "$T/costs.py" "$T/out"
exits 0 "... and its model checks others" perseus energy check "$T/robust.yaml" "$T/other.csv" --fail-on=90
exits 2 "best events are not robust's" perseus energy fit "$T/train.csv" --model=robust --most-events=2 -o "$T/bad.yaml"

# One of a thing is called one.
head -n 2 "$T/other.csv" >"$T/one.csv"
exits 0 "a table of one row is checked" perseus energy check "$T/energy.yaml" "$T/one.csv"
says ' of 1 row is within the interval' "... and called one row"
silent '1 rows' "... only"

# Mutated tables end with a status of ours.
cat >"$T/mutate.py" <<'P'
import random, subprocess, sys
text = open(sys.argv[1], "rb").read()[:6000]
bad = 0
for seed in range(120):
    r = random.Random(seed)
    b = bytearray(text)
    for _ in range(r.randint(1, 12)):
        i = r.randrange(len(b))
        b[i:i + r.randint(0, 3)] = bytes(r.choice([0, 10, 44, 45, 46, 57, 69, 101, 255]) for _ in range(r.randint(0, 3)))
    open(sys.argv[2], "wb").write(b)
    s = subprocess.run(["perseus", "energy", "fit", sys.argv[2], "-o", sys.argv[2] + ".yaml"], capture_output=True).returncode
    if s not in (0, 4): bad = 1; print(seed, s)
sys.exit(bad)
P
it "mutated tables are fitted or refused" python3 "$T/mutate.py" "$T/train.csv" "$T/mutated.csv"
finish
