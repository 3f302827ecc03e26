#!/bin/sh
# SPDX-License-Identifier: MIT
# What perseus plan says: the answer first, within 80 columns, the same in text and JSON.
. tests/lib.sh
haltstate=tests/planner/models/haltstate.yaml
float=tests/planner/models/float.yaml
example=yaml/examples/model.yaml

# fits FILE: no line is longer than 80 columns
fits() { awk 'length > 80 { print; bad = 1 } END { exit bad }' "$1"; }

say() { exits 0 "$1" perseus plan "$2" -p xeon-e5320 -o "$T/plan.yaml" $3; }

say "a plan for energy is made" $float "--objective=energy"
it "its first line is the saving, and what is possible" \
	sh -c "sed 1q '$T/out' | grep -Eq '^saving    20\.4[0-9] % energy; at most 20\.5[0-9] % is possible$'"
says '^turns on  package halt power: the plan gains as long as' "then what the answer turns on"
says '^against   spread -20\.4 %, pack [+]0\.0 %, os -20\.4 %, random -[0-9.]+ to -20\.4 %$' "and the other baselines"
says 'breakevens:' "the plan carries the break-evens" "$T/plan.yaml"
says 'baseline: "random"' "and the other baselines" "$T/plan.yaml"
it "the plan fits its platform" perseus plan check "$T/plan.yaml" -p xeon-e5320
silent '^sensitive to' "the table is not shown unless asked for"

say "with --sensitivity" $float "--objective=energy --sensitivity"
says '^  package halt power +11\.7 W +2\.[0-9]+  above 19\.9 W ' "the table has the halt power and where it turns"
says '^no part .*memory share' "and what has no part in it"
says '^measure   ' "and what to measure better next"
it "no line is longer than 80 columns" fits "$T/out"

say "conflicts turn on the price of a shared line" $example "--objective=time --sensitivity"
says '^turns on  price of a shared cache line: above' "which is said first"
says '^(no part| ) .*package halt power; ' "watts have no part in time"
it "no line is longer than 80 columns" fits "$T/out"

# A conflict of unknown phases counts in all; the other end is the model without it.
silent '^caution' "a conflict without phases is in all of them"
sed '/^    transfers_per_s:/a\    phase_reason: "the sharing run has other phases"' $example |
	sed 's/accesses_per_kcycle: .*/accesses_per_kcycle: 500/' >"$T/anywhere.yaml"
sed '/^conflicts:/,$d' "$T/anywhere.yaml" >"$T/nowhere.yaml"
pair=tests/sharing/platform.yaml
exits 0 "without the conflict" perseus plan predict --json -p $pair "$T/nowhere.yaml" spread 0,0,0
costs=$(awk '/time_ns/ { t[n++] = $2 + 0 } END { printf "%.2f", 100 * (t[1] / t[0] - 1) }' "$T/out")
exits 0 "a conflict of unknown phases" perseus plan "$T/anywhere.yaml" -p $pair -o "$T/plan.yaml" --baseline=spread
says "^saving    -$costs to [0-9.]+ % time; at most [0-9.]+ % is possible\$" "both ends come first"
says '^caution   phases of 1 of 1 conflicts are not known: they count in all$' "is said"
says "^          if their threads meet in none, the plan costs $costs %\$" "... and what one core costs without it: $costs %"
silent 'sharing run' "its sharing run shows all conflicts"
it "no line is longer than 80 columns" fits "$T/out"
exits 0 "the checker" perseus plan check "$T/plan.yaml" -p $pair -m "$T/anywhere.yaml"
says "^saving: -$costs to [0-9.]+ % of the time confirmed\$" "finds both ends by itself"
says "^caution: it .* of 1 conflict meet: in all [0-9.]+ %, in none -$costs %\$" "... and says which is which"
exits 0 "a plan of known phases" perseus plan $example -p $pair -o "$T/plan.yaml" --baseline=spread
exits 0 "the checker" perseus plan check "$T/plan.yaml" -p $pair -m $example
says '^saving: -?[0-9.]+ % of the time confirmed$' "finds one end"
silent '^caution' "... and nothing to be careful of"

