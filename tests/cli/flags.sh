#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus flags: what it prints builds a program with probes.
. tests/lib.sh
echo 'int main(void) { return 0; }' >"$T/a.c"
has_probes() { readelf -SW "$1" | grep -q '\.perseus\.sites'; }

exits 0 "flags prints the option" perseus flags
says '^-fplugin=(perseus\.so|/.*/perseus\.so)$' "short if it resolves, else with the full path"
it "the option works from another directory" sh -c "cd '$T' && gcc \$(perseus flags) -c -o a.o a.c"
it "and instruments" has_probes "$T/a.o"
it "without it nothing is instrumented" sh -c "cd '$T' && gcc -c -o plain.o a.c && ! readelf -SW plain.o | grep -q perseus"
exits 0 "--cflags is the same" perseus flags --cflags
says '^-fplugin=' "as the default"
exits 0 "a dynamic program links nothing" perseus flags --libs
it "not a word" sh -c "! grep -q . '$T/out'"
exits 0 "a static program links the runtime" perseus flags --libs --static
says 'libperseus-rt\.a' "by its path"
exits 0 "--env gives lines for eval" perseus flags --env
it "that add to what the user has" sh -c "cd '$T' && CFLAGS=-O1 && eval \"\$(perseus flags --env)\" && gcc \$CFLAGS -c -o b.o a.c && case \$CFLAGS in -O1\\ -fplugin=*) ;; *) exit 1;; esac"
it "and instrument" has_probes "$T/b.o"
exits 3 "a compiler that does not exist is named" perseus flags --cc no-such-gcc
says "cannot run the compiler 'no-such-gcc'" "with its name"
mkdir -p "$T/alone/bin"
cp "$O/bin/perseus" "$T/alone/bin/"
if gcc -fplugin=perseus.so -fsyntax-only "$T/a.c" 2>/dev/null; then
	skip "an installation without the plugin says so" "a plugin is installed on this machine"
else
	exits 3 "an installation without the plugin says so" "$T/alone/bin/perseus" flags
fi
exits 2 "two kinds at once are a usage error" perseus flags --cflags --libs
exits 2 "--static alone is a usage error" perseus flags --static
exits 2 "an unknown option is a usage error" perseus flags --frobnicate
finish
