#!/bin/sh
# SPDX-License-Identifier: MIT
# Joules of runs on a machine that the program itself makes up, so that load decides nothing:
# sums, shares of functions that are known, and what is said where nothing is known.
. tests/lib.sh
cp tests/energy/secret.c "$T"
gcc -O1 -g -fplugin="$PLUGIN" -o "$T/secret" "$T/secret.c" -lpthread || exit 1
cd "$T" || exit 1
zone=root/sys/class/powercap/intel-rapl:0
mkdir -p $zone
echo package-0 >$zone/name
echo 262143328850 >$zone/max_energy_range_uj
run() { # FIRST-UJ OPTION...: eight rounds, 32,000 calls, 64 J
	first=$1
	shift
	printf '%012d\n' "$first" >$zone/energy_uj
	perseus record --sysroot=root --energy "$@" ./secret $zone/energy_uj "$first" 8
}
cat >look.py <<'P'
import json, sys
d = json.load(open("out"))
e = d["energy"]
def line(table, name): return next((x for x in d[table] if x["name"].startswith(name)), None)
def share(name): return line("functions", name)["joules"] / program
program = e.get("joules", 0) - e.get("others_joules", 0)
for table in ("programs", "threads", "functions", "sites", "phases"):
    if e["mode"] == "absent": assert not d[table], table
    else:
        got, want = sum(x["joules"] for x in d[table]), e["joules"] if table == "programs" else program
        assert abs(got - want) < 1e-6 * want, (table, got, want)
        assert all(x["joules"] >= 0 and x["how"] in ("measured", "modelled") for x in d[table]), table
eval(sys.argv[1]) or sys.exit(f"{sys.argv[1]}: {e} {[(x['name'], x['joules']) for x in d['functions'][:4]]}")
P
look() { it "$1" python3 look.py "$2"; } # TEXT EXPRESSION over the JSON in out

exits 0 "a run with a made-up meter" run 5000000 -q
it "... that only their owner can read" sh -c '[ "$(stat -c %a perseus.data/last/joules.yaml)" = 600 ]'
exits 0 "... has joules" perseus report --energy --json
look "... as many as were drawn, and all tables add up to them" 'abs(e["joules"] - 64) < 1e-6 and e["mode"] == "measured" and e["dealt_by"] == "CPU time"'
look "... from the zone that was there" 'e["source"] == "powercap package-0" and e["wraps"] == 0'
look "... and phases of both kinds" 'line("phases", "phase 1 (opened by the create")["joules"] > 0'
exits 0 "... as text" perseus report --energy
says '^energy +64 J in .* measured \+- [0-9.]+ %' "... with its error"
says '^others +what other programs did is not known' "... and what is not known"
says 'heavy secret.c.* by CPU time, measured$' "... each figure says how it is known"
exits 0 "the rule for what is drawn anyway can be chosen" perseus report --energy --energy-rule=equal --json
look "... and is said" 'e["rule"] == "equal"'
exits 2 "a rule that there is not" perseus report --energy --energy-rule=fair

exits 0 "a counter that wraps around" run 262143300000 -q
perseus report --energy --json >out
look "... is followed" 'abs(e["joules"] - 64) < 1e-6 and e["wraps"] == 1'
exits 0 "a counter that falls otherwise" sh -c "printf '%012d\n' 900000000 >$zone/energy_uj; perseus record -q --sysroot=root --energy ./secret $zone/energy_uj 5 8"
exits 3 "... gives no joules" perseus report --energy
says 'absent: the counter of package-0 fell .* it was set anew' "... and the reason"
echo 5000000 >$zone/energy_uj
printf "%012d\n" 5000000 >other
exits 0 "a counter that stands still" perseus record --sysroot=root --energy ./secret other 5000000 1
says 'not measured: the meter did not move while the program ran' "... has measured nothing"
says 'perseus report --energy --energy-model=FILE' "... and a model may tell"
exits 3 "... which is no 0 J" perseus report --energy

