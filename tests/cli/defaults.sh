#!/bin/sh
# SPDX-License-Identifier: MIT
# The whole way by default file names: analyze, plan, codegen and their next steps.
. tests/lib.sh
top=$PWD
cd "$T" || exit 1
tar -xzf "$top/tests/record/golden/1.3-threads.tar.gz"
exits 0 "analyze writes a model" perseus analyze 1.3-threads
says '^wrote +model.yaml$' "... model.yaml"
says '^next +perseus plan$' "... and says what comes next"
exits 4 "plan without a model" sh -c "mkdir empty && cd empty && perseus plan"
says "'model.yaml'" "... looks for model.yaml"
cp "$top/tests/planner/models/float.yaml" model.yaml
exits 4 "... and without a platform" perseus plan
says 'perseus calibrate writes it' "... is told where it comes from"
exits 0 "plan takes model.yaml" perseus plan -p xeon-e5320 --objective=energy
says '^wrote plan.yaml$' "... and writes plan.yaml"
says '^next +perseus codegen$' "... and says what comes next"
exits 0 "plan check takes plan.yaml" perseus plan check -p xeon-e5320 -m model.yaml
exits 0 "codegen takes plan.yaml" perseus codegen
it "... and writes into triggers/" test -s triggers/perseus_triggers.c
says '^ +perseus build --plan=triggers/perseus_triggers.plan -- make \\$' "... and names the build that puts them in"
it "whose plan flags takes" perseus flags --plan=triggers/perseus_triggers.plan
exits 0 "another model and another plan" perseus plan model.yaml -o other.yaml -p xeon-e5320 --objective=energy
says '^next +perseus codegen other.yaml$' "... are named in what comes next"

# What verbs print, for programs.
json() { it "$1" sh -c "python3 -m json.tool '$T/out' >/dev/null"; }
exits 0 "analyze --json" perseus analyze --json -o again.yaml 1.3-threads
json "... is JSON"
says '"wrote": "again.yaml"' "... with what was written"
says '"name": "consumer 0"' "... and the threads"
exits 2 "... not of a model on stdout" perseus analyze --json -o - 1.3-threads
exits 0 "plan --json" perseus plan --json -p xeon-e5320 --objective=energy
json "... is JSON"
exits 0 "plan check --json" perseus plan check --json -p xeon-e5320 -m model.yaml
json "... is JSON"
says '"verdict": "fits"' "... with its verdict"
sed 's/^\(time_ns: \)[0-9]*/\112345/' plan.yaml >wrong.yaml
exits 1 "... of a plan with another time" perseus plan check --json -p xeon-e5320 -m model.yaml wrong.yaml
json "... is JSON"
says '"verdict": "contradicted"' "... with the opposite"
exits 0 "codegen --json" perseus codegen --json
json "... is JSON"
says '"name": "perseus_triggers.c"' "... with the files"
it "... and their hashes" grep -q "$(sha256sum <triggers/perseus_triggers.c | cut -c1-64)" "$T/out"
exits 2 "... not of evidence" perseus codegen --json --evidence=pack
echo "int main(void) { return 0; }" | gcc -xc -o plain -
exits 1 "verify --json" perseus verify --json plan.yaml plain
json "... is JSON"
says '"verdict": "different"' "... with its verdict"
exits 4 "... of a file that cannot be judged" perseus verify plan.yaml model.yaml --json
json "... is JSON"
says '"verdict": "not judged"' "... too"
exits 2 "... of nothing" perseus verify --json

# A plan that sets nothing.
exits 0 "no gain" perseus plan "$top/tests/planner/models/signal.yaml" -p xeon-e5320 -o none.yaml
says '^wrote none.yaml, which places no thread: keep your build$' "... the build is kept"
silent '^next' "... and nothing comes next"
it "... the reason is the first line" sh -c "sed 1q '$T/out' | grep -q '^no plan  '"
exits 1 "codegen writes nothing for it" perseus codegen none.yaml -o nothing
says 'keep your build as it is' "... and says so"
it "... indeed" test ! -e nothing
cd "$top" || exit 1
finish
