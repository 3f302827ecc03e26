#!/bin/sh
# SPDX-License-Identifier: MIT
# Random changes of planned programs: none that the verifier calls equal runs
# otherwise.  COUNT: mutants (300), SEED: others, JOBS: at a time.
. tests/lib.sh
. tests/codegen/plan.inc
here=$(pwd)
if [ -z "$B" ]; then
	skip "random changes" "needs two cores"
	finish
fi
cp tests/codegen/programs/stages.c tests/codegen/programs/stages.cc "$T"
cd "$T" || exit 1
cat >show.c <<-EOC
	#include <stdio.h>
	#include "perseus_triggers.h"
	static __attribute__((destructor)) void show(void)
	{
		printf("%u %u %u %u %u\n", perseus_status.machine, perseus_status.placed, perseus_status.started,
		       perseus_status.unplanned, perseus_status.not_created);
	}
EOC
# subject NAME COMPILER SOURCE FUNCTION FLAGS LINK-FLAGS
subject() {
	mkdir "$1" "$1/objects" "$1/rebuilt"
	it "$1: a measured program" $2 $5 -fplugin="$PLUGIN" -o measured "$3" $6
	stages_plan ./measured "$4" pthread_barrier_wait >"$1/plan.yaml"
	it "$1: its plan's code" perseus codegen "$1/plan.yaml" -o "$1/gen"
	cp "$1"/gen/* "$1"
	it "$1: is built" sh -c "for f in triggers platform_linux; do gcc -std=c11 -O2 -c -o $1/rebuilt/\$f.o $1/perseus_\$f.c || exit 1; done &&
		$2 $5 -fplugin=$PLUGIN -fplugin-arg-perseus-plan=$1/perseus_triggers.plan -c -o $1/objects/user.o $3 &&
		gcc $5 -I$1 -c -o $1/objects/show.o show.c && cp $1/rebuilt/*.o $1/objects && $2 $5 -o $1/program $1/objects/*.o $6"
}
subject pie gcc stages.c work -O2
subject fixed gcc stages.c work "-O1 -fno-pie" -no-pie
subject now gcc stages.c work "-O2 -fno-plt -fcf-protection" "-Wl,-z,now,-z,pack-relative-relocs"
subject plus g++ stages.cc meet -O2
command -v ld.lld >/dev/null && subject lld gcc stages.c work -O2 -fuse-ld=lld
command -v ld.mold >/dev/null && subject mold gcc stages.c work -O3 -fuse-ld=mold
folders=
for f in pie fixed now plus lld mold; do [ -d $f ] && folders="$folders $f"; done
exits 0 "${COUNT:-300} mutants: none that is equal runs otherwise" env PYTHONDONTWRITEBYTECODE=1 "$here/tests/mutation/random_elf.py" \
	--verify "$O/bin/perseus-verify" --count "${COUNT:-300}" --seed "${SEED:-1}" --jobs "${JOBS:-1}" ${KEEP:+--keep "$KEEP"} $folders
says "^equal and run: [1-9]" "some were equal, and were run"
says "^of [0-9]+ others that were run, [1-9][0-9]* run otherwise" "some of the others were run, and ran otherwise"
sed 's/^/# /' "$T/out" 2>/dev/null
finish
