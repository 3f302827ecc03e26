#!/bin/sh
# SPDX-License-Identifier: MIT
# Traps count what the processor raises, and programs do not notice.
. tests/lib.sh

lib=$O/lib/libperseus-trap.so
gcc -g -O1 -o "$T/trap" tests/runtime/trap.c -lpthread -lm
gcc -g -O1 -I. -Iinclude -D_GNU_SOURCE -o "$T/trap-read" tests/runtime/trap-read.c "$O/record.a" "$O/yaml.a" "$O/lib.a" -lyaml -lelf -lz -lm
gcc -g -O1 -fno-predictive-commoning -o "$T/scalar" tests/runtime/trap-jacobi.c

# trapped COMMAND...: runs it in a folder of its own; status, $T/out, $T/err, $T/facts
trapped() {
  rm -rf "$T/run"
  mkdir "$T/run"
  PERSEUS_RUN_DIR=$T/run LD_PRELOAD=$lib "$@" >"$T/out" 2>"$T/err"
  status=$?
  : >"$T/facts"
  [ -z "$(ls "$T/run")" ] || "$T/trap-read" "$T"/run/*.pden >"$T/facts" 2>&1 || echo damaged >>"$T/facts"
}
fact() { head -n 1 "$T/facts" | tr ' ' '\n' | sed -n "s/^$1=//p"; }
noted() { grep -c "^note=$1 " "$T/facts"; }
same() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "expected '$2', got '$3'"; fi; }
rows() { sed -n 's/^at=[^ ]*+\([0-9a-f]*\) in=sweep /\1 /p' "$T/facts" | sort | cut -d' ' -f 2- | sed 's/[a-z]*=//g'; }

# ---- the truth: DE events of the stencil after 120 sweeps ----
trapped "$T/scalar" 120 0
same "the stencil's output is what it is without" "$("$T/scalar" 120 0)" "$(cat "$T/out")"
same "its additions and its multiplication trap exactly as often as their operands are denormal" \
  "455000 0 455000
450216 0 450216
467722 0 467722
369312 44340 369312" "$(rows)"
same "... with tiny results the multiplication 413,652 times" 413652 $((369312 + $(rows | awk 'NR == 4 {print $2}')))
trapped "$T/scalar" 120 0.1
same "none trap where there is no denormal" "0 0 0" "$(fact rows) $(fact operands) $(fact results)"
same "... and that is a result: a thread was watched" "1 1" "$(fact files) $(fact threads)"
if grep -qw avx512f /proc/cpuinfo; then
  gcc -O3 -mavx512f -mprefer-vector-width=512 -o "$T/wide" tests/runtime/trap-jacobi.c
  trapped "$T/wide" 120 0
  same "one trap may stand for 16 lanes: their number is the scalar one" "$("$T/wide" 120 0) 1742250" "$(cat "$T/out") $(fact lanes)"
  if [ "$(fact operands)" -lt 400000 ]; then ok "... in fewer traps"; else not_ok "... in fewer traps" "$(fact operands)"; fi
else
  skip "one trap may stand for 16 lanes: their number is the scalar one" "no AVX-512 here"
  skip "... in fewer traps" "no AVX-512 here"
fi

# ---- programs that look, and attack ----
# plain MODE TEXT OPERANDS RESULTS [NOTE]: output and status are those without traps, and the counts are exact
plain() {
  "$T/trap" "$1" >"$T/expected" 2>/dev/null
  want=$?
  trapped "$T/trap" "$1"
  same "$2" "$want $(cat "$T/expected")" "$status $(cat "$T/out")"
  same "... and $3 operands, $4 results are counted" "$3 $4 0" "$(fact operands) $(fact results) $(fact lost)"
  if [ -n "$5" ]; then same "... with a note" 1 "$([ "$(noted "$5")" -gt 0 ] && echo 1)"; else same "... without a note" "" "$(grep ^note "$T/facts")"; fi
}
plain ten "10 threads" 10000 0
plain thousand "1,000 threads" 10000 0
plain small "threads with the smallest stacks" 400 0
plain edge "a stack of 1,024 bytes" 100 0
plain fenv "flags, masks and rounding are the program's" 8 10 3
plain enable "a division by zero that is enabled ends the program" 100 0 3
plain underflow "so does an underflow; nothing is counted from then on" 10 0 3
plain masked "exceptions that an instruction masks" 10 0 3
plain flush "flush-to-zero flushes" 10 20 1
plain x87 "the x87 is told of" 0 0 4
plain handler "a handler of SIGFPE gets what is its own; nothing is counted from then on" 10 0 2
plain integer "a division by zero" 10 0
plain jump "siglongjmp() out of handlers" 105 0
plain blocked "SIGFPE blocked" 10 0
plain stacks "alternate stacks" 20 0
plain crash "a segmentation fault" 10 0
plain sent "SIGSEGV sent, ignored and deadly" 10 0
plain rewritten "code that is rewritten in place" 151 0
plain page "instructions at, and across, the end of a page; code that is unmapped" 52 0
plain exec "a child of vfork() that becomes another program" 10010 0
plain seccomp "a program that may hardly call the system" 10 0 7
plain kill "what was counted before a kill is there" 1234 0
plain fork "children count into files of their own" 72 0
same "... which are whole" "5 0" "$(fact files) $(fact running)"
trapped "$T/trap" often
"$T/trap" often >"$T/expected" 2>/dev/null
same "handlers of fast signals see the program's instructions and its masks" "0 $(cat "$T/expected")" "$status $(cat "$T/out")"
same "... and no event is counted twice or lost" $(($(sed -n 's/rounds=//p' "$T/err") * 100)) "$(fact operands)"
trapped "$T/trap" library
says "^at=libm.so.6\+[0-9a-f]* in=[^ ]*exp" "functions of libraries are named" "$T/facts"

# ---- a limit ----
export PERSEUS_TRAP_RATE=1000
trapped "$T/scalar" 120 0
same "limited traps leave the output as it is" "$("$T/scalar" 120 0)" "$(cat "$T/out")"
taken=$(($(fact operands) + $(fact results)))
if [ "$taken" -gt 0 ] && [ "$taken" -lt 1786590 ]; then ok "... some events are taken"; else not_ok "... some events are taken" "$taken"; fi
same "... and a note says that it is a part" 1 "$(noted 5)"
trapped "$T/trap" edge
same "where the limit is not met all are taken, without a note" "100 0" "$(fact operands) $(noted 5)"
unset PERSEUS_TRAP_RATE

# ---- no room, no wish ----
trapped sh -c "ulimit -f 64; exec '$T/trap' ten"
same "a file that may not grow does not stop the program" "0 $("$T/trap" ten)" "$status $(cat "$T/out")"
trapped sh -c "ulimit -v 400000; exec '$T/trap' ten"
same "little address space does not either" "0 $("$T/trap" ten)" "$status $(cat "$T/out")"
mkdir "$T/none"
(cd "$T/none" && LD_PRELOAD=$lib "$T/trap" edge >/dev/null)
same "without a run directory nothing is written" "0 " "$? $(ls -A "$T/none")"
finish
