#!/bin/sh
# SPDX-License-Identifier: MIT
# The evidence pack of a planned program: every link of the trace leads where
# it says, every hash fits, what did not run is not passed, nothing is
# half-written.  FULL=1: with proofs, which take a minute.
. tests/lib.sh
. tests/codegen/plan.inc
. tests/evidence/pairs.inc
here=$(pwd)/tests/evidence
W=$T/work
mkdir -p "$W" "$T/none"
perseus=$(command -v perseus)

# Tools without the provers; and without any tool.
mkdir -p "$T/bin"
for tool in $(ls /usr/bin | grep -v -e '^frama-c' -e '^why3' -e '^z3'); do ln -s "/usr/bin/$tool" "$T/bin/$tool"; done
some() { PATH=$T/bin "$perseus" "$@"; }
no_tools() { PATH=$T/none "$perseus" "$@"; }
[ -z "$FULL" ] || some() { "$perseus" "$@"; }

planned_pairs

cat >"$W/req.csv" <<-EOC
	requirement,item,text
	SYS-1,"thread 0; threads[1]; thread 2","Threads that share ""a line"" shall stay together"
	"SYS-2, part 1",thread 3;trigger 0007,second
	SYS-3,phase-004096,all that rests on this finding
	SYS-4,DR-01; trigger 9,the machine shall be checked
