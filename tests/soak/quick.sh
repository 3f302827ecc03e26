#!/bin/sh
# SPDX-License-Identifier: MIT
# What soak.py says of a program that holds its memory and descriptors, and of one that loses them.
. tests/lib.sh
export O
exits 0 "a server that loses nothing is flat" tests/soak/soak.py 0.06 --every 0.05 --no-daemon --plain
says '^server: memory .* flat$' "... its memory"
says '^server: descriptors .* flat$' "... and descriptors"
exits 1 "one that does" tests/soak/soak.py 0.06 --every 0.05 --no-daemon --plain --leak
says '^server: memory .* GROWS$' "... is found by its memory"
says '^server: descriptors .* GROWS$' "... and descriptors"
finish
