#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/setup.sh: quiet when nothing is missing, and a plain user without
# sudo gets the one line to run.
. tests/lib.sh
exits 0 "nothing is missing on the machine that builds this" scripts/setup.sh
it "and nothing is said" test ! -s "$T/out"
mkdir "$T/scripts"
cp scripts/setup.sh "$T/scripts/"
echo "no-such-package-perseus  # stands for one that is missing" >"$T/scripts/packages.txt"
echo "no-such-test-package  # tests: stands for one that only tests need" >>"$T/scripts/packages.txt"
chmod -R a+rX "$T"
exits 0 "--list names what is missing" "$T/scripts/setup.sh" --list
says "^no-such-package-perseus no-such-test-package$" "and only that"
exits 0 "--build --list leaves out what only tests need" "$T/scripts/setup.sh" --build --list
says "^no-such-package-perseus$" "and nothing else"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && ! setpriv --reuid 65534 sudo -n true 2>/dev/null; then
	exits 3 "a plain user cannot install" setpriv --reuid 65534 --regid 65534 --clear-groups "$T/scripts/setup.sh"
	says "stands for one that is missing" "the package and its reason are named"
	says "sudo apt-get install .*no-such-package-perseus" "and the line to run"
else
	skip "a plain user cannot install" "needs root and setpriv"
fi

# A fresh image: no compiler, no list of packages, a user with sudo.
mkdir "$T/bin"
fake() { printf '#!/bin/sh\n%s\n' "$2" >"$T/bin/$1" && chmod +x "$T/bin/$1"; }
fake id 'echo 1000'
fake gcc 'exit 1'
fake dpkg-query 'exit 1'
fake sudo '[ "$1" = -n ] && shift; exec "$@"'
fake apt-get "echo \"\$*\" >>'$T/asked'; [ \$1 != update ] || touch '$T/lists'"
fake ls "[ ! -e '$T/lists' ] || echo x_Packages"
fake apt-cache "[ -e '$T/lists' ] && case \$1 in depends) echo '  Depends: gcc-12' ;; pkgnames) echo gcc-12-plugin-dev ;; esac"
cp scripts/packages.txt "$T/scripts/"
PATH=$T/bin:$PATH exits 0 "a fresh image is set up" "$T/scripts/setup.sh" --build
it "its list of packages is fetched first" sh -c "head -n 1 '$T/asked' | grep -qx 'update -q'"
says "^install .* gcc-12-plugin-dev " "so that the compiler's version is known" "$T/asked"
finish