EOC
sed 's/^    core: '"$B"'$/    core: '"$A"'/; /number: 9/,$d' "$W/plan.yaml" >"$W/previous.yaml"
# all_of TOOL OUT PACK OPTION...: a pack with all that can be given
all_of() {
	tool=$1 out=$2 pack=$3
	shift 3
	$tool codegen "$W/plan.yaml" -o "$out" --evidence="$pack" --binary="$W/planned/pairs" --objects="$W/planned/pairs.o" \
		--objects="$W/gen/perseus_triggers.o" --objects="$W/gen/perseus_platform_linux.o" "$@"
}
all_of some "$W/gen2" "$W/pack" --requirements="$W/req.csv" --previous="$W/previous.yaml" --cc="$gen_cc" >"$T/said" 2>"$T/err"
status=$?
cp "$T/said" "$T/out"
says "^trace +6 of 6 settings to generated lines, requirements \(4\), addresses" "every setting has line, requirement, address"
failed=$(grep -c ",\"failed\"," "$W/pack/gates.csv")
if [ "$failed" = 0 ]; then it "no gate failed: exit 0" [ $status = 0 ]; else not_ok "no gate failed" "$(cat "$W/pack/gates.csv")"; fi
it "sha256sum -c agrees with every hash" sh -c "cd '$W/pack' && sha256sum --strict -c manifest.sha256"
it "every file but the manifest itself is in it" sh -c "cd '$W/pack' && find . -type f ! -name manifest.sha256 | sed 's,^\./,,' | LC_ALL=C sort >'$T/a' && sed 's/^[0-9a-f]*  //' manifest.sha256 >'$T/b' && cmp '$T/a' '$T/b'"
it "the inputs are in the pack" sh -c "cmp '$W/plan.yaml' '$W/pack/inputs/plan.yaml' && cmp '$W/planned/pairs' '$W/pack/inputs/binary-pairs' && cmp '$W/req.csv' '$W/pack/inputs/requirements.csv'"
it "the generated files are those of codegen -o" diff -r "$W/gen2" "$W/pack/generated"
it "every link of trace.csv leads where it says" python3 "$here/check-trace.py" "$W/pack" 7
it "trace.html is one file, each link leads somewhere" python3 "$here/check-html.py" "$W/pack/trace.html"
says '^"share-001274","thread 1","threads\[1\]","SYS-1","DR-S001","THREAD_LEFT_0","thread start","core' "finding, item, requirement, derived requirement in one row" "$W/pack/trace.csv"
says '"trigger 0007".*"SYS-2, part 1"' "a requirement with a comma" "$W/pack/trace.csv"
says '"trigger 0007".*"SYS-3"' "a requirement on a finding covers what rests on it" "$W/pack/trace.csv"
says '^"DR-T0009","trigger 0009","Before the call of pthread_join in main \(pairs.c:[0-9]+\), on visit 2 of thread THREAD_MAIN, the following shall be set: core' "a derived requirement says what shall be" "$W/pack/requirements-derived.csv"
says '^added \| main now goes to core|^\| added \| main now goes to core' "the impact names what was added" "$W/pack/impact.md"
says 'trigger 0009 \| SYS-3, SYS-4 ' "... with item and requirements" "$W/pack/impact.md"
it "a row for each setting on the checklist" sh -c "[ \$(grep -cE '^\\| (thread|trigger) [0-9]' '$W/pack/checklist.md') = 6 ]"
says "^## D1 of perseus_platform_linux.c" "deviation records" "$W/pack/deviations.md"
it "each record has a place, a rule and a reason" sh -c "awk '/^## D/ { n++ } /^- rule: Rule [0-9]/ { r++ } /^- places: [1-9]/ { p++ } /^- reason: .+/ { w++ } END { exit !(n && n == r && n == p && n == w) }' '$W/pack/deviations.md'"
says "^\"gcc\",\"gcc .*[0-9]+\.[0-9]+" "tool and version" "$W/pack/tools.csv"
says "compiler by the debugging information\",\"GNU C11 .*-O2" "compiler and flags of the built files" "$W/pack/tools.csv"
says "MCP\\\\_Resource\\\\_Usage\\\\_2" "the objectives" "$W/pack/amc-20-193.md"
it "ten objectives, each with what is not shown" sh -c "awk -F'|' '/^\| MCP/ { n++; if (\$6 !~ /[a-z]/) exit 1 } END { exit n != 10 }' '$W/pack/amc-20-193.md'"
says "^equal" "perseus-verify says equal" "$W/pack/verify.txt"
says "^equal: the reviewed source does what the plan says" "perseus-source-check says equal" "$W/pack/source-check.txt"
it "its report is in the pack" test -s "$W/pack/verify.md"
exits 0 "perseus-verify takes the pack's manifest" sh -c "cd '$W/pack' && perseus-verify inputs/plan.yaml inputs/binary-pairs --manifest manifest.sha256 --complete"
says "cases, 0 failed" "the unit test ran" "$W/pack/coverage.txt"
says "^[1-9][0-9]* cases, 0 failed" "the unit test of the platform file ran" "$W/pack/platform-test.txt"
says '"branch coverage of the platform file","passed"' "... and takes it all" "$W/pack/gates.csv"
says '"unit test on the flown object","passed"' "the unit test passes on the object that flies" "$W/pack/gates.csv"
says '"branch coverage of the flown object","(passed|partial)","[1-9][0-9]* of [1-9][0-9]* decisions all ways' "... and its decisions are counted" "$W/pack/gates.csv"
says '"branch coverage of the flown platform object","(passed|partial)","[1-9][0-9]* of [1-9][0-9]* decisions all ways' "... and those of the platform file's object" "$W/pack/gates.csv"
it "... each that is not taken all ways is listed" sh -c "n=\$(sed -n 's/.*flown [a-z ]*object\",\"p[a-z]*\",\"\([0-9]*\) of \([0-9]*\) .*/\2 \1/p' '$W/pack/gates.csv' | awk '{ n += \$1 - \$2 } END { print n }') && [ \$(grep -cE '\+0x[0-9a-f]+ (true|false|never|[0-9]+-of-[0-9]+|a table|j)' '$W/pack/object-coverage.txt') = \$n ]"
says '"perseus_support.h","[0-9a-f]{64}",[0-9]+,"[a-z ]+' "what is reviewed once stands in library.csv" "$W/pack/library.csv"
silent 'perseus_triggers|perseus_machine' "... and nothing that the plan decides" "$W/pack/library.csv"
it "... by the hash of the file" sh -c "grep -q \$(sha256sum <'$W/pack/generated/perseus_platform_linux.c' | cut -c1-64) '$W/pack/library.csv'"
says "^To review: [0-9]+ lines that this plan decides, for 6 settings .[0-9]+ lines each" "the lines for each setting are in the index" "$W/pack/index.md"
says "^excluded .*CPU_" "... but what is named" "$W/pack/platform-test.txt"
says '^"SYS-4","DR-01","","cases start_\*","platform-test.txt","unit test of the platform file","passed"' "from a requirement to its test and result" "$W/pack/trace-tests.csv"
says '^"SYS-1","DR-S001","thread 1","case_tables' "... for a setting" "$W/pack/trace-tests.csv"
it "each derived requirement has a test" sh -c "sed -n 's/^\"\(DR-[^\"]*\)\".*/\1/p' '$W/pack/requirements-derived.csv' | sort -u >'$T/a' && cut -d, -f2 '$W/pack/trace-tests.csv' >/dev/null && for d in \$(cat '$T/a'); do grep -q \"\\\"\$d\\\"\" '$W/pack/trace-tests.csv' || exit 1; done"
says '^"perseus.so","plugin: puts the calls in","[^"]*","[0-9a-f]{64}"' "plugin by hash" "$W/pack/configuration.csv"
says '^"ld","linker","GNU ld' "linker" "$W/pack/configuration.csv"
says '^"C library",' "C library" "$W/pack/configuration.csv"
says '^"kernel",' "kernel" "$W/pack/configuration.csv"
says "PERSEUS_STATIC" "deactivated code is listed" "$W/pack/deactivated.md"
says "^\| main \| .perseus_program_start" "control coupling" "$W/pack/coupling.md"
says "^\| C library \| .perseus_thread_main" "... that of the C library, too" "$W/pack/coupling.md"
says "perseus_status.*atomic" "data coupling" "$W/pack/coupling.md"
it "what stands in the triggers' object is not traced into the platform file's" sh -c "! grep -E '\"trigger .*object-[0-9]+-perseus_platform' '$W/pack/trace.csv'"
it "DO-330 material of the verifiers" sh -c "cmp docs/verify/requirements.md '$W/pack/tools/requirements.md' && cmp docs/verify/cases.md '$W/pack/tools/cases.md'"
it "the unit test of the platform file runs again from the pack" sh -c "cp -r '$W/pack' '$W/copy' && cd '$W/copy' && sh platform-test/run inputs/plan.yaml generated linux '$T/again' | grep -q ' 0 failed'"
says '"perseus-plan-check","not run","no platform was given' "plan check is a gate" "$W/pack/gates.csv"
says "^Taken at least once:100.00%" "all branches" "$W/pack/coverage.txt"
it "no stack and no loop without bound" sh -c "! grep 'not bounded' '$W/pack/stack.csv'"
if [ -z "$FULL" ]; then says '"Frama-C EVA","not run","frama-c is not installed \(apt-get install frama-c-base\)"' "a tool that is not there: not run, and how to get it" "$W/pack/gates.csv"; fi
if [ -n "$FULL" ]; then says '"Frama-C WP","passed"' "WP" "$W/pack/gates.csv"; says '"Frama-C EVA","passed"' "EVA" "$W/pack/gates.csv"; fi
it "no host, path or date of this run" sh -c "! grep -rIE '$(hostname)([^a-z]|\$)|$T|/root|perseus-evidence\\.|20[2-9][0-9]-[0-9][0-9]-' '$W/pack' --exclude-dir=inputs"
all_of some "$W/gen2" "$W/pack2" --requirements="$W/req.csv" --previous="$W/previous.yaml" --cc="$gen_cc" >"$T/out" 2>"$T/err"
it "the same bytes again" diff -r "$W/pack" "$W/pack2"

