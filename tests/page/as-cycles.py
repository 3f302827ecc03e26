# SPDX-License-Identifier: MIT
"""as-cycles.py RUN: the event task-clock of its record is called cpu-cycles; the checksum of that chunk goes."""
import glob
import sys

path = glob.glob(sys.argv[1] + '/*.prec')[0]
data = bytearray(open(path, 'rb').read())
at = data.index(b'event.0.name task-clock')
data[at:at + 23] = b'event.0.name cpu-cycles'
while data[at:at + 4] != b'CHNK':
    at = (at - 1) // 4096 * 4096
data[at + 12:at + 16] = bytes(4)
data[740:752] = bytes(12)  # as the record of a killed program, which was not sealed
open(path, 'wb').write(data)
