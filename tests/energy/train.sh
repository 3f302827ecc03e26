#!/bin/sh
# SPDX-License-Identifier: MIT
# Training programs under a made-up meter: each compiles, runs and makes a row; budget, resuming, refusals.
# How busy the machine is decides nothing here: no watts are judged.
. tests/lib.sh
here=$PWD
cd "$T" || exit 1
sensor=root/sys/class/hwmon/hwmon0
mkdir -p $sensor
echo chip >$sensor/name
echo 10000000 >$sensor/power1_input
train() { perseus energy train --sysroot=root -o training.csv --seconds=0.05 --cores=2 "$@"; }

exits 0 "a few programs are run" train --programs=6 --sources=programs
says 'all 12 rows' "... each on one core and on two"
says 'row 1 of 12, .* left: b-add on 1 core$' "... with progress and an estimate"
cp training.csv first.csv
it "... a row for each" sh -c "[ \$(tail -n +2 training.csv | wc -l) = 12 ] && [ \$(cut -d, -f1,3 training.csv | sort -u | wc -l) = 13 ]"
it "... with what they drew and did" python3 -c "
import csv
for r in csv.DictReader(open('training.csv')): assert abs(float(r['watts']) - 10) < 1e-6 and float(r['seconds']) >= 0.05 and float(r['cpu-seconds']) >= 0, r"
it "... and their sources are kept" test -s programs/b-add.c
exits 0 "the same again" train --programs=6
says 'all 12 rows' "... runs nothing"
it "... and changes nothing" cmp first.csv training.csv
exits 0 "more programs" train --programs=8
says 'all 16 rows' "... go on behind them"
it "... with the rows that were there" sh -c "head -n 13 training.csv | cmp - first.csv"
# A row that was cut off by a kill is run again.
head -c $(($(wc -c <training.csv) - 5)) training.csv >cut.csv
mv cut.csv training.csv
exits 0 "a table whose last row was cut" train --programs=8
it "... gets that row again" sh -c "[ \$(tail -n +2 training.csv | wc -l) = 16 ] && [ \$(awk -F, '{ print NF }' training.csv | sort -u | wc -l) = 1 ]"
exits 0 "a budget that is too small" perseus energy train --sysroot=root -o small.csv --seconds=0.05 --cores=1 --programs=400 --time=1.5
says '[0-9]+ of 400 rows; the same command goes on' "... ends in time, and it is said"
it "... with whole rows" awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' small.csv
exits 0 "all programs of one kind of work compile and run" perseus energy train --sysroot=root -o all.csv --seconds=0.01 --cores=1 --programs=40
it "... each once" sh -c "[ \$(grep -c '^b-' all.csv) = 35 ] && [ \$(grep -c '^mix-1-' all.csv) = 5 ]"
it "... and the table can be fitted or says why not" sh -c "perseus energy fit all.csv -o e.yaml || [ \$? = 4 ]"
# The rows with the watts of a secret machine instead: what each count costs is found again.
cat >secret.py <<'P'
import csv, random
r = random.Random(1)
rows = list(csv.DictReader(open("all.csv")))
with open("secret.csv", "w") as f:
    w = csv.DictWriter(f, rows[0].keys())
    w.writeheader()
    for x in rows:
        s = float(x["seconds"])
        w.writerow(x | {"watts": "%.9g" % ((6 + 9 * float(x["cpu-seconds"]) / s + 2e-5 * float(x["page-faults"]) / s) * r.gauss(1, 1e-4))})
P
it "a secret machine draws by what the programs did" python3 secret.py
exits 0 "... its table is fitted" perseus energy fit secret.csv --events=cpu-seconds,page-faults,calls --json -o secret.yaml
it "... each weight within 2 %" python3 -c "
import json; d = json.load(open('out')); m = d['models'][0]
w = dict(zip([e['name'] for e in d['events'] if e['used']], m['weights']))
print(w, m['constant'])
assert abs(m['constant'] / 6 - 1) < 0.02 and abs(w['cpu-seconds'] / 9 - 1) < 0.02 and abs(w['page-faults'] / 2e-5 - 1) < 0.02 and w['calls'] * 1e7 < 0.02, w"
cp "$here/tests/energy/secret.c" .
gcc -O1 -g -fplugin="$PLUGIN" -o program secret.c -lpthread
printf '%012d\n' 0 >counter
perseus record -q --energy=none ./program counter 0 8
exits 0 "... another program of that machine" perseus report --energy --energy-model=secret.yaml --json
it "... draws within 2 % what is modelled" python3 -c "
import json, re; e = json.load(open('out'))['energy']; t = open('perseus.data/last/joules.yaml').read()
s, c, f = (float(re.search(rf'^{k}: (.*)', t, re.M)[1]) for k in ('seconds', 'cpu_seconds', 'page_faults'))
true = 6 * s + 9 * c + 2e-5 * f
print(true, e); assert e['mode'] == 'modelled' and abs(e['joules'] / true - 1) < 0.02"
it "the same seed gives the same programs" sh -c "train() { perseus energy train --sysroot=root -o \$1.csv --seconds=0.01 --cores=1 --programs=2 --seed=\$2 --sources=\$1; }; train a 7; train b 7; cmp a/mix-7-0.c b/mix-7-0.c || [ ! -e a/mix-7-0.c ]"

# What is refused.
printf 'program,family,cores,other\nx,y,1,2\n' >other.csv
exits 4 "a table of other columns" perseus energy train --sysroot=root -o other.csv --programs=2
says 'has other columns than would be written here' "... is not added to"
it "... and stays as it was" sh -c "[ \$(wc -l <other.csv) = 2 ]"
mkdir none
exits 3 "a machine without a meter" perseus energy train --sysroot=none -o none.csv
says 'shows no meter' "... is named"
it "... and nothing is written" test ! -e none.csv
exits 3 "a compiler that is none" perseus energy train --sysroot=root -o c.csv --compiler=false --programs=2
says 'false cannot compile' "... is named"
exits 2 "options of fit" train --model=ols
exits 2 "a word too many" train there
exits 2 "options of train with fit" perseus energy fit all.csv --seconds=1
mkdir -p still/sys/class/powercap/intel-rapl:0
echo package-0 >still/sys/class/powercap/intel-rapl:0/name
echo 5 >still/sys/class/powercap/intel-rapl:0/energy_uj
exits 3 "a meter that stands still" perseus energy train --sysroot=still -o still.csv --seconds=0.05 --programs=2
says 'did not move' "... shows nothing, and it is said"
finish
