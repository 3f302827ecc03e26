#!/bin/sh
# SPDX-License-Identifier: MIT
# Ways to lay out, hand on and look at a structure: a plan that pads a member of it is refused with the reason,
# or followed and then right, which the program says itself.
. tests/lib.sh
. tests/plugin/helpers
inc=$PWD/tests/plugin/layouts.inc
cd "$T" || exit 1
. "$inc"

# hostile TEXT OUTCOME [FIGURES [cc]]: stdin is a program whose struct t on line 2 has a member b; FIGURES: size
# and place without and with the plan.  OUTCOME: what the refusal says, or `right': it ends with 0.
hostile() {
	text=$1 outcome=$2 figures=${3:-16 8 128 64} end=${4:-c}
	cat >"t.$end"
	cc="gcc -std=gnu11"
	[ "$end" = c ] || cc="g++ -std=c++17"
	plan "layout field t b t.$end 2 64 $figures"
	case $outcome in
	right)
		it "right: $text" sh -c "$cc -w -O1 $P -o prog t.$end -pthread && ./prog"
		;;
	*)
		exits 1 "refused: $text" $cc -w -O1 $P -c "t.$end" -o t.o
		says "error: (perseus: layout of field 'b' of .*: .*)?$outcome" "... for its reason"
		;;
	esac
}

# accepted TEXT LINE: the same program is compiled once the line of the plan says so
accepted() {
	plan "$2"
	exits 0 "accepted: $1" $cc -w -O1 $P -c "t.$end" -o t.o
}

# ---- how it is laid out ---------------------------------------------------------------------
hostile "a union" "it is a member of a union" "8 0 64 0" <<'X'

union t { long a; long b; } o;
X
hostile "a packed structure" "it is packed" "17 9 128 64" <<'X'

struct __attribute__((packed)) t { char c; long a; long b; } o;
X
hostile "a packed member" "it is packed" "17 9 128 64" <<'X'

struct t { char c; long a __attribute__((packed)); long b __attribute__((packed)); } o;
X
hostile "#pragma pack" "its alignment is limited" "12 4 128 64" <<'X'
#pragma pack(4)
struct t { int a; long b; } o;
X
hostile "-fpack-struct's like: pack pushed and taken back" right <<'X'
#pragma pack(push, 1)
#pragma pack(pop)
#line 2
struct t { long a; long b; } o;
int main(void) { return sizeof(o) != 128; }
X
hostile "a bit-field" "it is a bit-field" "16 8 128 64" <<'X'

struct t { long a; unsigned b : 3; } o;
X
hostile "bit-fields in front" right "24 16 128 64" <<'X'

struct t { unsigned x : 3, y : 7; long a; long b; } o = {5, 100, 1, 2};
int main(void) { return o.x != 5 || o.y != 100 || (char *)&o.b - (char *)&o != 64 || o.b != 2; }
X
hostile "bit-fields behind" right "24 8 128 64" <<'X'

struct t { long a; long b; unsigned x : 3, y : 7; } o = {1, 2, 5, 100};
int main(void) { return o.x != 5 || o.y != 100 || (char *)&o.b - (char *)&o != 64 || o.a != 1; }
X
hostile "a flexible array member" "ends with an array without a bound" <<'X'

struct t { long a; long b; char rest[]; } *o; struct t p;
X
hostile "an array of no elements at the end" "ends with an array without a bound" <<'X'

struct t { long a; long b; char rest[0]; } o;
X
hostile "an explicit storage order" "explicit scalar storage order" <<'X'

struct __attribute__((scalar_storage_order("big-endian"))) t { long a; long b; } o;
X
hostile "a union that has it" "a union has an object of its type beside other members" <<'X'

struct t { long a; long b; }; union { struct t t; char raw[16]; } o;
X
hostile "a union of another header that has it" "a union has an object of its type beside other members" <<'X'

struct t { long a; long b; };
# 1 "other.h"
union u { long raw; struct t t[2]; } o;
X
hostile "a union with nothing but it" right <<'X'

struct t { long a; long b; }; union { struct t t; } o = {{1, 2}};
int main(void) { return o.t.b != 2 || sizeof(o) != 128; }
X
hostile "a virtual base" right "32 16 128 64" cc <<'X'
struct v { long x = 7; };
struct t : virtual v { long a = 1; long b = 2; };
t o; int main() { return o.x != 7 || o.a != 1 || o.b != 2 || (char *)&o.b - (char *)&o != 64; }
X
hostile "a declaration of a system header" "its declaration is a system header's" "16 8 128 64" <<'X'
# 2 "t.c" 3
struct t { long a; long b; } o;
X

