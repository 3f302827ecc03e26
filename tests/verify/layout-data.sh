#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-verify on data that no unit with debug information tells of, beside planned layouts: it is named, and
# what compilers, linkers and start-up objects bring to ordinary programs is not.
. tests/lib.sh
. tests/codegen/plan.inc
. tests/verify/layouts.inc
cd "$T" || exit 1
cat >net.h <<'X2'
struct stats { long rx; long tx; };
X2
cat >main.c <<'X2'
#include <stdio.h>
#include <unistd.h>
#include "net.h"
struct stats stats = {1, 2};
struct node { int n; struct node *next; };
struct node *nodes = &(struct node){1, &(struct node){2, 0}};
static _Thread_local long own = 4;
extern char **environ;
long more(struct stats *s, int n);
static int table(int n) { switch (n) { case 0: return 7; case 1: return 11; case 2: return 33; case 3: return 2; case 4: return 90; default: return 0; } }
static const char *word(int n) { switch (n) { case 0: return "a"; case 1: return "bb"; case 2: return "ccc"; case 3: return "d"; case 4: return "eeee"; default: return ""; } }
static int local(int n) { int a[8] = {1, 2, 3, 4, 5, 6, 7, 8}; static long calls; return ++calls + a[n & 7]; }
int main(int argc, char **argv)
{
	(void)argv;
	fprintf(stderr, "%s %d %s %p\n", __func__, table(argc), word(argc), (void *)environ);
	return (more(&stats, argc) + own + nodes->next->n + local(argc) + optind) == 0;
}
X2
cat >more.cc <<'X2'
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include "net.h"
struct base { virtual ~base() = default; virtual long get() const { return 1; } };
struct derived : virtual base { long get() const override { return 2; } };
const int &reference = 5;
thread_local std::string words = "w";
template <class T> T made = T(3);
inline constexpr double figures[] = {1.5, 2.5};
std::initializer_list<int> list = {1, 2, 3};
static std::map<int, int> &lazy() { static std::map<int, int> m; return m; }
extern "C" long more(stats *s, int n);
long more(stats *s, int n)
{
	derived d;
	const base &b = d;
	try {
		if (n > 9)
			throw std::runtime_error("n");
		lazy().insert(std::pair<int, int>(std::piecewise_construct, std::forward_as_tuple(n), std::forward_as_tuple(n)));
	} catch (std::exception &e) {
		return e.what()[0];
	}
	return s->tx + b.get() + reference + made<long> + (long)figures[n & 1] + *list.begin() + (long)words.size();
}
X2
field "struct stats" tx net.h 1 64 16 8 128 64 | layouts_plan >plan.yaml
generated "a field"

# ---- ordinary programs ---------------------------------------------------------------------
# built FLAGS [LINK-FLAGS]
built() { it "builds, $1 $2" sh -c "gcc $1 $P -c -o main.o main.c && g++ -std=c++17 $1 $P -c -o more.o more.cc && g++ $1 $P $2 -o planned main.o more.o $G -pthread"; }
for o in "-g -O0" "-g -O2" "-g -O2 -flto" "-g -O1 -fno-pie -no-pie" "-gdwarf-4 -O1 -ffunction-sections -fdata-sections -Wl,--gc-sections"; do
	built "$o"
	shown "data of an ordinary program, $o" 1 planned
	says "^equal in layouts: no trigger is planned,$" "... exceptions and all, $o"
done
built "-g -O2"
for how in gold lld mold; do
	if ! command -v ld.$how >/dev/null; then skip "data of an ordinary program, $how" "not installed"; continue; fi
	it "links, $how" g++ -g -fuse-ld=$how -o planned main.o more.o $G -pthread
	shown "data of an ordinary program, $how" 1 planned
done

# ---- data that nobody tells of -------------------------------------------------------------
# third: the program with third.o
third() { it "is linked, too" g++ -g -o third main.o more.o third.o $G -pthread; }
# data TEXT PATTERN COMMAND..: third.o, made so, is named
data() {
	text=$1 pattern=$2
	shift 2
	it "$text is made" "$@"
	third
	open "$text" third "the plan.s layouts in $pattern: no debug information tells what this data is"
}
mkdir -p other
printf '#include "net.h"\nstruct stats third = {3, 4};\n' >third.c
for name in third.inl third.CPP other/main.c; do cp third.c $name; done
D=".third. at 0x[0-9a-f]*"
data "data of a unit without debug information" "$D" gcc -c third.c
data "data whose debug information was removed" "$D" sh -c 'gcc -g -c third.c && strip -g third.o'
data "data of a unit with the name of another" "$D" gcc -I. -c -o third.o other/main.c
data "data of a source of another ending" "$D" gcc -x c -c -o third.o third.inl
data "data of a source with a capital ending" "$D" g++ -c -o third.o third.CPP
data "data of a text of the assembler without a source" "$D" sh -c 'gcc -S third.c && sed -i /\\.file/d third.s && gcc -c -o third.o third.s'
data "data whose debug information was renamed" "$D" sh -c 'gcc -g -c third.c && objcopy --rename-section .debug_info=.elsewhere third.o'
data "data without a type or size" "$D" sh -c 'printf "\t.data\n\t.globl third\nthird:\t.quad 3, 4\n" >third.s && gcc -c third.s'
printf '#include "net.h"\nconst struct stats third = {3, 4};\n' >third.c
data "constant data" "$D" gcc -c third.c
printf '#include "net.h"\n_Thread_local struct stats third = {3, 4};\n' >third.c
data "data of each thread" "$D" gcc -c third.c
printf '#include "net.h"\nextern struct stats stats; long *third = &stats.tx;\n' >third.c
data "the place of a field as a number" "$D" gcc -c third.c
printf '\t.data\n\t.quad 0\n.Lthird:\t.quad 0x333, 0x444\n' >third.s
it "data without a name is made" gcc -c third.s
third
open "data without a name" third "the plan.s layouts in 0x[0-9a-f]* to 0x[0-9a-f]*: no symbol tells what this data is"
printf '#include "net.h"\nstruct stats third = {3, 4}; static long zero[9]; long *third_zero(void); long *third_zero(void) { return zero; }\n_Thread_local struct stats each = {5, 6}; extern struct stats alias __attribute__((alias("third")));\n' >third.c
it "the twin is made" gcc -g -O1 $P -c third.c
third
shown "the twin: data of a unit with debug information" 1 third
finish
