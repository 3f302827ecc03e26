#!/bin/sh
# SPDX-License-Identifier: MIT
# What cannot be read never passes for what is not there: a source of the tree, a folder of a run, a
# platform; each with its twin that is not there or can be read.
. tests/lib.sh
here=$(pwd)
cd "$T" || exit 1
tar -xzf "$here/tests/record/golden/1.3-sharing.tar.gz" && tar -xzf "$here/tests/record/golden/1.3-forked.tar.gz"
cp "$here/tests/record/golden/work.c" .
id=$(perseus conflicts --all --json 1.3-sharing 2>/dev/null | sed -n 's/.*"\(share-[0-9]*\)".*/\1/p' | head -n 1)
perseus conflicts --patch=clean.patch 1.3-sharing "$id" >/dev/null 2>"$T/err"
status=$?
# A source that is too large to be looked at.
awk 'BEGIN { for (i = 0; i < 9000; i++) printf "/* %01000d */\n", i }' >large.c
exits 3 "a source that cannot be looked at may use what changes" perseus conflicts --patch=out.patch 1.3-sharing "$id"
says "cannot read 'large.c' below .*: whether it uses what is to be changed is not known" "it is named" "$T/err"
it "nothing is written" test ! -e out.patch
mv large.c large.txt
exits $status "what is no source does not matter" perseus conflicts --patch=out.patch 1.3-sharing "$id"
[ $status != 0 ] || it "the patch is the same" cmp clean.patch out.patch

exits 4 "a platform that cannot be looked at is not taken for none" sh -c 'ln -s platform.yaml platform.yaml; perseus conflicts 1.3-sharing'
says "platform.yaml" "it is named" "$T/err"
rm platform.yaml
exits 0 "without one there are no prices" perseus conflicts 1.3-sharing

command -v strace >/dev/null || { skip "a run whose folder cannot be read" "strace is not installed"; finish; exit; }
exits 0 "a run of several processes" perseus report --json 1.3-forked
n=$(strace -f -e trace=getdents64 -o calls perseus report --json 1.3-forked >/dev/null 2>&1; grep -c getdents64 calls)
for i in $(seq "$n"); do
	exits 4 "a folder whose reading fails, call $i of $n" strace -f -qq -o /dev/null -e inject=getdents64:error=EIO:when="$i" perseus report --json 1.3-forked
	says "cannot read directory '1.3-forked': Input/output error" "... is no run of fewer processes" "$T/err"
done
finish
