#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus conflicts --plan: findings become layouts of a plan, and a build with that plan is without
# them: each program is recorded, planned, generated, built, run, verified and recorded again.  What
# needs nothing gets no layout, and what no layout ends is refused by name.
. tests/lib.sh
prices=$(pwd)/tests/sharing/platform.yaml inc=$(pwd)/tests/cli/conflicts/plan.inc
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "findings become layouts of a plan" "one core only"; finish; exit; }

. "$inc"
# ---- programs: two threads, first(n) and second(n), and what they share --------------------
cat >global.c <<'X'
#include "crew.h"
volatile long hits __attribute__((aligned(16))) = 1;
static volatile long misses = 1;
static void first(long n) { hits += n; }
static void second(long n) { misses += n; }
int main(void) { crew(); printf("%ld %ld\n", hits, misses); return 0; }
X
cat >field.c <<'X'
#include "crew.h"
struct stats { int id; volatile long rx;
	volatile long tx; char tag[3]; unsigned on : 3, off : 7; long total; };
static struct stats stats __attribute__((aligned(64))) = {.id = 1, .tag = "ab", .off = 5};
static void first(long n) { stats.rx += n; }
static void second(long n) { stats.tx += n; }
int main(void) { crew(); printf("%d %ld %ld %s %d %ld\n", stats.id, stats.rx, stats.tx, stats.tag, stats.off, stats.total); return 0; }
X
cat >heap.c <<'X'
#include "crew.h"
struct worker { volatile long done; int kind; };
static struct worker *w;
static void first(long n) { w[0].done += n; }
static void second(long n) { w[1].done += n; }
int main(void) { w = calloc(2, sizeof(*w)); w[1].kind = 7; crew(); printf("%ld %ld %d\n", w[0].done, w[1].done, w[1].kind); return 0; }
X
cat >class.cc <<'X'
#include "crew.h"
namespace app {
class port {
	volatile long in = 0;
	volatile long out = 0;
public:
	void put(long n) { in = in + n; }
	void get(long n) { out = out + n; }
	void show() const { printf("%ld %ld\n", in, out); }
};
}
alignas(64) static app::port port;
static void first(long n) { port.put(n); }
static void second(long n) { port.get(n); }
int main() { crew(); port.show(); }
X
cat >local.c <<'X'
#include "crew.h"
struct both { volatile long parsed, printed; };
static struct both *count(void) { static struct both count __attribute__((aligned(64))); return &count; }
static void first(long n) { count()->parsed += n; }
static void second(long n) { count()->printed += n; }
int main(void) { crew(); printf("%ld %ld\n", count()->parsed, count()->printed); return 0; }
X
cat >templ.cc <<'X'
#include "crew.h"
template <int N> struct cell { static volatile long v; };
template <int N> volatile long cell<N>::v;
static void first(long n) { cell<1>::v += n; }
static void second(long n) { cell<2>::v += n; }
int main(void) { crew(); printf("%ld %ld\n", cell<1>::v, cell<2>::v); return 0; }
X
cat >seat.c <<'X'
#include "crew.h"
static void first(long n) { static volatile long left; left += n; if (n == ROUNDS - 1) printf("%ld\n", left); }
static volatile long right;
static void second(long n) { right += n; }
int main(void) { crew(); printf("%ld\n", right); return 0; }
X

way global.c '(hits[+]misses|misses[+]hits)' 'variable: "hits" file: "global.c" line: 2 align: 64 size: 8 size_after: 64 bytes: 56' \
	'variable: "misses" unit: "global.c" file: "global.c" line: 3 align: 64 size: 8 size_after: 64 bytes: 56'
way field.c 'stats\.rx/tx' 'field: "tx" file: "field.c" line: 3 align: 64 size: 40 offset: 16 size_after: 128 offset_after: 64'
told='struct worker.done .* lies a line away from what others use: 128 bytes instead of 16, in all [+]224$'
way heap.c '.*worker.*done' 'type: "struct worker" field: "done" file: "heap.c" line: 2 align: 128 size: 16 offset: 0 size_after: 128 offset_after: 0 bytes: 224'
way class.cc 'port\.in/out' 'type: "app::port" field: "out" file: "class.cc" line: 5 align: 64 size: 16 offset: 8 size_after: 128 offset_after: 64 bytes: 112'
way local.c 'count\.parsed/printed' 'type: "struct both" field: "printed" file: "local.c" line: 2 align: 64 size: 16 offset: 8 size_after: 128 offset_after: 64'
way seat.c '(.*left[+]right|right[+].*left)' 'variable: "left" unit: "seat.c" file: "seat.c" line: 2 align: 64 size: 8 size_after: 64' \
	'variable: "right" unit: "seat.c" file: "seat.c" line: 3 align: 64 size: 8 size_after: 64'

