#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-verify on what leaves little in a program with planned layouts: units that a link with -flto has inlined,
# libraries that are not given, operators new and delete of its own, and files of one name.  Each has a twin that is shown.
. tests/lib.sh
. tests/codegen/plan.inc
. tests/verify/layouts.inc
cd "$T" || exit 1
cat >net.h <<'X'
struct stats { long rx; long tx; };
X
cat >main.c <<'X'
#include "net.h"
struct stats stats = {1, 2};
long third(struct stats *s);
int main(void) { return third(&stats) != 2; }
X
printf '#include "net.h"\nlong third(struct stats *s) { return s->tx; }\n' >third.c
field "struct stats" tx net.h 1 64 16 8 128 64 | layouts_plan >plan.yaml
generated "a field"
F="-g -O2 -flto"

# ---- what a link with -flto takes in -------------------------------------------------------------
# linked FLAGS-OF-THIRD FLAGS-OF-LINK
linked() { it "builds, third.c with $1, linked with $2" sh -c "gcc $F $P -c main.c && gcc -O2 -flto $1 -c third.c && gcc $F $2 -o linked main.o third.o"; }
whole() { says "^equal in layouts: no trigger is planned,$" "$1: and nothing is open"; }
linked "-g $P" "$P"
shown "all units with the plan" 1 linked
whole "all units with the plan"
linked "$P" "$P"
shown "a unit with the plan and without -g, which is inlined" 1 linked
for o in "" "-flto-partition=none" "-flto-partition=one" "-flto-partition=max" "-flto=2"; do
	linked "" "$P $o"
	exits 1 "... it reads the field where it was" ./linked
	open "a unit without the plan, $o" linked "the plan.s layouts in third.o: the link with -flto took it in, and it was compiled without this plan"
done
it "a library of it" sh -c "rm -f libthird.a && gcc-ar rc libthird.a third.o && gcc $F $P -o linked main.o -L. -lthird"
open "a member of a library" linked "the plan.s layouts in [./]*libthird.a[@0-9a-fx]*: the link with -flto took it in"
sed 's/^perseus: plan/# an older one\n&/' plan.yaml >older.yaml
exits 0 "the code of another plan" perseus codegen older.yaml -o older
linked "-fplugin=$PLUGIN -fplugin-arg-perseus-plan=older/perseus_triggers.plan" "$P"
open "a unit with another plan" linked "the plan.s layouts in third.o: the link with -flto took it in"
it "linked without the plan" sh -c "gcc $F $P -c third.c && gcc $F -o linked main.o third.o"
open "the link without the plan" linked "the plan.s layouts in what the link with -flto took in: it was linked without the plugin and the plan"
exits 0 "a build that only links" perseus build --probe=none --plan=gen/perseus_triggers.plan -- gcc $F -o linked main.o third.o
says "only links were seen: the units that they took in were compiled before" "... says so"
silent "no compilation was seen" "... and nothing else"
shown "the twin: the link by perseus build" 1 linked
exits 0 "one layout" perseus codegen plan.yaml -o once
says "of this plan for 1 setting: " "... is one setting"
it "no -flto at all" sh -c "gcc -g -O2 $P -c main.c && gcc -g -O2 $P -c third.c && gcc -o linked main.o third.o"
shown "the twin: without -flto" 1 linked
whole "the twin: without -flto"

# ---- libraries -----------------------------------------------------------------------------------
it "a library without the plan" sh -c "gcc -g -O2 -fPIC -shared -o libours.so third.c && gcc -g -O2 $P -o shared main.c -L. -lours"
open "a library that is not given" shared "the plan.s layouts in libours.so: libraries of the program that were not looked at"
exits 1 "... given, it is looked at" perseus-verify plan.yaml shared --libraries libours.so
says "in third.c the type has 16 bytes and the field is at 8" "... and found to be another"
it "a library with the plan" gcc -g -O2 $P -fPIC -shared -o libours.so third.c
exits 0 "the twin: a library with the plan" perseus-verify plan.yaml shared --libraries libours.so
whole "the twin: a library with the plan"

