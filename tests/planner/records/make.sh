#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh BUILD: makes the records of this folder with the recorder in BUILD (a build directory), on a quiet
# machine of two cores.  Tests judge plans by them, since what a run of the moment is like hangs on other load.
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
place=/tmp/perseus-golden
PATH=$build/bin:$PATH
rm -rf $place
mkdir $place && cp "$here"/*.c "$here/../../bench/locked.c" $place && cd $place || exit 1
# built NAME SOURCE OPTION...
built() {
	name=$1 source=$2
	shift 2
	gcc -O1 -g -fplugin="$build/lib/perseus.so" "$@" -o "$name" "$source" -pthread || exit 1
}
# recorded NAME COMMAND...: the run is called run-NAME
recorded() {
	name=$1
	shift
	$cores perseus record -q --limit-mb=4 -o "run-$name" "$@" || exit 1
	tar --sparse --sort=name --owner=0 --group=0 --numeric-owner -cf - "run-$name" | gzip -9n >"$here/$name.tar.gz"
}
built shared lock.c
recorded shared ./shared
built alone lock.c -DALONE
recorded alone ./alone
# On one core: what two do that share its parts depends on both.
for twin in LOCKED FREE; do
	built $twin half.c -D$twin
	cores="taskset -c 0" recorded $twin ./$twin
done
built locked locked.c -fplugin-arg-perseus-probe=calls
for what in stream,200,100,150,8 stream,200,100,150,1 turns,200,100,150; do
	recorded "$(echo $what | tr , -)" ./locked $what
done
rm -rf $place
