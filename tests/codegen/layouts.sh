#!/bin/sh
# SPDX-License-Identifier: MIT
# Layouts of a plan from plan.yaml to the program: generated, applied by the plugin, stated for a reviewer.
. tests/lib.sh
. tests/codegen/plan.inc
cd "$T" || exit 1
cat >net.h <<'X'
struct stats { long rx;
	long tx; };
X
cat >main.c <<'X'
#include <stdio.h>
#include "net.h"
struct stats stats = {1, 2};
static long drops;
long behind;
int more(struct stats *s);
int main(void)
{
	drops++;
	printf("%zu %ld %d %d\n", sizeof(stats), stats.rx + stats.tx + drops + behind, more(&stats), (int)((unsigned long)&drops % 64));
	return 0;
}
#ifdef REVIEW
#define PERSEUS_LAYOUTS_NET_H
#define PERSEUS_LAYOUTS_MAIN_C
#include "gen/perseus_layouts.h"
#endif
X
cat >more.cc <<'X'
#include "net.h"
#ifdef REVIEW
#define PERSEUS_LAYOUTS_NET_H
#include "gen/perseus_layouts.h"
#endif
extern "C" int more(stats *s);
int more(stats *s) { return (int)((char *)&s->tx - (char *)s); }
X
# layouts LINE-OF-TX: a plan with two layouts
layouts() {
	plan_head
	cat <<-Y
	threads:
	  - index: 0
	    name: "main"
	    ordinal: 0
	layouts:
	  - kind: field
	    type: "struct stats"
	    field: "tx"
	    file: "net.h"
	    line: $1
	    align: 64
	    size: 16
	    offset: 8
	    size_after: 128
	    offset_after: 64
	    bytes: 112
	    breaks: "who has the old struct */ in bytes"
	    evidence: "share-001274"
	    reason: "rx_thread stores to rx, tx_thread to tx"
	  - kind: variable
	    variable: "drops"
	    unit: "main.c"
	    file: "main.c"
	    line: 4
	    align: 64
	    size: 8
	    size_after: 64
	Y
}
layouts 2 >plan.yaml
exits 0 "a plan with layouts alone is generated" perseus codegen plan.yaml -o gen
says 'struct stats.tx aligned to 64 bytes, net.h:2' "... and tells what it aligns"
it "the plugin gets each" sh -c 'grep -qx "layout field struct%20stats tx net.h 2 64 16 8 128 64 share-001274" gen/perseus_triggers.plan && grep -qx "layout variable drops main.c main.c 4 64 8 64" gen/perseus_triggers.plan'
exits 0 "the reviewed source does what the plan says" perseus-source-check plan.yaml gen/perseus_triggers.c
P="-fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan"
it "the generated files compile" sh -c 'for f in perseus_triggers perseus_platform_linux; do gcc -std=c11 -O2 -Wall -Wextra -Werror -c -o gen/$f.o gen/$f.c || exit 1; done'
for o in -O0 "-O2 -flto" -O2; do
	it "$o: builds, with the assertions of the review" sh -c "gcc -Wall -Wextra -Werror -w $o $P -DREVIEW -c main.c && g++ -Wall -Wextra -Werror $o $P -DREVIEW -c more.cc"
	it "... links" g++ $o $P main.o more.o gen/perseus_triggers.o gen/perseus_platform_linux.o -o planned -pthread
	exits 0 "... runs" ./planned
	says '^128 4 64 0$' "... as planned"
