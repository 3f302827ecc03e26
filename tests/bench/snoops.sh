#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-snoops: the benchmark of Gracioli and Froehlich (examples/snoops) by the software directory, beside the
# figures of the paper.  REPETITIONS (200; the paper has 10,000), SIZES ("64x64 128x128 ...").
. tests/bench/lib.sh
load_note
top=$PWD
repetitions=${REPETITIONS:-200}
sizes=${SIZES:-64x64 128x128 256x256 512x512 1024x1024 1536x1024 1536x1536}
make -s -C examples/snoops O="$T" CFLAGS="-O2 -g $(plugin_flags calls,memory)" >"$T/make.out" 2>&1 || { cat "$T/make.out"; exit 3; }
cd "$T" || exit 3
echo "# version size kB seconds transfers hitm hit invalidations accesses writes" >rows
for size in $sizes; do
	for version in sequential parallel best; do
		perseus monitor --from=directory --json --interval=0.5 -- ./snoops $version "${size%x*}" "${size#*x}" "$repetitions" >out.json 2>err || { cat err; exit 3; }
		said=$(sed -nE 's/^(perseus.data.*): the program has ended; output in (.*)$/\2/p' err)
		python3 - "$version" "$size" "$said" <<'E2' >>rows
import json, sys
text, at, last = open('out.json').read().rstrip(), 0, {}
while at < len(text):
    last, at = json.JSONDecoder().raw_decode(text, at)
    while at < len(text) and text[at].isspace():
        at += 1
if 'totals' not in last: # it had ended before the first look
    sys.exit('no totals: ' + sys.argv[1])
n = [sum(t['directory.' + k] for t in last['totals']) for k in ('transfers', 'hitm', 'hit', 'invalidations')]
own = dict(l.split() for l in open(sys.argv[3]) if l.split(' ')[0] in ('seconds', 'accesses', 'writes')) # the recorder's words, too
rows, columns = map(int, sys.argv[2].split('x'))
print(sys.argv[1], sys.argv[2], rows * columns * 8 // 1024, own['seconds'], *n, own['accesses'], own['writes'])
E2
	done
done
python3 - <<'E2'
rows = [l.split() for l in open('rows') if l[0] != '#']
by = {}
for v, size, kb, s, transfers, hitm, hit, inv, accesses, writes in rows:
    by.setdefault((int(kb), size), {})[v] = [float(x) for x in (s, transfers, hitm, hit, inv, accesses, writes)]
print('software directory: lines that one thread took from another; times are those of the probed program')
print('%9s %9s | %12s %12s %12s | %9s %9s %9s | %10s %10s' % ('size', 'kB', 'sequential', 'parallel', 'best', 'inv/write',
      'hitm/acc', 'hit/acc', 'par/10ms', 'seq/10ms'))
ratios, shares, worst = [], [], 0
for (kb, size), of in sorted(by.items()):
    p, q, b = of['parallel'], of['sequential'], of['best']
    per = lambda x: x[4] / (x[0] * 100)
    print('%9s %9d | %12.0f %12.0f %12.0f | %8.4f%% %8.4f%% %8.4f%% | %10.1f %10.1f' % (size, kb, q[4], p[4], b[4], 100 * p[4] / p[6],
          100 * p[2] / p[5], 100 * p[3] / p[5], per(p), per(q)))
    ratios.append(p[4] / max(q[4], b[4], 1))
    shares.append(100 * p[4] / p[6])
    worst = max(worst, q[4], b[4])
print('''paper     (Core 2 Q9550, L1 snoops that invalidate, 32 kB to 18 MB, 10,000 repetitions)
  parallel against sequential and best: 2 to 3 orders of magnitude more    here: %.0f to %.0f times (against 1 where there was none)
  part of the writes, parallel:         0.04 to 1.67 %%                     here: %.4f to %.4f %%
  sequential and best:                  0.0005 %% of the writes, of the      here: %.0f at most: a directory of the program alone
                                        kernel's own variables              sees nothing of the kernel
  per 10 ms, parallel:                  up to 100,000; others about 60      here: a probed program is slower, see the table
  the directory has no size: lines are never evicted, so nothing falls beyond the caches' 12 MB as in the paper''' % (
    min(ratios), max(ratios), min(shares), max(shares), worst))
open('figures', 'w').write('snoops.least_ratio %.1f\nsnoops.least_share %.5f\nsnoops.most_share %.5f\nsnoops.others %.0f\n' % (
    min(ratios), min(shares), max(shares), worst))
E2
at_least snoops.least_ratio 100 "invalidations, parallel against sequential and best; the paper: 2 to 3 orders of magnitude"
figure snoops.least_share "$(value snoops.least_share)" "" "percent of the writes, parallel; the paper: 0.04"
figure snoops.most_share "$(value snoops.most_share)" "" "percent of the writes, parallel; the paper: 1.67"
figure snoops.others "$(value snoops.others)" "" "invalidations of sequential and best"
cd "$top" || exit 3
finish_bench