# A model of the secret machine from its own table: 0.5 W, 2 mJ a call, nothing for CPU time.
python3 - >train.csv <<'P'
import random
r = random.Random(4)
print("program,seconds,watts,calls,cpu-seconds")
for p in range(10):
    for i in range(30):
        calls, s, cpu = r.uniform(0, 9e4) * (p + 1) / 5, r.uniform(0.3, 3), r.uniform(0, 4)
        print(f"p{p},{s:.6f},{(0.5 + 2e-3 * calls / float(f'{s:.6f}')) * r.gauss(1, 0.002):.9g},{calls:.0f},{cpu:.6f}")
P
it "a model of the machine is fitted" perseus energy fit train.csv -o energy.yaml
it "... within 2 %" python3 -c "
import re; t = open('energy.yaml').read()
w = [float(x) for x in re.search(r'weights: \[(.*)\]', t)[1].split(',')]; c = float(re.search('constant: (.*)', t)[1])
print(w, c); assert abs(w[0] / 2e-3 - 1) < 0.02 and w[1] < 0.02 and abs(c / 0.5 - 1) < 0.1, (w, c)"
exits 0 "a run where counts stand in for counters" run 5000000 -q
exits 0 "... is dealt by the model" perseus report --energy --energy-model=energy.yaml --json
look "... three quarters to one function, within 3 %" 'abs(share("heavy") / 0.75 - 1) < 0.03'
look "... one quarter to the other" 'abs(share("light") / 0.25 - 1) < 0.03'
look "... and threads likewise" 'abs(line("threads", "main")["joules"] / program / 0.75 - 1) < 0.03'
# Without a meter.
exits 0 "a run without a meter" run 5000000 -q --energy=none
exits 3 "... has no joules" perseus report --energy
says 'absent: no meter was asked for' "... and the reason"
says 'energy-model=energy.yaml models them' "... and the remedy"
exits 0 "... but a model has some" perseus report --energy --energy-model=energy.yaml --json
look "... which are those of the secret machine" 'e["mode"] == "modelled" and abs(e["joules"] / (64 + 0.5 * e["seconds"]) - 1) < 0.03'
look "... and by function" 'abs((line("functions", "heavy")["joules"] - line("functions", "heavy")["idle_joules"]) / (e["joules"] - e["idle_joules"]) / 0.75 - 1) < 0.03'
perseus report --energy --energy-model=energy.yaml >out
says 'modelled \+- [0-9]+ %$|modelled, extrapolated$' "... each as far as it is known"
sed 's/calls/cycles/' train.csv >cycles.csv
perseus energy fit cycles.csv -o cycles.yaml >/dev/null
exits 3 "a model of an event that was not counted" perseus report --energy --energy-model=cycles.yaml
says 'needs the event cycles, which this run did not count' "... is not used"
says 'perseus record --energy --events=cycles' "... and how to count it"
sed '1s/cpu-seconds/accesses/' train.csv >accesses.csv
perseus energy fit accesses.csv -o accesses.yaml >/dev/null
exits 3 "a model of accesses" perseus report --energy --energy-model=accesses.yaml
says 'purpose=sharing PROGRAM counts transfers and accesses' "... wants a sharing run"
exits 0 "which is" run 5000000 -q --energy=none --purpose=sharing
exits 0 "... and has them" perseus report --energy --energy-model=accesses.yaml
# A model of the time of each core, 0.5 W and 8 W on core 0, 4 W on others: a run on core 0.
python3 - >cores.csv <<'P'
import random
r = random.Random(5)
print("program,seconds,watts,core-0-on,core-1-on")
for p in range(10):
    for i in range(30):
        s, a, b = r.uniform(0.3, 3), r.random(), r.random()
        print(f"p{p},{s:.6f},{(0.5 + 8 * a + 4 * b) * r.gauss(1, 0.002):.9g},{a * s:.6f},{b * s:.6f}")
P
it "a model of the time of cores is fitted" perseus energy fit cores.csv -o cores.yaml
if taskset -c 0 true 2>/dev/null; then
	printf '%012d\n' 0 >$zone/energy_uj
	taskset -c 0 perseus record -q --sysroot=root --energy=none ./secret $zone/energy_uj 0 40
	if [ -e perseus.data/last/cores ]; then
		exits 0 "a run on core 0 is modelled" perseus report --energy --energy-model=cores.yaml --json
		look "... by that core's time" 'abs(e["joules"] / (0.5 * e["seconds"] + 8 * sum(x["cpu_seconds"] for x in d["programs"])) - 1) < 0.05'
		mv perseus.data/last/cores was
	else
		skip "a run on core 0 is modelled" "the recorder could not look where threads were"
	fi
	exits 3 "one of which the recorder did not see the cores" perseus report --energy --energy-model=cores.yaml
	says 'needs the event core-[01]-on, and the recorder could not look on which cores threads were' "... is not, for that reason"
