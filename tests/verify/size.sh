#!/bin/sh
# SPDX-License-Identifier: MIT
# How much has to be read by somebody who wants to trust perseus-plan-check.
# Every line of its files counts, comments and blank ones, too.  Readers turn
# documents into tables and resolve what they refer to; they form no figure.
# What follows the run, forms baselines and judges the plan's other claims forms
# none either, but from the figures.  The limits below are what is there: they
# may only be lowered, but where the model of time itself gains a term (twice: by
# 133 lines, threads are held up by whoever has the turn on a core; by 53 lines, the
# last turn of a loop may end early, and two threads meet in some phases only).
. tests/lib.sh
figures="figures/recompute.h figures/recompute.c figures/fluid.c figures/relaxed.c" # forms figures, compares them with the plan's
front="check-main.c figures/feasible.c"                     # arguments, verdict, what a plan asks of a platform
claims="figures/course.h figures/course.c figures/baselines.h figures/baselines.c figures/claims.h figures/claims.c figures/evidence.h figures/evidence.c figures/reasons.c" # places, baselines, grounds, reasons
breakevens="figures/whatif.h figures/whatif.c figures/breakevens.h figures/breakevens.c" # the run with one figure of the platform changed
bound="bound/bound.h bound/bound.c" # all placements of small plans
weighed="weighed/weighed.h weighed/weighed.c" # conflicts that weighed layouts end, and what these save
ends="figures/ends.h figures/ends.c" # the saving if conflicts of unknown phases are in none
readers="base/plan.c base/plan.h base/model.c base/model.h base/platform.c base/platform.h base/match.c base/match.h base/yaml.c base/yaml.h base/fields.c base/input.c base/input.h base/sha256.c base/sha256.h"
lines() { (cd verify && cat "$@") | wc -l; }
most() { # WHAT LIMIT FILES...
	what=$1 limit=$2
	shift 2
	n=$(lines "$@")
	echo "# $what: $n lines ($*)"
	it "$what: at most $limit lines, there are $n" test "$n" -le "$limit"
}
most "what forms figures" 1011 $figures
most "what triggers, baselines and claims are compared with" 1328 $claims
most "what break-evens are compared with" 601 $breakevens
most "what the planner's bound is compared with" 279 $bound
most "the other end of a saving" 105 $ends
most "what weighed layouts are compared with" 294 $weighed
most "arguments, verdict and fit" 281 $front
echo "# readers: $(lines $readers) lines"

# Nothing else is needed: the program made of these files alone says the same.
mkdir -p "$T/verify/bound" "$T/verify/weighed" "$T/verify/base" "$T/verify/figures"
for f in $figures $claims $breakevens $bound $weighed $ends $front $readers; do cp "verify/$f" "$T/verify/$f"; done
it "the program is made of these files alone" gcc -std=gnu11 -D_GNU_SOURCE -I"$T" -o "$T/alone" "$T"/verify/*.c "$T"/verify/*/*.c
it "a plan is made" perseus plan tests/verify/moves-model.yaml -p tests/verify/moves-platform.yaml --objective=energy -o "$T/plan.yaml"
for check in "$T/alone" perseus-plan-check; do
	"$check" "$T/plan.yaml" tests/verify/moves-platform.yaml --model tests/verify/moves-model.yaml >"$T/said.${check##*/}"
done
it "and says the same" cmp "$T/said.alone" "$T/said.perseus-plan-check"
exits 0 "which is a verdict" cat "$T/said.alone"
says "figures|confirmed" "with figures"
finish