# ---- who looks at its bytes -------------------------------------------------------------------
bytes='is given an object of its type, and who has the other end counts on the old layout'
for call in 'write(1, &o, sizeof(o))' 'read(0, p, sizeof(*p))' 'pwrite(1, &o, sizeof(o), 0)' 'fwrite(&o, sizeof(o), 1, stdout)' \
	'fread(p, sizeof(o), 1, stdin)' 'send(0, &o, sizeof(o), 0)' 'recv(0, p, sizeof(o), 0)' 'sendto(0, p, sizeof(o), 0, 0, 0)' \
	'ioctl(0, 1, &o)' 'ioctl(0, 1, p)' 'fcntl(0, 1, &o)' 'write(1, many, sizeof(many))' 'write(1, &holder, sizeof(holder))' 'syscall(1, 1, &o, 16)'; do
	hostile "$call" "$bytes" <<X
#define _GNU_SOURCE
struct t { long a; long b; };
#include <stdio.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
struct t o, many[2]; struct { int id; struct t in; } holder;
long use(struct t *p) { return (long)$call; }
X
done
hostile "std::ostream::write()" "$bytes" "16 8 128 64" cc <<'X'
#include <iostream>
struct t { long a; long b; } o;
int main() { std::cout.write(reinterpret_cast<char *>(&o), sizeof(o)); }
X
hostile "memcmp() of two" "compares all bytes of an object of its type" <<'X'
#include <string.h>
struct t { long a; long b; } o, p;
int main(void) { return memcmp(&o, &p, sizeof(o)); }
X
accepted "memcmp() of two" "layout field t b t.c 2 64 16 8 128 64 share-000001 accepted"
accepted "... without a finding" "layout field t b t.c 2 64 16 8 128 64 - accepted"
plan "layout field t b t.c 2 64 16 8 128 64 share-000001 taken"
exits 1 "another word than accepted is an error" $cc -w -O1 $P -c "t.$end" -o t.o
plan "layout field t a t.c 2 64 16 0 128 0 - accepted" "layout field t b t.c 2 64 16 8 128 64"
exits 1 "one field that is accepted and one that is not: refused" $cc -w -O1 $P -c "t.$end" -o t.o
says "compares all bytes" "... for its reason"
hostile "a file that is mapped" "'mmap' gives objects of its type" <<'X'
#include <sys/mman.h>
struct t { long a; long b; };
int main(void) { struct t *o = mmap(0, 4096, PROT_READ, MAP_SHARED, 3, 0); return o->b; }
X
hostile "a segment of shared memory" "'shmat' gives objects of its type" <<'X'
#include <sys/shm.h>
struct t { long a; long b; };
int main(void) { struct t *o = shmat(1, 0, 0); return o->b; }
X
hostile "memory that is mapped of nothing" right <<'X'
#include <sys/mman.h>
struct t { long a; long b; };
int main(void) { struct t *o = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); o->b = 3; return o[0].b != 3 || (char *)&o->b - (char *)o != 64; }
X
hostile "one member that is written" right <<'X'
#include <unistd.h>
struct t { long a; long b; } o = {1, 2};
int main(void) { int fd[2]; long got = 0; if (pipe(fd)) return 1; write(fd[1], &o.b, sizeof(o.b)); read(fd[0], &got, sizeof(got)); return got != 2; }
X
hostile "a function of the program that is called write()" right <<'X'
static long seen;
struct t { long a; long b; } o = {1, 2};
static __attribute__((noinline)) void write(int fd, struct t *p) { seen = p->b; }
int main(void) { write(1, &o); return seen != 2; }
X
hostile "asm with an address of one" "an asm statement is given an object of its type" <<'X'

struct t { long a; long b; } o;
int main(void) { long v; __asm__ volatile("movq 8(%1), %0" : "=r"(v) : "r"(&o) : "memory"); return v; }
X
hostile "asm with all of one" "an asm statement is given an object of its type" <<'X'

struct t { long a; long b; } o;
int main(void) { __asm__ volatile("incq %0" : "+m"(o)); return 0; }
X
hostile "asm with one member" right <<'X'

struct t { long a; long b; } o = {1, 2};
int main(void) { __asm__ volatile("incq %0" : "+m"(o.b)); return o.b != 3; }
X
hostile "asm without text, as benchmarks have it" right <<'X'

struct t { long a; long b; } o = {1, 2};
int main(void) { __asm__ volatile("" : : "r"(&o) : "memory"); return o.b != 2; }
X