fi
exits 0 "a run that never asked for joules" perseus record -q ./secret $zone/energy_uj 5000000 1
exits 3 "... has none" perseus report --energy
says 'absent: the run was recorded without --energy' "... for that reason"

# A meter's file that was fetched later: 3 s before the run, its clock 1 % fast, 2 ms a reading.
exits 0 "a run for an external meter" run 12000000 -q --energy=none
cat >meter.py <<'P'
import re, sys
t = open("perseus.data/last/joules.yaml").read()
seconds = float(re.search("^seconds: (.*)", t, re.M)[1])
kind = sys.argv[1]
drift = 1.5 if kind == "long" else 1.01
print("time_ms,power [mW],trigger")
m = 0.0
while m < 4 + seconds * drift:
    inside = 3 <= m < 3 + seconds * drift
    if not (kind == "gap" and 3 + seconds / 3 < m < 3 + seconds / 2):
        print(f"{m * 1000:.3f},{30000 if inside else 10000},{5 if inside and kind != 'lost' else 0}")
        if kind == "twice" and int(m * 500) % 7 == 0: print(f"{m * 1000:.3f},{30000 if inside else 10000},{5 if inside else 0}")
    m += 0.002
P
for kind in whole twice; do
	python3 meter.py $kind >meter.csv
	exits 0 "a meter's file ($kind)" perseus report --energy --meter=meter.csv --json
	look "... says 30 W, within a reading" 'abs(e["joules"] / e["seconds"] / 30 - 1) < 0.006 / e["seconds"] and e["alignment"]["by"] == "trigger"'
	# Up to two readings are no drift, and the length is off by one.
	look "... and that its clock is 1 % fast" 'abs(e["alignment"]["drift"] - 0.01) < 0.006 / e["seconds"] and abs(e["alignment"]["shift"] + 3) < 0.003'
	look "... and what was drawn before" 'abs(e["idle_joules"] / e["seconds"] / 10 - 1) < 0.01'
done
look "... whose readings are there twice" 'e["doubled"] > 0'
python3 meter.py gap >meter.csv
exits 4 "a meter's file with a gap" perseus report --energy --meter=meter.csv
says 'meter.csv.: of .* % of the run the meter has no readings, first behind' "... is refused with the place"
sed -n '1,400p' meter.csv >short.csv
exits 4 "a meter's file that ends before the run" perseus report --energy --meter=short.csv
awk -F, -v OFS=, 'NR > 1 { $2 = "much" } 1' meter.csv >text.csv
exits 4 "a text in the column of power" perseus report --energy --meter=text.csv
says "text.csv', line 2, column 2" "... with its place"
python3 meter.py whole | awk -F, -v OFS=, 'NR == 1 { print "time_ms", "watts"; next } { print $1, $2 }' >unit.csv
exits 4 "milliwatts that are called watts" perseus report --energy --meter=unit.csv
says 'suspected to be in mW' "... are suspected"
# Files of meters that are damaged are read or refused.
cat >mutate.py <<'P'
import random, subprocess, sys
text = open("meter.csv", "rb").read()
bad = 0
for seed in range(60):
    r = random.Random(seed)
    b = bytearray(text)
    for _ in range(r.randint(1, 12)):
        i = r.randrange(len(b) if seed % 2 else 400)
        b[i:i + r.randint(0, 3)] = bytes(r.choice([0, 10, 34, 44, 45, 46, 57, 69, 101, 255]) for _ in range(r.randint(0, 3)))
    open("mutated.csv", "wb").write(b)
    s = subprocess.run(["perseus", "report", "--energy", "--meter=mutated.csv"], capture_output=True).returncode
    if s not in (0, 4): bad = 1; print(seed, s)
sys.exit(bad)
P
python3 meter.py whole >meter.csv
it "mutated files of meters are read or refused" python3 mutate.py