# Below, no tool is there: cheap, and nothing of it may be said to have passed.
exits 0 "a pack without any tool" all_of no_tools "$W/gen3" "$W/bare"
says '"MISRA C:2012","not run","cppcheck is not installed \(apt-get install cppcheck\)"' "cppcheck" "$W/bare/gates.csv"
says '"generated unit test","not run","gcc is not installed' "the unit test" "$W/bare/gates.csv"
it "only what needs no tool is passed" sh -c "grep -v -e '\"not run\"' -e '^\"MISRA deviations\",\"passed\"' -e '^\"perseus-source-check\",\"passed\"' -e '^gate,' '$W/bare/gates.csv' | wc -l | grep -qx 0"
says "no requirements were given" "what was not given is said"

# A tool that finds something: the pack is there, and says so.
mkdir "$T/fake"
# It finds what is there to be found, too: one that does not gives no verdict.
printf '#!/bin/sh\ncase $* in *misra-probe.c*) echo "misra-probe.c:4: misra-c2012-16.4: found" ;; *) echo "perseus_triggers.c:1: misra-c2012-1.1: found" ;; esac\nexit 1\n' >"$T/fake/cppcheck"
chmod +x "$T/fake/cppcheck"
faked() { PATH=$T/fake "$perseus" "$@"; }
exits 1 "a finding" all_of faked "$W/gen4" "$W/found"
says "failed: MISRA C:2012: findings" "... is said"
says '"MISRA C:2012","failed","findings"' "... stands in the pack" "$W/found/gates.csv"
says "gate failed.*MISRA" "... and among the known problems" "$W/found/known-problems.md"
printf '#!/bin/sh\nexit 0\n' >"$T/fake/cppcheck"
exits 0 "a checker that finds nothing anywhere" all_of faked "$W/gen4" "$W/blind"
says '"MISRA C:2012","not run","this version of cppcheck does not show what it should find"' "... gives no verdict" "$W/blind/gates.csv"

