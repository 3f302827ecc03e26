#!/bin/sh
# SPDX-License-Identifier: MIT
# Random plans whose layouts were weighed against placement: perseus-plan-check, which shares no code with the
# planner, computes the same to the last unit, and finds each figure that is one off and each field altered.
. tests/lib.sh
sources=$(ls verify/*/*.c verify/arch/*/*.c verify/*/arch/*/*.c)
it "planner and checker build into one program" gcc -std=gnu11 -D_GNU_SOURCE -O1 -g ${SAN:+-fsanitize=$SAN} -I. -Iinclude -Itests/unit/planner \
	-o "$T/confirm" tests/verify/programs/confirm.c $sources "$O/planner.a" "$O/record.a" "$O/yaml.a" "$O/lib.a" -lyaml -lm -lpthread -ldl
mkdir "$T/plans"
exits 0 "plans with layouts are confirmed to the last unit, and each figure of theirs one off is found" "$T/confirm" "$T/plans" 1 "${WEIGHED_COUNT:-60}" weigh
says '^[0-9]+ plans, [0-9]+ of them gain, .* [0-9]{2,} figures changed; .* 0 wrong answers' "none is wrong"
says '^[0-9]{2,} layouts taken' "and they have layouts"
cat "$T/out" | sed 's/^/# /'
exits 0 "none is confirmed in silence that is altered" sh -c 'cd "$1" && ls | grep -v "^[1-5]-" | xargs rm -f; cd "$2" && python3 tests/verify/plan-faults.py "$1"' - "$T/plans" "$PWD"
says '^[0-9]+ plans, [0-9]{3,} fields altered: [0-9]{3,} caught, [0-9]+ named, 0 silent, 0 crashed' "all are caught or named"
sed 's/^/# /' "$T/out"
finish
