#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus schedule: what is in its files; a workflow that is written over, keys that are there twice, long times.
. tests/lib.sh
cd "$T" || exit 1

cat >two.yaml <<'E2'
workflow: 1
nodes:
  - {name: a}
  - {name: b}
tasks:
  - {name: x, seconds: 2}
  - {name: y, seconds: 2}
E2
cp two.yaml kept.yaml
exits 2 "a schedule is not written over its workflow" perseus schedule -o two.yaml two.yaml
it "... which stays" cmp two.yaml kept.yaml
sed 's/seconds: 2}/seconds: 2, seconds: 3}/' two.yaml >twice.yaml
exits 4 "a key that is there twice is refused" perseus schedule twice.yaml
says '`seconds` stands here for the second time' "by name"
exits 2 "an option of simulate alone is refused" perseus schedule --swf=x two.yaml

perseus schedule -o two.out two.yaml >out 2>err
exits 0 "a schedule is right" perseus schedule check two.yaml two.out
says 'it is the optimum: all others were tried' "... and the optimum, as it says"
# changed COMMAND...: the schedule through sed
changed() { sed "$@" two.out >changed.out; perseus schedule check two.yaml changed.out; }
exits 1 "optimal is true or false" changed 's/^optimal: true/optimal: perhaps/'
exits 1 "a makespan is a number" changed 's/^makespan: .*/makespan: .nan/'

# short tasks behind long times
python3 -c "
print('workflow: 1\nnodes:\n  - {name: n, speed: 0.3}\ntasks:')
for i in range(300):
    print('  - {name: t%d, seconds: %r, release: %r}' % (i, 0.196 if i % 2 else 123456.7, 1000 * i))" >long.yaml
perseus schedule --method=heft -o long.out long.yaml >out 2>err
exits 0 "short tasks behind long times are right" perseus schedule check long.yaml long.out

# 12 tasks are the optimum's, and of 12 nodes of different speed each has many sets: the tree ends all the same
python3 -c "
print('workflow: 1\nnodes:')
for i in range(12): print('  - {name: n%d, speed: %r}' % (i, 1 + i / 7))
print('tasks:')
for i in range(12): print('  - {name: t%d, seconds: %d, nodes: %d}' % (i, 5 + 7 * i % 11, 1 + i % 6))" >wide.yaml
exits 0 "a tree that is too large ends, with what was found" perseus schedule -o wide.out wide.yaml
exits 0 "... which is right" perseus schedule check wide.yaml wide.out
finish