# What the plan was made from.
echo "result of a trial" >"$W/prove.txt"
odd=$(printf '%s/two\nlines.txt' "$W")
cp "$W/prove.txt" "$odd"
exits 1 "a pack with a platform that the plan is not for" no_tools codegen "$W/plan.yaml" -o "$W/gen4" --evidence="$W/origin" --platform=tests/verify/moves-platform.yaml --attach="$W/prove.txt" --attach="$W/req.csv" --attach="$odd"
it "a name that no manifest can hold is changed" cmp "$W/prove.txt" "$W/origin/inputs/attached-3-two_lines.txt"
it "... and the files are as the manifest says" sh -c 'cd "$1" && sha256sum -c --quiet manifest.sha256' - "$W/origin"
says '"perseus-plan-check","failed","exit status 1' "the gate of plan check fails" "$W/origin/gates.csv"
it "what was attached is kept" sh -c "cmp '$W/prove.txt' '$W/origin/inputs/attached-1-prove.txt' && cmp '$W/req.csv' '$W/origin/inputs/attached-2-req.csv' && grep -q 'inputs/attached-1-prove.txt' '$W/origin/manifest.sha256'"
exits 0 "a plan" perseus plan tests/verify/moves-model.yaml -p tests/verify/moves-platform.yaml --objective=energy -o "$W/moves.yaml"
exits 0 "a pack with its model and platform" no_tools codegen "$W/moves.yaml" -o "$W/gen7" --evidence="$W/moves" --platform=tests/verify/moves-platform.yaml --model=tests/verify/moves-model.yaml
says '"perseus-plan-check","(passed|partial)","confirmed' "confirmed" "$W/moves/gates.csv"
it "model and platform are in it, under the hashes of the plan" sh -c "sha256sum '$W/moves/inputs/model-1.yaml' '$W/moves/inputs/platform.yaml' | cut -c1-64 | while read -r h; do grep -q \$h '$W/moves.yaml' || exit 1; done"
exits 2 "a model without a platform" perseus codegen "$W/moves.yaml" -o "$W/gen7" --evidence="$W/no" --model=tests/verify/moves-model.yaml

