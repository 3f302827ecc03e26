# SPDX-License-Identifier: MIT
# A machine whose power is known: rows of counts and the watts that a meter shows.
#   secret.py SEED NOISE [PROGRAMS [ROWS]]
# a, b, c cost 1.2, 0.4 and 3 nW per event and second at 5 W; d costs nothing; e is
# 2 a; z never counts; n counts more after a change of programs (not additive).
import random, sys
seed, noise = int(sys.argv[1]), float(sys.argv[2])
programs = int(sys.argv[3]) if len(sys.argv) > 3 else 12
rows = int(sys.argv[4]) if len(sys.argv) > 4 else 40
r = random.Random(seed)
print("program,run,seconds,mhz,watts,a,b,c,d,e,z,n")
def row(name, mix, s):
    a, b, c, d = (int(m * s * r.uniform(0.7, 1.3)) for m in mix)
    w = 5 + 1.2e-9 * a / s + 0.4e-9 * b / s + 3e-9 * c / s
    w *= 1 + r.gauss(0, noise)
    print(f"{name},1,{s},2000,{w:.9g},{a},{b},{c},{d},{2 * a},0,{a + (900000000 if '+' in name else 0)}")
    return a
mixes = {}
for p in range(programs):
    mixes[f"p{p:02}"] = [r.uniform(1e8, 4e9), r.uniform(1e8, 4e9), r.uniform(1e7, 1e9), r.uniform(1e6, 1e9)]
for name, mix in mixes.items():
    for i in range(rows):
        row(name, mix, round(r.uniform(0.4, 0.6), 3))
