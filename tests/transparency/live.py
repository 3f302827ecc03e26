# SPDX-License-Identifier: MIT
"""Whether the probes of a run really did something: a look into its record files (perseus-record(5))."""
import os
import struct

MAGIC = b"PERSEUS\x1a"
HEADER_NEXT = 96  # offset of struct prs_rec_header.next
CHUNK = struct.Struct("<IHHIIQQ")
CHUNK_BYTES = 64
CHUNK_MAGIC = 0x4B4E4843
BLOCK, CALL = 4, 5
CALL_TIMED = 32  # offset of struct prs_call.timed
BLOCK_SLOW = 48  # offset of struct prs_block.slow
BLOCK_PENDING = 32  # offset of struct prs_block.pend_record: a timed call that is not in its record yet


def _chunks(fd, end):
    """(type, entry bytes, offset of the first entry, used) of each published chunk."""
    at = 4096
    while at < end:
        raw = os.pread(fd, CHUNK.size, at)
        if len(raw) < CHUNK.size:
            return
        magic, kind, entry, _, _, size, used = CHUNK.unpack(raw)
        if magic != CHUNK_MAGIC or size < 4096:
            at += 4096
            continue
        yield kind, entry, at + CHUNK_BYTES, used
        at += size


def _timed(fd, chunks):
    """Whether a call was timed."""
    for kind, entry, at, used in chunks:
        if kind == BLOCK and os.pread(fd, 8, at + BLOCK_PENDING).strip(b"\0"):
            return True
        for i in range(used if kind == CALL else 0):
            raw = os.pread(fd, 8, at + i * entry + CALL_TIMED)
            if raw.strip(b"\0"):
                return True
    return False


def _counted(fd, chunks):
    """Whether an access of any thread came to the runtime."""
    return any(kind == BLOCK and os.pread(fd, 8, at + BLOCK_SLOW).strip(b"\0") for kind, _, at, _ in chunks)


def look(directory):
    """What a run left: a set of "record", "call" (one was timed), "access" (one was counted)."""
    found = set()
    for name in os.listdir(directory):
        if not name.endswith(".prec"):
            continue
        fd = os.open(os.path.join(directory, name), os.O_RDONLY)
        try:
            if os.pread(fd, 8, 0) != MAGIC:
                continue
            found.add("record")
            chunks = list(_chunks(fd, struct.unpack("<Q", os.pread(fd, 8, HEADER_NEXT))[0]))
            if _timed(fd, chunks):
                found.add("call")
            if _counted(fd, chunks):
                found.add("access")
        finally:
            os.close(fd)
    return found