# Requirements that do not fit: nothing is written.
refused() {
	want=$1 text=$2 words=$3
	exits "$want" "$text" no_tools codegen "$W/plan.yaml" -o "$W/no" --evidence="$W/nopack" --requirements="$W/bad.csv"
	says "$words" "... is named"
	it "... and nothing is written" sh -c "! ls -d '$W'/no*"
}
grep -v SYS-1 "$W/req.csv" >"$W/bad.csv"
refused 1 "a setting without a requirement" "thread 1 \(core $A of THREAD_LEFT_0\) has no requirement"
{ cat "$W/req.csv"; echo "SYS-1,thread 1,again"; } >"$W/bad.csv"
refused 4 "a requirement twice" "line 6: requirement SYS-1 stands on line 2 already"
{ cat "$W/req.csv"; echo "SYS-9,trigger 0008,none"; } >"$W/bad.csv"
refused 4 "an unknown trigger" "requirement SYS-9: unknown item 'trigger 0008'"
{ cat "$W/req.csv"; echo "SYS-9,share-999999,none"; } >"$W/bad.csv"
refused 4 "an unknown finding" "unknown item 'share-999999'"
{ cat "$W/req.csv"; echo "SYS-9,DR-04,none"; } >"$W/bad.csv"
refused 4 "a derived requirement that this plan has not" "requirement SYS-9: this plan has no derived requirement 'DR-04'"
says "it has DR-01, DR-02, DR-03, DR-05" "... and those it has are named" "$T/err"
it "no file of the pack cites it" sh -c "grep -q 'DR-01, DR-03, DR-05; coverage' '$W/pack/amc-20-193.md' && ! grep -rq 'DR-04' '$W/pack' --include=*.md --include=*.csv"
{ cat "$W/req.csv"; echo "SYS-9,,none"; } >"$W/bad.csv"
refused 4 "a requirement without item" "SYS-9 names no item"
{ cat "$W/req.csv"; echo 'SYS-9,"thread 1,none'; } >"$W/bad.csv"
refused 4 "an open quote" "the quote is not closed"
: >"$W/bad.csv"
refused 4 "an empty file" "holds no requirement"
cat >"$W/req.yaml" <<-EOC
	- requirement: SYS-1
	  item: [thread 0, thread 1, thread 2, thread 3]
	  text: "a list"
	- requirement: SYS-2
	  item: pthread_join
EOC
sed "s/pthread_join/$(site_line "$W/measured/pairs" main pthread_join | cut -d' ' -f1)/" "$W/req.yaml" >"$W/good.yaml"
exits 0 "requirements as YAML, a call site as item" no_tools codegen "$W/plan.yaml" -o "$W/gen5" --evidence="$W/yaml" --requirements="$W/good.yaml"
says '"trigger 0009".*"SYS-2"' "the call site stands for its triggers" "$W/yaml/trace.csv"
exits 4 "the twin: a function's name is no item" no_tools codegen "$W/plan.yaml" -o "$W/gen5" --evidence="$W/yaml" --requirements="$W/req.yaml"

# Built files that do not fit.
gcc -O2 -o "$W/plain" -x c - <<-EOC
	int main(void) { return 0; }
EOC
exits 4 "a binary without the triggers" no_tools codegen "$W/plan.yaml" -o "$W/no" --evidence="$W/nopack" --binary="$W/plain"
says "holds no symbol of the generated code" "... is named"
exits 4 "a binary that is none" no_tools codegen "$W/plan.yaml" -o "$W/no" --evidence="$W/nopack" --binary="$W/plan.yaml"
objcopy --strip-symbol=perseus_trigger_0007 "$W/planned/pairs" "$W/less"
exits 1 "a binary without one trigger" no_tools codegen "$W/plan.yaml" -o "$W/no" --evidence="$W/nopack" --binary="$W/less"
says "trigger 0007: perseus_trigger_0007 is not in" "the trigger is named"
it "nothing is written" sh -c "! ls -d '$W'/no*"

# A pack that somebody worked on is not replaced.
again() { no_tools codegen "$W/plan.yaml" -o "$W/gen5" --evidence="$W/yaml"; }
exits 0 "an untouched pack is replaced" again
echo "| y |" >>"$W/yaml/checklist.md"
exits 3 "a filled checklist is not" again
says "'checklist.md', which was changed since the pack was written" "... it is named"
it "it is still there" grep -qx "| y |" "$W/yaml/checklist.md"
mkdir -p "$W/mine/folder" && echo text >"$W/mine/folder/notes.txt"
exits 3 "a folder of something else" no_tools codegen "$W/plan.yaml" -o "$W/gen5" --evidence="$W/mine"
says "'folder/notes.txt', which is no file of an evidence pack" "... its file is named"
mkdir "$W/empty"
exits 0 "an empty folder is used" no_tools codegen "$W/plan.yaml" -o "$W/gen5" --evidence="$W/empty"
exits 3 "a folder that cannot be made" faked codegen "$W/plan.yaml" -o "$W/none" --evidence=/proc/perseus/pack
it "... is refused before any file is written" test ! -e "$W/none"
printf '#!/bin/sh\n: >"%s"\n' "$T/ran" >"$T/fake/cppcheck"
exits 3 "the same again" faked codegen "$W/plan.yaml" -o "$W/none" --evidence=/proc/perseus
it "... and before any gate runs" test ! -e "$T/ran"
exits 0 "the twin: a folder below one that is not there yet" faked codegen "$W/plan.yaml" -o "$W/gen5" --evidence="$W/new/er/pack"
it "... runs it, and leaves nothing else there" sh -c "test -e '$T/ran' && [ \$(ls -A '$W/new') = er ] && [ \$(ls -A '$W/new/er') = pack ]"
silent "evidence [0-9] of" "no progress where stderr is a file" "$T/err"
if command -v script >/dev/null; then
	it "progress on a terminal" sh -c "PATH=$T/none:\$PATH script -qec '\"$perseus\" codegen \"$W/plan.yaml\" -o \"$W/gen5\" --evidence=\"$W/new/pack2\" 2>&1 >/dev/null' '$T/typed' </dev/null >/dev/null && grep -q 'evidence 1 of 11: warnings of compilers' '$T/typed' && grep -q 'evidence 11 of 11' '$T/typed'"
