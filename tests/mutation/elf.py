# SPDX-License-Identifier: MIT
"""ELF64 files, little endian, as bytes that can be changed in place."""
import struct

SHT_SYMTAB, SHT_RELA, SHT_DYNAMIC, SHT_NOBITS, SHT_DYNSYM = 2, 4, 6, 8, 11
STT_OBJECT, STT_FUNC, STT_TLS = 1, 2, 6
ALLOC, EXEC, WRITE = 2, 4, 1


class Section:
    def __init__(self, elf, index, head):
        (self.name_at, self.type, self.flags, self.address, self.offset, self.size, self.link, self.info,
         self.align, self.step) = struct.unpack_from("<IIQQQQIIQQ", elf.data, head)
        self.index, self.head = index, head


class Symbol:
    def __init__(self, at, name, fields):
        self.at, self.name = at, name
        _, self.info, self.other, self.section, self.value, self.size = fields
        self.type, self.bind = self.info & 15, self.info >> 4


class Rela:
    def __init__(self, at, target, fields):
        self.at, self.target = at, target
        self.offset, info, self.addend = fields
        self.type, self.symbol = info & 0xffffffff, info >> 32


class Elf:
    def __init__(self, data):
        self.data = bytearray(data)
        head, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
        self.sections = [Section(self, i, head + 64 * i) for i in range(count)]
        names = self.sections[struct.unpack_from("<H", data, 62)[0]]
        for s in self.sections:
            s.name = self.text(names.offset + s.name_at)

    def text(self, at):
        return self.data[at:self.data.index(0, at)].decode()

    def section(self, name):
        return next((s for s in self.sections if s.name == name), None)

    def bytes_of(self, s):
        return b"" if s.type == SHT_NOBITS else bytes(self.data[s.offset:s.offset + s.size])

    def symbols(self, kind=SHT_SYMTAB):
        out = []
        for s in self.sections:
            if s.type == kind:
                names = self.sections[s.link].offset
                for at in range(s.offset, s.offset + s.size, 24):
                    f = struct.unpack_from("<IBBHQQ", self.data, at)
                    out.append(Symbol(at, self.text(names + f[0]), f))
        return out

    def symbol(self, name):
        return next((s for s in self.symbols() if s.name == name and s.section), None)

    def functions(self):
        return [s for s in self.symbols() if s.type == STT_FUNC and s.section and s.size]

    def generated(self):
        """Functions of the generated sources."""
        return [s for s in self.functions() if s.name.startswith("perseus_")]

    def relas(self):
        out = []
        for s in self.sections:
            if s.type == SHT_RELA and s.size:
                for at in range(s.offset, s.offset + s.size, 24):
                    out.append(Rela(at, s.info, struct.unpack_from("<QQq", self.data, at)))
        return out

    def set_rela(self, r):
        struct.pack_into("<QQq", self.data, r.at, r.offset, r.type | r.symbol << 32, r.addend)

    def offset(self, address):
        """Place in the file of what is loaded at @address, or None."""
        for s in self.sections:
            if s.flags & ALLOC and s.type != SHT_NOBITS and s.address <= address < s.address + s.size \
                    and not s.name.startswith(".tbss"):
                return s.offset + address - s.address
        return None

    def place(self, symbol):
        """[first, last) in the file of the bytes of @symbol, or None."""
        s = self.sections[symbol.section] if symbol.section < len(self.sections) else None
        if not s or s.type == SHT_NOBITS:
            return None
        if struct.unpack_from("<H", self.data, 16)[0] == 1:
            at = s.offset + symbol.value
        elif symbol.type == STT_TLS:
            at = s.offset + symbol.value - self.tls_lead(s)
        else:
            at = self.offset(symbol.value)
        return None if at is None else (at, at + symbol.size)

    def tls_lead(self, s):
        first = min(t.address for t in self.sections if t.flags & 0x400)
        return s.address - first

    def patch(self, at, data):
        self.data[at:at + len(data)] = data

    def branches(self, symbol):
        """(place, opcode length, target) of the direct calls and jumps in @symbol: every byte is tried, the
        target must be the start of a known function or a stub of the linker."""
        span = self.place(symbol)
        starts = {f.value for f in self.functions()} | self.stubs()
        out = []
        for at in range(span[0], span[1] - 4):
            n = 1 if self.data[at] in (0xe8, 0xe9) else 0
            if n:
                to = symbol.value + at - span[0] + n + 4 + struct.unpack_from("<i", self.data, at + n)[0]
                if to in starts:
                    out.append((at, n, to))
        return out

    def stubs(self):
        out = set()
        for s in self.sections:
            if s.name.startswith(".plt") or s.name == ".iplt":
                out |= {s.address + i for i in range(0, s.size, 8)}
        return out

    def programs(self):
        """(place of the head, type, flags, offset, address, file size, memory size) of each segment."""
        at, count = struct.unpack_from("<Q", self.data, 32)[0], struct.unpack_from("<H", self.data, 56)[0]
        out = []
        for i in range(count):
            t, flags, off, va, _, filesz, memsz, _ = struct.unpack_from("<IIQQQQQQ", self.data, at + 56 * i)
            out.append((at + 56 * i, t, flags, off, va, filesz, memsz))
        return out

    def loaded(self):
        """Everything that a process gets of this file but its build id."""
        parts = [(s.name, s.address, s.flags, self.bytes_of(s)) for s in self.sections
                 if s.flags & ALLOC and s.name != ".note.gnu.build-id"]
        return parts, struct.unpack_from("<Q", self.data, 24)[0], [p[1:] for p in self.programs()]

    def dynamic(self):
        """(place, tag, value)."""
        s = next((s for s in self.sections if s.type == SHT_DYNAMIC), None)
        if not s:
            return []
        return [(at,) + struct.unpack_from("<qQ", self.data, at) for at in range(s.offset, s.offset + s.size, 16)]