# ---- operators new and delete --------------------------------------------------------------------
printf '#include "net.h"\nlong third(stats *s);\nlong third(stats *s) { stats *n = new stats{*s}; long tx = n->tx; delete n; return tx; }\nint main() { stats s = {1, 2}; return third(&s) != 2; }\n' >use.cc
cat >plain.cc <<'X'
#include <cstdlib>
#include <new>
void *operator new(std::size_t n) { return (char *)std::malloc(n + 16) + 16; }
void operator delete(void *p) noexcept { if (p) std::free((char *)p - 16); }
void operator delete(void *p, std::size_t) noexcept { operator delete(p); }
X
{ cat plain.cc; printf 'void *operator new(std::size_t n, std::align_val_t) { return std::aligned_alloc(128, (n + 127) / 128 * 128); }\nvoid operator delete(void *p, std::align_val_t) noexcept { std::free(p); }\nvoid operator delete(void *p, std::size_t, std::align_val_t) noexcept { std::free(p); }\n'; } >full.cc
it "plain operators alone, compiled with the plan" sh -c "! g++ -std=c++17 -g -O2 $P -c plain.cc 2>said"
says "this unit replaces operator new, but not its form with std::align_val_t" "... are refused" said
it "both forms, compiled with the plan" g++ -std=c++17 -g -O2 $P -c full.cc -o own.o
it "... linked" sh -c "g++ -std=c++17 -g -O2 $P -c use.cc && g++ -o own use.o own.o && ./own"
shown "the twin: both forms" 1 own
whole "the twin: both forms"
it "plain operators alone, without the plan" sh -c "g++ -std=c++17 -g -O2 -c plain.cc -o own.o && g++ -o own use.o own.o"
open "operators that need another form" own "that blocks with the plan.s alignment go back to where they are from: .own. replaces operator new, but not its form with std::align_val_t"
says "replaces operator delete" "... and delete"
it "before C++17 nothing needs it" sh -c "g++ -std=c++14 -g -O2 $P -c use.cc && g++ -std=c++14 -g -O2 $P -c plain.cc -o own.o && g++ -o own use.o own.o && ./own"
shown "the twin: C++14" 1 own
silent "go back to where they are from" "... and nothing is said of operators"

# ---- files of one name ---------------------------------------------------------------------------
mkdir -p a b
for d in a b; do printf 'struct t { long x; long b; };\n' >$d/t.h; done
printf '#include "t.h"\nstatic struct t own = {1, 2};\nlong other(void);\nint main(void) { return own.b + other() != 5; }\n' >a/a.c
printf '#include "t.h"\nstatic struct t own = {1, 3};\nlong other(void);\nlong other(void) { return own.b; }\n' >b/b.c
BY_PATH="-fplugin=$PLUGIN -fplugin-arg-perseus-plan=$PWD/gen/perseus_triggers.plan"
field "struct t" b t.h 1 64 16 8 128 64 | layouts_plan >plan.yaml
generated "a short path"
it "... in two folders" sh -c "(cd a && gcc -g -O0 $P -c a.c -o ../a.o) && (cd b && gcc -g -O0 $P -c b.c -o ../b.o) && gcc -o files a.o b.o && ./files"
blank "two files that fit" files "which file the layout of struct t.b .t.h:1. means: .*/[ab]/t.h and .*/[ab]/t.h fit, and both have such a type"
field "struct t" b a/t.h 1 64 16 8 128 64 | layouts_plan >plan.yaml
generated "a longer path"
sed -i 's/struct t {/struct t { int kind;/' b/t.h
it "... in two folders" sh -c "(cd a && gcc -g -O0 $P -c a.c -o ../a.o) && (cd b && gcc -g -O0 $P -c b.c -o ../b.o) && gcc -o files a.o b.o"
shown "the twin: a path that fits one" 1 files
whole "the twin: a path that fits one"
finish
