#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus record --purpose=denormal --trap and what perseus denormals says of it.
. tests/lib.sh

src=$PWD/tests/runtime
cd "$T" || exit 1
gcc -g -O1 -fno-predictive-commoning -o jacobi "$src/trap-jacobi.c"
gcc -g -O1 -o trap "$src/trap.c" -lpthread -lm
gcc -g -O1 -static -o static "$src/trap-jacobi.c"

./jacobi 70 0 >plain
exits 0 "a program without probes is counted" perseus record --purpose=denormal --trap ./jacobi 70 0
it "... its output is what it is without" cmp plain out
says "^trust +good: 1 thread was watched by traps, nothing lost" "... and may be believed"
exits 0 "perseus denormals shows it" perseus denormals
says "operands +[0-9,]+ lanes .*sweep\+0x[0-9a-f]+ in jacobi" "... by instruction, in its function"
says "sweep\+0x[0-9a-f]+ in jacobi, trap-jacobi.c:[0-9]+$" "... and its line"
exits 0 "the same as JSON" perseus denormals --json
says '"function": "sweep"' "... with the function"
python3 -c 'import json, sys
t = [r for r in json.load(open("out"))["traps"] if r["function"] == "sweep"]
text = open(sys.argv[1]).read().split("\n")
assert t and all(r["file"].endswith("trap-jacobi.c") and ("+" in text[r["line"] - 1] or "*" in text[r["line"] - 1]) for r in t), t' "$src/trap-jacobi.c" &&
  ok "... and lines that compute" || not_ok "... and lines that compute" "$(tail -c 300 out)"
strip -g -o stripped jacobi
exits 0 "the twin without debug information" perseus record -q --purpose=denormal --trap -o bare ./stripped 70 0
exits 0 "... is shown" perseus denormals bare
says "sweep\+0x[0-9a-f]+ in stripped$" "... without lines"
perseus denormals --json @last-denormal >out 2>err
python3 -c 'import json; t = json.load(open("out"))["traps"]; assert t and all(r["lanes"] == r["operands"] for r in t)' &&
  ok "... that can be read" || not_ok "... that can be read" "$(tail -c 300 out)"
exits 0 "a program without denormals" perseus record --purpose=denormal --trap ./jacobi 70 0.1
says "^trust +no denormals: 1 thread was watched" "... has none, and that is said"
exits 0 "x87" perseus record --purpose=denormal --trap ./trap x87
says "^trust +limited: the x87 met denormals" "... is refused with the reason"
./trap handler >plain
exits 0 "an own handler" perseus record --purpose=denormal --trap ./trap handler
it "... stays the program's" cmp plain out
says "^trust +limited: the program handles SIGFPE itself" "... and is said"
exits 0 "flush-to-zero" perseus record --purpose=denormal --trap ./trap flush
says "flush-to-zero or denormals-are-zero was on" "... is said"
exits 136 "a program that dies keeps its status" perseus record --purpose=denormal --trap ./trap enable
exits 0 "a limit of traps" perseus record --purpose=denormal --trap --trap-rate=100 ./jacobi 120 0
says "traps were limited" "... is said"
exits 125 "a static program cannot be watched" perseus record --purpose=denormal --trap ./static 1
says "static" "... and why"
exits 2 "--trap needs its purpose" perseus record --trap ./jacobi 1
exits 2 "--trap-rate needs --trap" perseus record --purpose=denormal --trap-rate=5 ./jacobi 1
finish
