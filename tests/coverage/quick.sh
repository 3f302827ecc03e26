#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of coverage of a program whose covered lines and branches are known.
. tests/lib.sh
here=$(pwd)
mkdir -p "$T/tree/lib" "$T/tree/cmd" && cd "$T/tree" || exit 1
cat >lib/half.c <<'C'
int half(int n)
{
	if (n > 2)
		return n / 2;
	n++;
	n++;
	n++;
	return n;
}
C
printf 'int half(int n);\nint main(int argc, char **argv)\n{\n\t(void)argv;\n\treturn half(argc) == 4 ? 0 : 1;\n}\n' >cmd/main.c
printf 'int never(void)\n{\n\treturn 1;\n}\n' >lib/never.c
for f in lib/half lib/never cmd/main; do mkdir -p "build/${f%/*}" && gcc -O0 --coverage -c -o build/$f.o $f.c; done
it "a program with counters builds" gcc --coverage -o build/program build/lib/half.o build/lib/never.o build/cmd/main.o
it "and runs" ./build/program
exits 0 "its table is made" "$here/tests/coverage/table.py" build 90
says '^lib +[0-9]+ +[67][0-9]\.[0-9] +2 +50\.0$' "with the lines and branches of a folder"
says '^cmd +[0-9]+ +100\.0 +0 +-$' "... and of one that is covered"
says '^below 90 %: lib: (never.c 0\.0 % of 2, half.c|half.c [0-9.]+ % of [0-9]+, never.c)' "the folder with too few is named, with its files"
silent '^below 90 %: cmd' "... and the other is not"
exits 2 "a build without counters has no table" "$here/tests/coverage/table.py" "$here/tests/coverage" 90
finish
