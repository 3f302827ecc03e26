#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh BUILD MINOR: makes the golden records of format 1.MINOR in this
# folder with the recorder in BUILD (a build directory).  A record that is
# there stays as it is: what old recorders wrote must be readable for ever.
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
minor=$2
place=/tmp/perseus-golden
PATH=$build/bin:$PATH
rm -rf $place
mkdir $place && cp "$here/work.c" $place && cd $place || exit 1
gcc -std=gnu11 -O1 -g -fplugin="$build/lib/perseus.so" -pthread -o work work.c || exit 1

# golden KIND [OPTION OF RECORD]...
golden() {
	kind=$1 name=1.$minor-$1
	shift
	[ -e "$here/$name.tar.gz" ] && return
	perseus record -q "$@" --limit-mb=4 -o "$name" -- ./work "${kind%%-*}"
	tar --sparse --sort=name --owner=0 --group=0 --numeric-owner -cf - "$name" | gzip -9n >"$here/$name.tar.gz"
	perseus report --json "$name" >"$here/$name.json"
	echo "$name: report ends with $?, $(stat -c %s "$here/$name.tar.gz") bytes"
}
golden timing
golden threads
golden killed
golden forked
golden sharing --purpose=sharing
if [ "$minor" -ge 1 ]; then
	golden pipes --trace
	golden timing-counted --events=task-clock,page-faults,context-switches
fi
rm -rf $place
