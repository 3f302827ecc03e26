#!/bin/sh
# SPDX-License-Identifier: MIT
# The evidence pack of a plan with layouts: each is an item with requirement, assertion, test and row of
# the checklist; a unit without the plan fails the gate; what changed since the plan before is named.
. tests/lib.sh
. tests/codegen/plan.inc
. tests/verify/layouts.inc
perseus=$(command -v perseus)
mkdir -p "$T/bin" "$T/none"
for tool in $(ls /usr/bin | grep -v -e '^frama-c' -e '^why3' -e '^z3'); do ln -s "/usr/bin/$tool" "$T/bin/$tool"; done
some() { PATH=$T/bin "$perseus" "$@"; }
no_tools() { PATH=$T/none "$perseus" "$@"; }
cd "$T" || exit 1
cat >net.h <<'X'
struct stats {
	long rx;
	long tx;
};
extern long hits;
X
cat >main.c <<'X'
#include "net.h"
struct stats stats = {1, 2};
long hits;
long more(struct stats *s);
int main(void) { return more(&stats) != 3; }
X
cat >more.c <<'X'
#include "net.h"
long more(struct stats *s) { return s->rx + s->tx + hits; }
X
why() { printf '    evidence: "%s"\n    reason: "%s"\n' "$1" "$2"; }
{
	field "struct stats" tx net.h 3 64 16 8 128 64
	why share-000001 "rx and tx are written by different threads"
	variable hits - main.c 3 64 8 64
	why share-000002 "hits lies beside the lock"
} | layouts_plan >plan.yaml
generated "two layouts"
it "the planned program" sh -c "gcc -g -O2 $P -c -o main.o main.c && gcc -g -O2 $P -c -o more.o more.c && gcc -g -O2 $P -o planned main.o more.o $G -pthread"
it "... and one with a unit that has no plan" sh -c "gcc -g -O2 -c -o plain.o more.c && gcc -g -O2 $P -o mixed main.o plain.o $G -pthread"
cat >req.csv <<'X'
requirement,item,text
SYS-1,layout 0,"Counters of receivers and senders shall not share a line"
SYS-2,share-000002,what rests on this finding
SYS-3,DR-L001; thread 0,the variable again
X
# pack TOOLS BINARY MORE.O DIR OPTION...
pack() {
	tools=$1 binary=$2 more=$3 dir=$4
	shift 4
	$tools codegen plan.yaml -o gen --evidence="$dir" --binary="$binary" --objects=main.o --objects="$more" \
		--objects=gen/perseus_triggers.o --objects=gen/perseus_platform_linux.o "$@"
}
pack some planned more.o pack --cc="gcc -std=c11 -O2 -g" --requirements=req.csv >out 2>err
status=$?
it "no gate failed: exit 0" [ $status = 0 ]
says "^trace +2 of 2 settings to generated lines, requirements \(3\), addresses" "both layouts are traced"
says '^"share-000001","layout 0","layouts\[0\]","SYS-1","DR-L000","","each unit that has it","struct stats.tx aligned to 64, at byte 64 of 128",.*,"perseus_layouts.h","[1-9][0-9]*",' \
	"finding, item, requirement, derived requirement, assertion in one row" pack/trace.csv
line=$(sed -n 's/.*"layout 0".*"perseus_layouts.h","\([0-9]*\)".*/\1/p' pack/trace.csv | head -1)
it "... whose line asserts it" sh -c "sed -n ${line}p pack/generated/perseus_layouts.h | grep -q 'sizeof.* == 128u, .layouts.0.: size'"
says '^"share-000002","layout 1",.*"SYS-2"' "a requirement on the finding covers the other" pack/trace.csv
says '^"DR-L000","layout 0","In each unit that has it \(net.h:3\), the following shall be so: struct stats.tx aligned to 64, at byte 64 of 128\.","rx and tx are written by different threads"' \
	"a derived requirement says what shall be" pack/requirements-derived.csv
says '^- functions: none$' "... that no function has" pack/requirements-derived.md
says '^"SYS-1","DR-L000","layout 0","size and place in each unit of the binary","verify.txt","perseus-verify","passed"' \
	"from a requirement to its test and result" pack/trace-tests.csv
says '^\| layout 1 \| - \| each unit that has it \| hits aligned to 64, 64 bytes of its own ' "a row of the checklist" pack/checklist.md
says '^2 of 2 layouts lie as planned' "the verifier shows both" pack/verify.txt
it "trace.html is one file, each link leads somewhere" python3 "$OLDPWD/tests/evidence/check-html.py" pack/trace.html

exits 1 "a unit without the plan" pack some mixed plain.o mixed-pack --cc="gcc -std=c11 -O2 -g" --requirements=req.csv
says '"perseus-verify","failed"' "... fails the gate" mixed-pack/gates.csv
says '"SYS-1","DR-L000",.*"perseus-verify","failed"' "... and the test of the requirement" mixed-pack/trace-tests.csv

grep -v SYS-1 req.csv >less.csv
exits 1 "a layout without a requirement" pack no_tools planned more.o nopack --requirements=less.csv
says "layout 0 \(struct stats.tx aligned to 64, at byte 64 of 128\) has no requirement" "... is named"
{ cat req.csv; echo "SYS-9,layout 2,none"; } >bad.csv
exits 4 "a layout that the plan does not have" pack no_tools planned more.o nopack --requirements=bad.csv
says "unknown item 'layout 2'" "... is named"
it "... and nothing is written" sh -c '! ls -d nopack 2>/dev/null'

sed 's/^    align: 64$/    align: 128/; s/^    size_after: 128$/    size_after: 256/; s/^    offset_after: 64/    offset_after: 128/; s/^    size_after: 64$/    size_after: 128/' plan.yaml |
	awk '/^  - kind: variable/ { stop = 1 } !stop' >before.yaml
exits 0 "with the plan before" pack no_tools planned more.o impact --requirements=req.csv --previous=before.yaml
says '^\| changed \| .*stats.tx in net.h is .* \| layout 0 \| SYS-1 ' "a layout that changed is named with its item" impact/impact.md
says '^\| added \| .*hits in main.c is .* \| layout 1 \| SYS-2 ' "... and one that is new" impact/impact.md
says '^0 of 2 items set what the previous plan sets' "... so neither is as it was" impact/impact.md
finish