done
for unit in "gcc main.c" "g++ more.cc"; do
	exits 1 "without the plan the assertions of $unit stop it" ${unit% *} -w -DREVIEW -c ${unit#* } -o x.o
	says 'layouts\[0\]: size' "... naming the layout"
done
it "the reviewer reads why" sh -c 'grep -q "share-001274" gen/perseus_layouts.h && grep -q "112 bytes of memory more" gen/perseus_layouts.h'
it "... and no text of the plan ends a comment" sh -c '! grep -q "struct \*/ in" gen/perseus_layouts.h'
sed 's/type: "struct stats"/type: "long x[(int)system(0)]; struct stats"/' plan.yaml >bad.yaml
exits 0 "a type that is none" perseus codegen bad.yaml -o bad
it "... does not become code" sh -c '! grep -q "^typedef" bad/perseus_layouts.h && grep -q "only the compiler has" bad/perseus_layouts.h'
layouts 1 >moved.yaml
perseus codegen moved.yaml -o moved >out
exits 1 "a plan of another source stops the build" gcc -w -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=moved/perseus_triggers.plan -c main.c -o x.o
says 'net.h:2:.*layout of field .tx. of .struct stats. .net.h:1., share-001274: the field is declared at line 2 now' "... where the field is now"

# What leaves the program all the same, by the reviewer's word.
cat >send.c <<'X'
#include <unistd.h>
#include "net.h"
int send_it(struct stats *s) { return (int)write(1, s, sizeof(*s)); }
X
exits 1 "a type that is written" gcc -w $P -c send.c -o send.o
says "'write' is given an object" "... is refused"
says "accept: WHY" "... saying what a reviewer can do"
sed 's/^    breaks: .*/&\n    accept: "only this *\/ build reads it"/' plan.yaml >accept.yaml
exits 0 "... unless the plan accepts it" perseus codegen accept.yaml -o accepted
it "... which its line says" grep -q 'share-001274 accepted$' accepted/perseus_triggers.plan
exits 0 "... so it compiles" gcc -w -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=accepted/perseus_triggers.plan -c send.c -o send.o
it "... and a reviewer reads why" sh -c 'tr -s " *\n" " " <accepted/perseus_layouts.h | grep -q "may leave the program: only this" && ! grep -q "this \*/ build" accepted/perseus_layouts.h'
exits 0 "... and the source is the plan's" perseus-source-check accept.yaml accepted/perseus_triggers.c
sed 's/ accepted$//' accepted/perseus_triggers.plan >accepted/cut && mv accepted/cut accepted/perseus_triggers.plan
exits 1 "... but not without the word" perseus-source-check accept.yaml accepted/perseus_triggers.c
exits 0 "what is accepted is a note" perseus plan diff plan.yaml accept.yaml
says 'what is said of the layout of struct stats.tx' "... which is told"
# ---- what else reads plans --------------------------------------------------------------
for edit in 's/ 2 64 16 8 128 64 / 2 64 16 8 128 0 /' 's/ main.c main.c 4 / - main.c 4 /' '/^layout variable/d' '/^layout field/{h;G}'; do
	mkdir -p changed && cp gen/* changed && sed "$edit" gen/perseus_triggers.plan >changed/perseus_triggers.plan
	exits 1 "a plan file that was changed: $edit" perseus-source-check plan.yaml changed/perseus_triggers.c
	says 'perseus_triggers.plan.*layout' "... is another one than the plan's"
done
sed 's/align: 64/align: 128/; s/size_after: 128/size_after: 256/; s/offset_after: 64/offset_after: 128/' plan.yaml | sed '/kind: variable/,$s/align: 128/align: 64/' >wider.yaml
exits 1 "another alignment" perseus plan diff plan.yaml wider.yaml
says 'struct stats.tx in net.h is still aligned: 128 bytes, size 16 to 256, offset 8 to 128 instead of 64 bytes, size 16 to 128, offset 8 to 64' "... is told"
sed '/kind: variable/,$d' plan.yaml >fewer.yaml
exits 1 "a layout less" perseus plan diff plan.yaml fewer.yaml
says 'drops in main.c is no longer aligned .64 bytes, size 8 to 64.' "... is told"
exits 1 "a layout more" perseus plan diff fewer.yaml plan.yaml
says 'drops in main.c is now aligned: 64 bytes, size 8 to 64' "... is told"
exits 0 "another line is a note" perseus plan diff plan.yaml moved.yaml
says 'what is said of the layout of struct stats.tx in net.h is another' "... which is told"
exits 0 "a plan and itself" perseus plan diff plan.yaml plan.yaml
perseus codegen plan.yaml -o grafted --graft=. >out 2>err
says 'by hand: net.h.*a layout is not grafted; align it to 64 bytes' "a graft leaves it to do by hand" out
exits 5 "of a program without debug information nothing is shown" perseus-verify plan.yaml planned
says '^not shown: that every unit of .planned. was compiled with the plan.s 2 layouts: there is no debug information' "... as far as it tells"
exits 4 "an alignment that is none" sh -c 'sed "0,/align: 64/s//align: 48/" plan.yaml >bad.yaml; perseus codegen bad.yaml -o bad'
says 'bad.yaml line [0-9]*, column [0-9]*: an alignment is a power of two' "... is named with its place"
finish
