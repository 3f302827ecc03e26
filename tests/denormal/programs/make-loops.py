# SPDX-License-Identifier: MIT
"""make-loops.py SEED: a C program of loops over arrays, made at random; with -DTRUTH it counts for itself.

Each array has one owner, so that its name in the program is that in the report.  With an argument the
program's data are normal numbers.  With -DTRUTH it prints for each array: denormal loads, denormal stores.
"""
import random
import sys

seed = int(sys.argv[1])
rnd = random.Random(seed)
KINDS = ["even", "backward", "delay", "delay_in", "reloaded", "gather", "scatter", "some", "rows", "chosen"]
picked = rnd.sample(KINDS, 5)
real = rnd.choice(["float", "double"])
tiny = {"float": "1e-39f", "double": "1e-309"}[real]

print("""/* made by make-loops.py %d: %s */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef %s real;
static real seed;
static int index_of[64];
#ifdef TRUTH
static long loads[16], stores[16];
static real L(int a, real v) { loads[a] += fpclassify(v) == FP_SUBNORMAL; return v; }
static real S(int a, real v) { stores[a] += fpclassify(v) == FP_SUBNORMAL; return v; }
#else
#define L(a, v) (v)
#define S(a, v) (v)
#endif
struct line { real *buf; int len, pos; real gain; };
static real *block(void) { real *p = calloc(64, 16); if (!p) exit(1); return p; }
""" % (seed, " ".join(picked), real))
calls, names = [], []


def array(name):
    names.append(name)
    return len(names) - 1


def function(n, kind):
    f = "f%d_%s" % (n, kind)
    k = rnd.choice(["0.5f", "0.75f", "0.25f"])
    a = array("a%d[]" % n) if kind not in ("delay_in", "reloaded") else array("l%d->buf[]" % n)
    if kind == "even":
        body = "for (int i = 0; i < n; i++) a{n}[i] = S({a}, (real)(i % 7) * seed + {k} * L({a}, a{n}[i]));"
    elif kind == "backward":
        body = "for (int i = n; i-- > 0;) a{n}[i] = S({a}, (real)(i % 5) * seed + {k} * L({a}, a{n}[i]));"
    elif kind == "delay":
        body = ("int pos = n / 3; for (int i = 0; i < 2 * n; i++) {{ "
                "a{n}[pos] = S({a}, (real)(i % 3) * seed + {k} * L({a}, a{n}[pos])); if (++pos >= n) pos = 0; }}")
    elif kind == "delay_in":
        body = ("for (int i = 0; i < 2 * n; i++) {{ l{n}->buf[l{n}->pos] = S({a}, (real)(i % 3) * seed + "
                "l{n}->gain * L({a}, l{n}->buf[l{n}->pos])); if (++l{n}->pos == l{n}->len) l{n}->pos = 0; }}")
    elif kind == "reloaded":
        body = "for (int i = 0; i < n; i++) l{n}->buf[i] = S({a}, (real)(i % 4) * seed + l{n}->gain * L({a}, l{n}->buf[i]));"
    elif kind == "gather":
        body = ("for (int i = 0; i < n; i++) {{ real x = L({a}, a{n}[index_of[i]]); "
                "if (x != 0) a{n}[i] = S({a}, {k} * x); else a{n}[i] = S({a}, seed); }}")
    elif kind == "scatter":
        body = "for (int i = 0; i < n; i++) a{n}[index_of[i]] = S({a}, (real)(i % 6) * seed * {k});"
    elif kind == "some":
        body = "for (int i = 0; i < n; i++) if (index_of[i] & 1) a{n}[i] = S({a}, (real)i * seed + {k} * L({a}, a{n}[i]));"
    elif kind == "rows":
        body = ("for (int y = 0; y < n / 8; y++) for (int x = 0; x < 8; x++) "
                "a{n}[y * 8 + x] = S({a}, (real)(x + y) * seed + {k} * L({a}, a{n}[x * (n / 8) + y]));")
    else: # one of two arrays in each turn
        b = array("b%d[]" % n)
        body = ("for (int i = 0; i < n; i++) if (index_of[i] % 3) a{n}[index_of[i]] = S({a}, (real)i * seed + {k} * L({b}, b{n}[i])); "
                "else b{n}[i] = S({b}, (real)i * seed);").replace("{b}", str(b))
    of = {"delay_in": "struct line *l%d" % n, "reloaded": "struct line *l%d" % n, "chosen": "real *a%d, real *b%d" % (n, n)}
    print("__attribute__((noinline)) static void %s(%s, int n)\n{\n\t%s\n}\n" %
          (f, of.get(kind, "real *a%d" % n), body.format(n=n, a=a, k=k)))
    made = {"delay_in": "line(%d)", "reloaded": "line(%d)", "chosen": "block(), block()"}.get(kind, "block()")
    calls.append((f, made % 64 if "%" in made else made))


for i, one in enumerate(picked):
    function(i, one)
print("""static struct line *line(int n)
{
	struct line *l = malloc(sizeof(*l));
	if (!l) exit(1);
	*l = (struct line){block(), n, n / 2, (real)0.5};
	return l;
}

int main(int n, char **v)
{
	(void)v;
	seed = n > 1 ? (real)0.25 : (real)%s;
	for (int i = 0; i < 64; i++) index_of[i] = (i * 37 + 11) %% 64;""" % tiny)
for n, (f, made) in enumerate(calls):
    of = made.split(", ")
    vs = ["p%d%c" % (n, "ab"[i]) for i in range(len(of))]
    for name, what in zip(vs, of):
        print("\t%s *%s = %s;" % ("struct line" if what.startswith("line") else "real", name, what))
    print("\tfor (int t = 0; t < 3; t++) %s(%s, 64);" % (f, ", ".join(vs)))
print("#ifdef TRUTH")
for i, name in enumerate(names):
    print('\tprintf("%s %%ld %%ld\\n", loads[%d], stores[%d]);' % (name, i, i))
print("#endif\n\treturn 0;\n}")