# ---- what the language lays out by itself ------------------------------------------------------
hostile "positional initialisers, copies, arguments and results" right <<'X'
#include <string.h>
struct t { long a; long b; } o = {1, 2}, many[3] = {{1, 2}, {3, 4}, {5, 6}};
static __attribute__((noinline)) struct t turn(struct t x) { return (struct t){x.b, x.a}; }
int main(void) { struct t c = o, d; memcpy(&d, &many[2], sizeof(d)); c = turn(c); return c.a != 2 || c.b != 1 || d.b != 6 || many[1].a != 3; }
X
hostile "malloc() and realloc() by sizeof" right <<'X'
#include <stdlib.h>
struct t { long a; long b; } *o;
int main(void) { o = malloc(2 * sizeof(*o)); o = realloc(o, 4 * sizeof(struct t)); o[3].b = 4; return o[3].b != 4 || (char *)&o[1] - (char *)o != 128; }
X
hostile "offsetof in constants" right <<'X'
#include <stddef.h>
struct t { long a; long b; } o;
int main(void) { static const char m[offsetof(struct t, b)]; switch (sizeof(m)) { case offsetof(struct t, b): return 0; } return 1; }
X
hostile "variable arguments" right <<'X'
#include <stdarg.h>
struct t { long a; long b; } o = {1, 2};
static __attribute__((noinline)) long sum(int n, ...) { va_list l; long s = 0; va_start(l, n); while (n--) s += va_arg(l, struct t).b; va_end(l); return s; }
int main(void) { return sum(2, o, o) != 4; }
X
hostile "a static assertion of its size" "static assertion failed" <<'X'

struct t { long a; long b; } o; _Static_assert(sizeof(struct t) == 16, "as it is sent");
X
hostile "structured bindings and aggregates" right "16 8 128 64" cc <<'X'
#include <cstddef>
struct t { long a; long b; };
constexpr t o{1, 2}; static_assert(offsetof(t, b) == 64);
int main() { auto [x, y] = o; return x != 1 || y != 2; }
X
hostile "new and delete of arrays" right "16 8 128 64" cc <<'X'
#include <cstdint>
struct t { long a = 1; long b = 2; };
int main() { t *p = new t[3]; bool good = p[2].b == 2 && reinterpret_cast<std::uintptr_t>(p) % 64 == 0; delete[] p; return !good; }
X

# ---- operators new and delete of the program ----------------------------------------------------
hostile "operator new without a form for alignments" "this unit replaces operator new, but not its form with std::align_val_t" "16 8 128 64" cc <<'X'
#include <cstdlib>
struct t { long a; long b; } o;
void *operator new(std::size_t n) { return std::malloc(n); }
X
hostile "operator delete[] without a form for alignments" "this unit replaces operator delete, but not its form with std::align_val_t" "16 8 128 64" cc <<'X'
#include <cstdlib>
struct t { long a; long b; } o;
void operator delete[](void *p) noexcept { std::free(p); }
X
hostile "operators with both forms" right "16 8 128 64" cc <<'X'
#include <new>
struct t { long a; long b; } o;
#include <cstdlib>
static int made;
void *operator new(std::size_t n) { return std::malloc(n); }
void *operator new(std::size_t n, std::align_val_t) { made++; return std::aligned_alloc(128, (n + 127) / 128 * 128); }
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, std::align_val_t) noexcept { made--; std::free(p); }
void operator delete(void *p, std::size_t, std::align_val_t) noexcept { made--; std::free(p); }
static t *volatile kept;
int main() { kept = new t; kept->b = 2; int once = made; long b = kept->b; delete kept; return b != 2 || once != 1 || made; }
X
hostile "operators of a class" right "16 8 128 64" cc <<'X'
#include <cstdlib>
struct t { long a; long b; static void *operator new(std::size_t n) { return std::malloc(n); } static void operator delete(void *p) { std::free(p); } } o;
static t *volatile kept;
int main() { kept = new t; kept->b = 2; long b = kept->b; delete kept; return b != 2; }
X

# ---- what is said of it -------------------------------------------------------------------------
# named END TEXT COMPILER: t.END with a plan whose item has evidence is refused
named() { plan "layout field t b t.$1 2 64 16 8 128 64 share-123456"; exits 1 "refused: $2" $3 -w -O1 $P -c "t.$1" -o t.o; }
printf '#include <unistd.h>\nstruct t { long a; long b; } o;\nint main(void) { return write(1, &o, sizeof(o)); }\n' >t.c
named c "bytes that others have" gcc
says "a change of the declaration .*moves the same bytes" "... a change of the source would be no help"
silent "changes the source in its place" "... and none is offered"
printf '#include <strings.h>\nstruct t { long a; long b; } o, p;\nint main(void) { return bcmp(&o, &p, sizeof(o)); }\n' >t.c
named c "bytes compared by bcmp" gcc
says "'(memcmp' or ')?bcmp' compares all bytes" "... by the name that the source has"
printf '#include <iostream>\nstruct t { long a; long b; } o;\nint main() { std::cout.write((const char *)&o, sizeof(o)); }\n' >t.cc
named cc "bytes written by a stream" g++
says "'std::.*write.*' is given an object" "... by a name that people read"
silent "_ZNSo" "... and not the assembler's"
printf '\nstruct __attribute__((packed)) t { long a; long b; } o;\n' >t.c
named c "a packed structure" gcc
says "perseus conflicts --patch share-123456.* changes the source in its place" "the twin: where a change of the source helps, it is offered"
finish
