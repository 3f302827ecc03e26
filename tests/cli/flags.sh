#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus flags: what it prints builds a program with probes.
. tests/lib.sh
echo 'int main(void) { return 0; }' >"$T/a.c"
has_probes() { readelf -SW "$1" | grep -q '\.perseus\.sites'; }

exits 0 "flags prints the option" perseus flags
says '^-fplugin=/.*/perseus\.so -fplugin-arg-perseus-id=[0-9a-f]{40}$' "with the full path and the identity of the back end"
it "the option works from another directory" sh -c "cd '$T' && gcc \$(perseus flags) -c -o a.o a.c"
it "and instruments" has_probes "$T/a.o"
it "without it nothing is instrumented" sh -c "cd '$T' && gcc -c -o plain.o a.c && ! readelf -SW plain.o | grep -q perseus"
it "the file that -fplugin= names holds the hash of the back ends, for compiler caches" \
	grep -q "$(cat "$O"/lib/perseus-gcc*.so | sha256sum | cut -d' ' -f1)" "$PLUGIN"
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
exits 3 "an installation without the plugin says so" "$T/alone/bin/perseus" flags
says "'perseus.so' is not part of this installation" "by name"
if command -v clang >/dev/null; then
	exits 3 "clang is refused" perseus flags --cc clang
	says 'takes -fplugin and adds no probes' "with the reason"
else
	skip "clang is refused" "clang is not installed"
fi
exits 0 "arguments of the plugin go with the flags" perseus flags --probe=calls --skip='log_*' --arg=warn=none
says ' -fplugin-arg-perseus-probe=calls .*-fplugin-arg-perseus-skip=log_\*.* -fplugin-arg-perseus-warn=none$' "in their order, quoted for sh"
it "and the compiler takes them" sh -c "cd '$T' && eval \"gcc \$(perseus flags --probe=calls --skip='log_*' --arg=warn=none) -c -o c.o a.c\""
exits 2 "a plan that does not exist is a usage error" perseus flags --plan="$T/none.plan"
echo "no plan" >"$T/bad.plan"
exits 2 "nor is any file a plan" perseus flags --plan="$T/bad.plan"
says 'perseus_triggers.plan' "and what is expected is named"
exits 2 "--arg wants KEY=VALUE" perseus flags --arg=probe
sha=$(printf '%064d' 7)
printf 'perseus-triggers 2\nplan %s\nend 1\n' "$sha" >"$T/good.plan"
exits 0 "a plan is named with the hash it carries" sh -c "cd '$T' && perseus flags --plan=good.plan"
says " -fplugin-arg-perseus-plan=/.*/good.plan -fplugin-arg-perseus-plan-hash=$sha$" "and with its full path"
exits 2 "two kinds at once are a usage error" perseus flags --cflags --libs
exits 2 "--static alone is a usage error" perseus flags --static
exits 2 "an unknown option is a usage error" perseus flags --frobnicate
finish