# A model whose sharing run shows too little says so, and so do a plan, and who checks it, of one or several.
doubt="s2 is inconclusive: threads ran side by side for 3 % of the time only, less than can be judged"
sed "s/^hz:/doubts:\n  - \"$doubt\"\nhz:/" $example >"$T/doubt.yaml"
exits 0 "a plan of an inconclusive run" perseus plan "$T/doubt.yaml" -p $pair -o "$T/p" --baseline=spread
says '^caution   s2 is inconclusive: threads ran' "says so"
it "no line is longer than 80 columns" fits "$T/out"
exits 0 "the checker" perseus plan check "$T/p" -p $pair -m "$T/doubt.yaml"
says '^caution: conflicts may be missing' "says so"
says "^  $doubt\$" "... and why"
exits 0 "as JSON" perseus plan "$T/doubt.yaml" -p $pair -o "$T/plan.yaml" --baseline=spread --json
it "so does its list" python3 -c "
import json, sys
assert json.load(open('$T/out'))['doubts'] == ['$doubt']"
exits 0 "a plan of two models" perseus plan $example "$T/doubt.yaml" -p $pair -o "$T/plan.yaml" --baseline=spread
says '^caution   s2 is inconclusive' "says so of either"

say "a plan under a deadline" $haltstate "--objective=energy --deadline=+1%"
says '^keeps     the deadline of .* to spare' "says what is left of it"
it "no line is longer than 80 columns" fits "$T/out"
say "a plan under a cap of power" $float "--objective=energy --power-cap=45"
says '^keeps     the cap of 45\.0 W, it draws 44\.3 W at most \(the baseline 55\.9 W\)$' "says what the baseline draws"
say "the least draw" $haltstate "--objective=power"
says '^saving    [0-9.]+ % of the largest draw' "is named"
it "no line is longer than 80 columns" fits "$T/out"

cp $float "$T/other.yaml"
exits 0 "two models make one plan" perseus plan $float "$T/other.yaml" -p xeon-e5320 --objective=energy \
	-o "$T/plan.yaml"
says '^inputs    2 models, figures are their mean, float\.yaml -20\.4 %' "and each is named"
it "no line is longer than 80 columns" fits "$T/out"

exits 0 "where nothing is to be gained" perseus plan tests/planner/models/signal.yaml -p xeon-e5320 \
	-o "$T/plan.yaml" --sensitivity
it "that is the first line" sh -c "sed 1q '$T/out' | grep -q '^no plan  '"
says '^saving    none; at most 0\.00 % time is possible' "... and what is possible the second"
says '^wrote .*plan.yaml, which places no thread: keep your build$' "... and the build is kept"
silent '^(turns on|sensitive to)' "and nothing turns on anything"

# What a plan is made from is not written over.
cp $float "$T/model.yaml"
cp yaml/examples/platform.yaml "$T/pf.yaml"
ln -s model.yaml "$T/link.yaml"
exits 2 "a plan in the place of its model is refused" perseus plan "$T/model.yaml" -p xeon-e5320 -o "$T/link.yaml"
says "link.yaml' is what the plan is made from" "which is said"
it "and the model is as it was" cmp $float "$T/model.yaml"
exits 2 "in the place of its platform, too" perseus plan "$T/model.yaml" -p "$T/pf.yaml" -o "$T/pf.yaml"
exits 2 "and what is written beside it" perseus plan "$T/model.yaml" -p "$T/pf.yaml" -o "$T/plan.yaml" --log "$T/model.yaml"
it "and the platform is as it was" cmp yaml/examples/platform.yaml "$T/pf.yaml"
exits 0 "an older plan is written over" perseus plan "$T/model.yaml" -p "$T/pf.yaml" --objective=energy -o "$T/plan.yaml"

say "the same as JSON" $float "--objective=energy --json --sensitivity"
if command -v python3 >/dev/null; then
	it "which is well formed, and says the same" python3 - "$T/out" <<-'EOF'
		import json, sys
		d = json.load(open(sys.argv[1]))
		assert abs(d["saving_percent"] - 20.41) < 0.01 and abs(d["possible_percent"] - 20.52) < 0.01
		assert [r["baseline"] for r in d["regret"]] == ["spread", "pack", "os", "random"]
		halt = [s for s in d["sensitivity"] if s["parameter"] == "package halt power"][0]
		assert abs(halt["loses_at"] - 19.94) < 0.01 and halt["unit"] == "W"
		assert not [s for s in d["sensitivity"] if s["parameter"] == "memory share of the work"][0]["matters"]
	EOF
else
	says '"loses_at"' "which has the break-evens"
fi
finish