# What other programs did meanwhile is theirs; a damaged joules.yaml is said.
exits 0 "a run beside other programs" run 5000000 -q
cp -r perseus.data/last/. beside
awk '/^cpu_seconds/ { print; print "machine_seconds: " 4 * $2; next } !/^machine_seconds/' beside/joules.yaml >j.yaml
cp j.yaml beside/joules.yaml
exits 0 "... of which three quarters of the CPU time were theirs" perseus report --energy --json beside
look "... has a quarter of the joules" 'abs(e["others_joules"] / e["joules"] - 0.75) < 1e-6 and abs(line("programs", "(other programs)")["joules"] / 64 - 0.75) < 1e-6'
look "... and has its CPU time" 'abs(line("programs", "(other programs)")["cpu_seconds"] / sum(x["cpu_seconds"] for x in d["programs"]) - 0.75) < 0.02'
sed 's/^seconds: .*/seconds: -1/' j.yaml >beside/joules.yaml
exits 4 "joules that cannot be" perseus report --energy beside
says 'joules.yaml' "... are refused by name"
python3 meter.py long >meter.csv
exits 4 "a meter's file of another run" perseus report --energy --meter=meter.csv
says 'the trigger is up from .* and the run took' "... is refused with both lengths"
python3 meter.py whole >meter.csv
awk -F, -v OFS=, 'NR == 1 { print "t_ms", "watts", "trigger"; next } { $2 /= 30; print }' meter.csv >much.csv
exits 0 "a kilowatt" perseus report --energy --meter=much.csv
says 'note +[0-9.]+ W is much: if the file has mW' "... is shown, and doubted"
exits 0 "... unless the unit was said" perseus report --energy --meter=much.csv,unit=W
silent 'is much' "... which ends the doubt"
mkfifo pipe
exits 4 "a pipe for a meter's file" timeout 20 perseus report --energy --meter=pipe
says "'pipe' is a pipe or a device: a meter's file is read more than once" "... is refused at once"
awk -F, -v OFS=, 'NR > 1 { $2 /= 1000 } 1' meter.csv >little.csv
exits 0 "thirty milliwatts" perseus report --energy --meter=little.csv
says 'note +0.0[23][0-9]* W is little' "... are shown, and doubted"
exits 0 "a page with a meter's file" perseus report --html=page.html --meter=meter.csv
it "... has its joules" grep -q 'meter meter.csv' page.html
exits 4 "a page with a meter's file of another run" perseus report --html=page2.html --meter=short.csv
it "... is not written" test ! -e page2.html
exits 0 "a page without" perseus report --html=page.html
it "... has none" sh -c "! grep -q 'meter meter.csv' page.html"
exits 4 "a folder for a meter's file" perseus report --energy --meter=root
says "'root': Is a directory" "... is none"
rm $zone/energy_uj && mkfifo $zone/energy_uj
exits 0 "a pipe for a counter" timeout 60 perseus record -q --sysroot=root --energy ./secret other 5000000 1
says 'energy_uj is a pipe or a device, no file' "... is refused at once, and the program runs"
rm $zone/energy_uj
printf '%012d\n' 5000000 >$zone/energy_uj
exits 2 "options that go with joules only" perseus report --meter=meter.csv
exits 2 "a unit of power that there is not" perseus report --energy --meter=meter.csv,unit=kW
exits 2 "a meter that there is not" perseus record --energy=sun ./secret
exits 2 "joules of a part of a run" perseus record --energy --duration=1 ./secret
exits 2 "a meter's file without joules" perseus record --meter=meter.csv ./secret
mkdir empty
exits 0 "a machine without a meter" perseus record -q --energy --sysroot=empty ./secret $zone/energy_uj 5000000 1
says 'joules are not measured: this machine shows no meter' "... says so and runs the program"
if [ "$(id -u)" != 0 ]; then
	chmod 0 $zone/energy_uj
	perseus record -q --energy --sysroot=root ./secret $zone/energy_uj 5000000 0 2>err
	says 'package-0 is there, but this user may not read it' "a zone that may not be read is named" err
	says 'chmod a\+r' "... with the remedy" err
else
	skip "a zone that may not be read" "root reads all"
fi
finish