told='cell<[12]>::v .* begins a line: 64 bytes instead of 8, in all [+]112 of the instances seen$'
way templ.cc '(cell<1>::v[+]cell<2>::v|cell<2>::v[+]cell<1>::v)' 'variable: "cell<[12]>::v" file: "templ.cc" line: 3 align: 64 size: 8 size_after: 64 bytes: 112'

if ! [ -s field.yaml ] || ! [ -s global.yaml ]; then
	skip "plans that are there" "machine busy: in six recordings other load had the cores"
	finish
	exit
fi
exits 1 "a build without the plan is not what it says" perseus verify field.yaml field
says "struct stats.tx .*: it was compiled without the plan" "... by name"

# ---- a plan that is there ------------------------------------------------------------------
mkdir -p far && sed '/^layouts:/,$d' field.yaml >far/real.yaml && ln -s far/real.yaml link.yaml && ln -s nowhere.yaml dangling.yaml
exits 0 "a plan behind a symbolic link is extended" perseus conflicts --all -p "$prices" --plan=link.yaml field.run
it "... where it lies" sh -c 'test -L link.yaml && grep -q "^layouts:" far/real.yaml'
exits 4 "a link that leads nowhere is refused" perseus conflicts --all -p "$prices" --plan=dangling.yaml field.run
it "... and kept" test -L dangling.yaml
for kind in "it has 2 names" "it is write-protected"; do
	cp far/real.yaml kept.yaml && rm -f second.yaml
	case $kind in *names) ln kept.yaml second.yaml ;; *) chmod 444 kept.yaml ;; esac
	exits 4 "a plan is refused since $kind" perseus conflicts --all -p "$prices" --plan=kept.yaml global.run
	says "'kept.yaml' is kept: $kind" "... which is said"
	it "... and stays as it is" cmp kept.yaml far/real.yaml
done
exits 6 "sources that are elsewhere" sh -c "cd far && perseus conflicts --all -p '$prices' --plan=other.yaml ../field.run"
says "not changed: its sources [(]field.c[)] are not below '.*far'" "... are what is missing"
says 'by hand: say where they are: perseus conflicts --source=DIR' "... and how to name them"
exits 0 "... from there" sh -c "cd far && perseus conflicts --all -p '$prices' --source=.. --plan=other.yaml ../field.run"
exits 0 "a run without prices" perseus conflicts --all field.run
says "in a plan: perseus conflicts --plan=plan.yaml share-[0-9]+ --platform=P$" "... says that a plan takes a machine"
exits 4 "... or there is none" perseus conflicts --all --plan=none.yaml field.run
exits 0 "the way by a plan in JSON" sh -c "perseus conflicts --all -p '$prices' --json field.run | grep -q '\"plan\": *true' "
sed '/^layouts:/,$d' field.yaml | sed 's/$/\r/' >crlf.yaml
exits 0 "a plan with carriage returns is extended" perseus conflicts --all -p "$prices" --plan=crlf.yaml field.run
it "... with carriage returns" sh -c 'test "$(grep -c "$(printf "\r")\$" crlf.yaml)" = "$(wc -l <crlf.yaml)" && perseus codegen crlf.yaml -o gen'
{ echo "# by hand"; sed '/^layouts:/,$d' field.yaml; echo "# behind all"; } >mine.yaml
cp mine.yaml mine.before
exits 0 "a plan without layouts gets them" perseus conflicts --all -p "$prices" --plan=mine.yaml field.run
it "... all that was in it is there, byte by byte" sh -c 'diff mine.before mine.yaml | grep -q "^>" && ! diff mine.before mine.yaml | grep "^<"'
{ sed '/^layouts:/,$d' field.yaml; sed -n '/^layouts:/,$p' global.yaml; echo "  # the last one"; echo; echo "turns_on: \"something\""; } >mine.yaml
cp mine.yaml mine.before
exits 0 "a plan with others gets more" perseus conflicts --all -p "$prices" --plan=mine.yaml field.run
it "... behind them" sh -c 'diff mine.before mine.yaml | grep -q "^> .*field: \"tx\"" && ! diff mine.before mine.yaml | grep "^<" && test "$(tail -n 1 mine.yaml)" = "turns_on: \"something\"" && perseus codegen mine.yaml -o more'
cp mine.yaml mine.before
exits 0 "once more" perseus conflicts --all -p "$prices" --plan=mine.yaml field.run
it "... nothing is written twice" cmp mine.yaml mine.before
says "'mine.yaml' has each of these layouts" "... and that is said"
sed 's/field: "tx"/field: "rx"/; s/    line: 3/    line: 2/; s/ offset: 16/ offset: 8/' field.yaml >few.yaml
cp few.yaml few.before
exits 4 "layouts that would change those that are there are refused" perseus conflicts --all -p "$prices" --plan=few.yaml field.run
says 'the plan has a layout of `rx` of struct stats with 128 bytes then, and with what is to come it has 192' "... by name"
it "... and the plan is kept" cmp few.yaml few.before
for text in 'hello: world' '' 'perseus: platform'; do
	echo "$text" >other.yaml && cp other.yaml other.before
	exits 4 "a file that is no plan ('$text') is refused" perseus conflicts --all -p "$prices" --plan=other.yaml field.run
	says "'other.yaml' is kept: it is no plan" "... which is said"
	it "... and kept" cmp other.yaml other.before
