#!/bin/sh
# SPDX-License-Identifier: MIT
# What the head of a patch says is what its diff does: members in one element are aligned, those of
# elements of different threads are not, and no alignment is written a second time.
. tests/lib.sh
S=$(pwd)/tests/patch/programs
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "what patches mend" "one core only"; finish; exit; }
mkdir src && cp "$S/two.h" "$S/x-inner-base.cc" "$S/m-both-ways.c" src && cd src || exit 1
C="g++ -std=c++17 -g -O1 -Wall -Wextra -Werror -fplugin=$PLUGIN -DTURNS=2000000"

# Record program $1 until there are $2 findings; a busy machine keeps threads apart.
found() {
	for _ in 1 2 3 4 5 6; do
		rm -rf ../run
		perseus record -q --purpose=sharing --sharing=precise -o ../run "$1" >/dev/null
		perseus conflicts --all ../run >../shown
		[ "$(grep -Ec '^share-[0-9]+ false-sharing' ../shown)" -ge "$2" ] && return
	done
	grep -q 'Inconclusive: ' ../shown && { skip "$1" "machine busy: in six recordings other load had the cores"; return 1; }
	not_ok "$1: false sharing is found" "$(cat ../shown)"
	return 1
}

# ---- one element, whose first member a base class declares ----
it "members of one element: it builds" $C -o ../one x-inner-base.cc -pthread
if found ../one 1; then
	exits 0 "... there is a patch" perseus conflicts --all --patch=../one.diff ../run
	says '^\+.*alignas\(64\) volatile long hits = 0;' "... the member is aligned" ../one.diff
	says '^\+static_assert\(alignof\(Session\) % 64 == 0 && sizeof\(Session\) > 64' "... which is asserted" ../one.diff
fi

# ---- each struct on a line already: only the member is missing, and nothing is written twice ----
sed -i 's/^struct Session/struct alignas(64) Session/' x-inner-base.cc
it "a struct of whole lines: it builds" $C -o ../whole x-inner-base.cc -pthread
if found ../whole 1; then
	exits 0 "... there is a patch" perseus conflicts --all --patch=../whole.diff ../run
	says '^\+.*alignas\(64\) volatile long hits = 0;' "... the member is aligned" ../whole.diff
	silent 'alignas\(64\) alignas\(64\)|^[-+]struct ' "... and the struct stays as it is" ../whole.diff
	it "... patch -p1 takes it" patch -s -p1 -i ../whole.diff
	it "... it builds" $C -UTURNS -DTURNS=10 -o ../mended x-inner-base.cc -pthread
	it "... and its threads are apart" ../mended
fi

# ---- the twin: elements of different threads, whose members stay together ----
sed -e 's/s\[1\]\.gen/s[0].gen/g' "$S/x-inner-base.cc" >x-inner-base.cc
it "elements of different threads: it builds" $C -o ../apart x-inner-base.cc -pthread
if found ../apart 1; then
	exits 0 "... there is a patch" perseus conflicts --all --patch=../apart.diff ../run
	says '^\+struct alignas\(64\) Session' "... each begins a line" ../apart.diff
	silent '^\+.*alignas\(64\) volatile' "... and its members stay together" ../apart.diff
fi

# ---- two findings of one type: what they need together, and the diff has what the head says ----
C="gcc -std=c11 -g -O1 -Wall -Wextra -Werror -fplugin=$PLUGIN -DTURNS=2000000"
it "members used the other way round: it builds" $C -o ../both m-both-ways.c -pthread
if found ../both 2; then
	exits 0 "... there is a patch" perseus conflicts --all --patch=../both.diff ../run
	says '^# share-[0-9]+, share-[0-9]+: struct port grows from 24 to 80 bytes' "... for both" ../both.diff
	says '^\+.*: 64; /\* 56 bytes' "... with room between the members" ../both.diff
	silent 'begins a line of its own' "... and no alignment that it does not write" ../both.diff
	exits 0 "... as for one alone" perseus conflicts --all --patch=../alone.diff ../run "$(sed -n 's/^\(share-[0-9]*\) false.*/\1/p' ../shown | head -1)"
	says '^# share-[0-9]+: struct port grows from 24 to 80 bytes' "... of which it is the same" ../alone.diff
fi
finish
