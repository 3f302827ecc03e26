#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""counts.py CALLGRIND REPORT: the calls of each function of a program as callgrind (with
--demangle=no) counted them in the plain build, beside those of `perseus report --json
--calls 1000000` of a recorded run.  A line for each function that differs:
  differ FUNCTION CALLGRIND PERSEUS WHY
and last: counts FUNCTIONS EQUAL EXPLAINED UNEXPLAINED CALLS.

Explained is what the report says itself: a count marked as estimated (the split of an
indirect call over its callees), or calls that come from a library, where no probe is
(the compare function of qsort).  REPORT lists functions that sites with probes call;
what only libraries or start-up code call is not in it."""
import json
import re
import sys

PART = re.compile(r'(\.(constprop|isra|part|cold|lto_priv)\.\d+|\.cold)+$')


def plain(name):
    """A function by its own name, whatever part or clone of it ran, or how deep it recursed."""
    return PART.sub('', re.sub(r"'\d+$", '', name))


def callgrind(path):
    """{(object, callee): {object of the caller: calls}}, and the object of main.  Names
    stand in the file once; after that they are numbers."""
    names, objects, calls = {}, {}, {}
    here = there = callee = main = None

    def name(table, text):
        number, _, text = text.partition(' ')
        if text:
            table[number] = text
        return table[number]

    for line in open(path, errors='replace'):
        key, _, value = line.strip().partition('=')
        if key == 'ob':
            here = name(objects, value)
        elif key == 'cob':
            there = name(objects, value)
        elif key == 'fn':
            there = here
            if plain(name(names, value)) == 'main':
                main = here
        elif key == 'cfn':
            callee = plain(name(names, value))
        elif key == 'calls':
            by = calls.setdefault((there, callee), {})
            by[here] = by.get(here, 0) + int(value.split()[0])
            there = here
    return calls, main


def reported(path):
    """{function: (calls, whether some are estimated)}, clones of one function together."""
    said = {}
    for f in json.load(open(path))['functions']:
        calls, estimated = said.get(plain(f['assembler_name']), (0, False))
        said[plain(f['assembler_name'])] = (calls + f['calls'], estimated or f['calls_estimated'])
    return said


def main():
    calls, program = callgrind(sys.argv[1])
    said = reported(sys.argv[2])
    tally = {'equal': 0, 'explained': 0, 'unexplained': 0}
    total = 0
    for (obj, name), by in sorted(calls.items()):
        if obj != program or name not in said or name == 'main':
            continue
        true, told, estimated = sum(by.values()), *said[name]
        inner = by.get(program, 0)
        total += true
        if told == true:
            tally['equal'] += 1
            continue
        why = 'estimated' if estimated else '%d from libraries' % (true - inner) if told == inner else None
        tally['explained' if why else 'unexplained'] += 1
        print('differ %s %d %d %s' % (name, true, told, why or 'not explained'))
    print('counts %d %d %d %d %d' % (sum(tally.values()), tally['equal'], tally['explained'], tally['unexplained'], total))


main()
