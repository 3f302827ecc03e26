#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/transparency/reduce.sh CORPUS NAME LEVEL [DIRECTORY]
#
# For a program that `make check-transparency` found different: writes into
# DIRECTORY the preprocessed program and a test for creduce (or cvise) that
# holds while it still behaves differently with the plugin, and prints the
# command.  LEVEL as printed, such as '-O2 -flto'.
: "${O:=$(pwd)/build}"
O=$(cd "$O" && pwd) || exit 3
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 3 ]; then
	sed -n '3,9s/^# \{0,1\}//p' "$0" >&2
	exit 2
fi
dir=${4:-reduce-$(basename "$2")}
said=$("$here/judge.py" --lib "$O/lib" --data "${CORPORA:-$O/transparency}" --only "$2" --commands "$1:$3") || exit 2
eval "$said"
mkdir -p "$dir" && cd "$dir" || exit 3
case $compiler in
*g++*) prog=prog.ii ;;
*) prog=prog.i ;;
esac
# Line marks would name files that are not there; -fpreprocessed is implied by the suffix.
$compiler $level -w $flags -E -P "$source" -o $prog || exit 3
[ $prog = prog.ii ] || safe="-Werror=implicit-function-declaration -Werror=return-type -Werror=uninitialized -Werror=implicit-int -Werror=int-conversion -Werror=incompatible-pointer-types"

cat >test.sh <<EOS
#!/bin/sh
# Holds (exit 0) if $prog behaves differently with the plugin.
t=\$(mktemp -d) || exit 1
trap 'rm -rf "\$t"' EXIT
export LC_ALL=C
# Keep to programs that mean something: no undefined behaviour that the
# compiler or its sanitizers see, if the program passed them to begin with.
$compiler $level $flags $safe $prog $others -o "\$t/plain" $libs 2>"\$t/said.plain" || exit 1
if [ -e '$PWD/sane' ]; then
	$compiler $level $flags -w -fsanitize=address,undefined -fno-sanitize-recover=all $prog $others -o "\$t/sane" $libs 2>/dev/null || exit 1
	env $env timeout 20 "\$t/sane" >/dev/null 2>&1 || exit 1
fi
env $env timeout 10 "\$t/plain" >"\$t/want" 2>&1 </dev/null
status=\$?
[ \$status != 124 ] || exit 1
[ \$status = 0 ] || [ -e '$PWD/fails' ] || exit 1
env $env timeout 10 "\$t/plain" >"\$t/again" 2>&1 </dev/null
cmp -s "\$t/want" "\$t/again" || exit 1
if ! $compiler $level -w -fchecking=2 -fplugin=$plugin $flags $prog $others -o "\$t/probed" $libs $static 2>"\$t/said"; then
	! $compiler $level -w -fchecking=2 $flags $prog $others -o "\$t/checked" $libs 2>/dev/null && exit 1
	grep -q 'internal compiler error' "\$t/said" || { [ -e '$PWD/error' ] || exit 1; }
	[ ! -e '$PWD/runs' ]
	exit
fi
[ ! -e '$PWD/ices' ] || exit 1
for purpose in asleep timing sharing; do
	mkdir "\$t/\$purpose"
	case \$purpose in
	asleep) set -- ;;
	*) set -- PERSEUS_RUN_DIR="\$t/\$purpose" PERSEUS_PURPOSE=\$purpose PERSEUS_AWAKE=1 PERSEUS_PERIOD=1 $([ -n "$static" ] || echo LD_PRELOAD="$runtime") ;;
	esac
	env $env "\$@" timeout 60 "\$t/probed" >"\$t/got" 2>&1 </dev/null
	[ \$? = \$status ] && cmp -s "\$t/want" "\$t/got" || exit 0
done
exit 1
EOS
chmod +x test.sh

# What the program is now, it must stay.
rm -f ices runs sane fails error
if $compiler $level -w -fchecking=2 "-fplugin=$plugin" $flags $prog $others -o probed.tmp $libs $static 2>said.tmp; then : >runs
elif grep -q 'internal compiler error' said.tmp; then : >ices
else : >error
fi
if $compiler $level $flags -w $prog $others -o plain.tmp $libs 2>/dev/null; then
	env $env timeout 10 ./plain.tmp >/dev/null 2>&1 </dev/null || : >fails
fi
if $compiler $level $flags -w -fsanitize=address,undefined -fno-sanitize-recover=all $prog $others -o sane.tmp $libs 2>/dev/null; then
	env $env timeout 20 ./sane.tmp >/dev/null 2>&1 </dev/null && : >sane
fi
rm -f probed.tmp plain.tmp sane.tmp said.tmp
if ! ./test.sh; then
	echo "reduce.sh: $1/$2 at $3 does the same with the plugin of $O/lib: nothing to reduce" >&2
	exit 1
fi
echo "cd $PWD && creduce --n 2 ./test.sh $prog"