else
	skip "progress on a terminal" "no script"
fi
exits 2 "the folder of the generated files" perseus codegen "$W/plan.yaml" -o "$W/gen5" --evidence="$W/gen5/"
exits 2 "requirements without a pack" perseus codegen "$W/plan.yaml" -o "$W/gen5" --requirements="$W/req.csv"
it "no temporary folder is left" sh -c "! ls -d '$W'/*.tmp"

# Hostile texts: they stay texts, in the direction in which they were written.
hostile='=cmd|calc!A1 <script>alert(1)</script> \" onload=x */ # | `x` ]](http://x)'
awk -v h="$hostile" '/^    (name|reason|evidence|file): / { sub(/"[^"]*"/, "X"); gsub(/X/, "\"HOSTILE\"") } /^program:/ { $0 = "program: \"HOSTILE\"" } { print }' "$W/plan.yaml" |
	python3 -c "
import sys
h = '=cmd|calc!A1 <script>alert(1)</script> \\\\\" onload=x */ \\\\n# top | \`x\` ]](http://x) \\\\x1b[31m \\\\u2028 \\\\u202e \\\\u2066 \\\\u200f \\\\ufeff'
n = 0
for line in sys.stdin:
    n += 'HOSTILE' in line
    sys.stdout.write(line.replace('HOSTILE', h + str(n)))" >"$W/hostile.yaml"
printf 'requirement,item,text\n"=1+1<b>","thread 0;thread 1;thread 2;thread 3;trigger 7;trigger 9","<img src=x onerror=y>\n| a |"\n' >"$W/hostile.csv"
exits 0 "a plan with hostile texts" no_tools codegen "$W/hostile.yaml" -o "$W/gen6" --evidence="$W/hostile" --requirements="$W/hostile.csv" --previous="$W/plan.yaml"
it "trace.html stays what it is" python3 "$here/check-html.py" "$W/hostile/trace.html"
silent "<script|<img|<b>" "no markup of theirs" "$W/hostile/trace.html"
it "no field is a formula, no text ends a row" python3 -c "
import csv, glob
for f in glob.glob('$W/hostile/*.csv'):
    rows = list(csv.reader(open(f, newline='')))
    assert len({len(r) for r in rows}) == 1, f
    assert not [c for r in rows for c in r if c[:1] in '=+-@' and c], f
    assert not [c for r in rows for c in r if any(ord(x) < 32 for x in c)], f
import unicodedata
for f in glob.glob('$W/hostile/*.csv') + glob.glob('$W/hostile/*.html') + glob.glob('$W/hostile/*.md') + glob.glob('$W/hostile/generated/*'):
    assert not [x for x in open(f, newline='').read() if unicodedata.category(x) in ('Cf', 'Zl', 'Zp') or unicodedata.bidirectional(x) in ('RLE', 'LRE', 'RLO', 'LRO', 'PDF', 'RLI', 'LRI', 'FSI', 'PDI')], f"
it "no cell ends a row of Markdown, no heading is theirs" sh -c "! grep -E '^# top|<script|<img' '$W'/hostile/*.md && awk '/^\| (thread|trigger) [0-9]/ { gsub(/\\\\[|]/, \"\"); n = gsub(/[|]/, \"\"); if (n != 16) exit 1 }' '$W/hostile/checklist.md'"
finish