done
sed 's/^program: .*/program: "other"/' field.yaml >other.yaml && cp other.yaml other.before
exits 4 "so is the plan of another program" perseus conflicts --all -p "$prices" --plan=other.yaml field.run
says 'it is a plan of other, and the run is of field' "... which is said"
it "... and kept" cmp other.yaml other.before

# ---- both remedies in one plan ---------------------------------------------------------------
exits 0 "a timing run" perseus record -q -o field.timing ./field
exits 0 "... its model" perseus analyze field.timing -o model.yaml
exits 0 "... a plan of threads" perseus plan model.yaml -p "$prices" -o threads.yaml
cp threads.yaml threads.before
exits 0 "... takes the layouts, too" perseus conflicts --all -p "$prices" --plan=threads.yaml field.run
it "... and keeps all that it says" sh -c '! diff threads.before threads.yaml | grep "^<"'
it "... both are followed" planned threads field.c
exits 0 "... and verified" perseus verify threads.yaml threads-none
says '1 of 1 layouts? lie as planned' "... both"

# ---- twins ------------------------------------------------------------------------------------
sed 's/volatile long misses/volatile long misses __attribute__((aligned(64)))/; s/aligned(16)/aligned(64)/' global.c >apart.c
it "a program that needs nothing" perseus build -- gcc -g -O1 -o apart apart.c -pthread
perseus record -q --purpose=sharing --sharing=precise -o apart.run ./apart >/dev/null
exits 6 "... gets no layout" perseus conflicts --all -p "$prices" --plan=apart.yaml apart.run
it "... and no file" test ! -e apart.yaml
refused numbers 'each' 'threads meet between elements of `each`' '#   by hand: use perseus conflicts --patch share-[0-9]+, which changes the sources' <<'X'
#include "crew.h"
static volatile long each[2] __attribute__((aligned(64)));
static void first(long n) { each[0] += n; }
static void second(long n) { each[1] += n; }
int main(void) { crew(); printf("%ld %ld\n", each[0], each[1]); return 0; }
X
refused asserted 'asserted' 'a static assertion at asserted.c:3 fixes the size of .asserted.' 'by hand: change what it asserts along with the type' <<'X'
#include "crew.h"
static struct asserted { volatile long a, b; } asserted __attribute__((aligned(64)));
_Static_assert(sizeof(struct asserted) == 16, "as it is sent");
static void first(long n) { asserted.a += n; }
static void second(long n) { asserted.b += n; }
int main(void) { crew(); printf("%ld %ld\n", asserted.a, asserted.b); return 0; }
X
refused inner 'inner' 'is in a union|one union|union' <<'X'
#include "crew.h"
static struct inner { union { struct { volatile long a, b; }; char bytes[16]; }; } inner __attribute__((aligned(64)));
static void first(long n) { inner.a += n; }
static void second(long n) { inner.b += n; }
int main(void) { crew(); printf("%ld %ld\n", inner.a, inner.b); return 0; }
X
refused pack 'pack' 'the site table does not say what the members of struct pack are aligned to' <<'X'
#include "crew.h"
static struct pack { char c[8]; volatile long a; volatile long b; } __attribute__((packed, aligned(8))) pack;
static void first(long n) { pack.a += n; }
static void second(long n) { pack.b += n; }
int main(void) { crew(); printf("%ld %ld\n", pack.a, pack.b); return 0; }
X

# ---- what only the compiler sees ----------------------------------------------------------------
sed -i 's/^struct stats {/#pragma pack(8)\n#line 2\nstruct stats {/' field.c
perseus codegen field.yaml -o gen >/dev/null
exits 1 "a type that #pragma pack limits since stops the build" sh -c 'gcc -w $(perseus flags --plan=gen/perseus_triggers.plan) -c field.c'
says "layout of field .tx. of .struct stats. .field.c:3., share-[0-9]+: " "... naming the item and the finding"
says "the item of its .layouts:. with .evidence: share-[0-9]+. is the one to take out" "... and what to do"
finish
