#!/bin/sh
# SPDX-License-Identifier: MIT
# Every field of random plans altered, one at a time: perseus-plan-check finds it or names the field among those
# that it does not check.  `make check-plan-faults COUNT=` has more plans.
. tests/lib.sh
sources=$(ls verify/*/*.c verify/arch/*/*.c verify/*/arch/*/*.c)
it "planner and checker build into one program" gcc -std=gnu11 -D_GNU_SOURCE -O1 -g ${SAN:+-fsanitize=$SAN} -I. -Iinclude -Itests/unit/planner \
	-o "$T/confirm" tests/verify/programs/confirm.c $sources "$O/planner.a" "$O/record.a" "$O/yaml.a" "$O/lib.a" -lyaml -lm -lpthread -ldl
mkdir "$T/plans"
exits 0 "random plans are made" "$T/confirm" "$T/plans" 1 "${PLAN_FAULTS_COUNT:-5}" keep
exits 0 "none is confirmed in silence that is altered" python3 tests/verify/plan-faults.py "$T/plans"
says '^[0-9]+ plans, [0-9]{3,} fields altered: [0-9]{3,} caught, [0-9]+ named, 0 silent, 0 crashed' "all are caught or named"
sed 's/^/# /' "$T/out"
finish
