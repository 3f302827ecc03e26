#!/bin/sh
# SPDX-License-Identifier: MIT
# Some of the seeded faults of `make check-mutation`: all of them are noticed, nothing harmless is.
. tests/lib.sh
# Without the evidence pack and cppcheck, which take a while.
mutate() { PYTHONDONTWRITEBYTECODE=1 tests/mutation/mutate.py --build "$O" --subject partners --subject points --without misra "$@"; }
exits 0 "20 faults are caught, 8 harmless changes are not" mutate --class '^(?!man|ok-pack|ok-manifest)' --faults 20 --harmless 8
says "^faults: [0-9]+, caught [0-9]+, named as not shown [0-9]+, known gaps [0-9]+, missed 0, equivalent [0-9]+; harmless: 8, false alarms 0" "none is missed"
says "^caught by: .*verify [0-9]+" "verify caught some of them"
exits 0 "12 faults of linker and loader are caught or named, 6 harmless builds are not" mutate --class '^(link|load|point)-' --class '^ok-(relr|threads|names|linker|fold|cet)' --faults 12 --harmless 6
says "missed 0, equivalent [0-9]+; harmless: 6, false alarms 0" "none of them is missed"
exits 0 "10 faults of flushes are caught by verify alone" mutate --subject regions --without unit --class '^flush-' --faults 10 --harmless 0
says "^faults: 10, caught 10, named as not shown 0, known gaps 0, missed 0" "none of these is missed"
exits 1 "the twin: without the gates that must see it, a fault is missed" mutate --class '^bin-return' --faults 1 --harmless 0 --without verify --without unit --without gcc
says "^MISSED: bin-return" "... and is told"
exits 2 "an unknown option" mutate --bogus
finish
