# SPDX-License-Identifier: MIT
"""Faults of the link: what comes between the reviewed objects and what they call."""
import re

from elf import Elf
from registry import fault

HOOKS = ["sched_setaffinity", "sched_getaffinity", "sysconf", "gettid", "dlsym", "memcmp", "strcmp", "read", "open", "close",
         "pthread_attr_setaffinity_np", "__sched_cpucount", "getpid", "access", "socket", "ioctl", "write", "pthread_mutex_lock"]


def called(case):
    """Names that the generated objects use: those of the generated sources, and those of libraries."""
    objects = case.make_objects(case.built_files())
    ours, others = set(), set()
    for name, data in objects.items():
        if name.startswith("perseus_"):
            for s in Elf(data).symbols():
                if s.name and not s.section and s.bind == 1 and s.name != "_GLOBAL_OFFSET_TABLE_":
                    (ours if s.name.startswith("perseus_") else others).add(s.name)
    return sorted(n for n in ours if not re.search("sha256|status|state|table", n)), sorted(others & set(HOOKS))


def unit(case, name, text, shown):
    """One more unit at the link; @shown: its object is among those that are judged."""
    case.units.append((name + ".c", text.encode(), ["-O2", "-fno-builtin", "-w"], False))
    if not shown:
        case.judged_objects = lambda objects: [o for o in objects if o[0] != name + ".o"]


def body(name, rng):
    return rng.choice(["long %s(void) { return 0; }\n", "int %s(int a, long b, void *c) { (void)a; (void)b; (void)c; return 1; }\n",
                       "static int n; int %s(void) { return n++ & 1; }\n"]) % name


@fault("link-wrap", "built")
def wrap(case, rng):
    ours, others = called(case)
    name = rng.choice(ours if rng.random() < 0.6 else others + ["pthread_barrier_wait"])
    real = rng.random() < 0.3
    text = "long __real_%s(); long __wrap_%s(a, b, c) long a, b, c; { __real_%s(a, b, c); return 0; }\n" % (name, name, name) if real \
        else body("__wrap_" + name, rng)
    unit(case, "stray", text, rng.random() < 0.5)
    case.link.append("-Wl,--wrap=" + name)
    return "--wrap=%s%s" % (name, ", calling the real one" if real else "")


@fault("link-own", "built")
def own(case, rng):
    _, others = called(case)
    name = rng.choice(others + ([] if case.subject.static else ["__libc_start_main", "pthread_barrier_wait"]))
    shown = rng.random() < 0.5
    unit(case, "stray", body(name, rng), shown and name in others)
    if case.subject.static:
        case.link.append("-Wl,-z,muldefs")
    return "the program's own %s" % name


@fault("link-defsym", "built")
def defsym(case, rng):
    ours, others = called(case)
    name = rng.choice(ours + others if rng.random() < 0.8 else ["pthread_barrier_wait"])
    if name == "pthread_barrier_wait" and b"pthread_barrier_wait" not in case.source:
        return None  # nobody calls it
    text = body("stray_target", rng)
    unit(case, "stray", text, rng.random() < 0.5)
    case.link += ["-Wl,-z,muldefs", "-Wl,--defsym=%s=stray_target" % name]
    return "%s is another function by --defsym" % name


@fault("link-library", "built")
def library(case, rng):
    if case.subject.static:
        return None
    _, others = called(case)
    given = rng.random() < 0.5
    # A library that is given may have what only the program calls: perseus-verify(1), --libraries.
    name = rng.choice(others if given else others + ["pthread_barrier_wait"])
    argv = ["gcc", "-O2", "-w", "-fno-builtin", "-shared", "-fPIC", "-Wl,-soname,libstray.so", "-o", "libstray.so", "s.c"]
    text = body(name, rng)
    case.extra_inputs["libstray.so"] = case.lab.must(argv, {"s.c": text.encode()}, ["libstray.so"]).files["libstray.so"]
    case.link += ["-Wl,--no-as-needed", "./libstray.so"]
    if given:
        case.libraries = {"libstray.so": case.extra_inputs["libstray.so"]}
    return "a library with %s%s" % (name, ", given" if case.libraries else "")


@fault("link-first", "built")
def first(case, rng):
    """What runs before main() and behind it by DT_INIT and DT_FINI."""
    ours, _ = called(case)
    way = rng.choice(["init", "fini"])
    if rng.random() < 0.3:
        unit(case, "stray", "void perseus_recheck(void); void stray(void) { perseus_recheck(); }\n", True)
        name = "stray"
    else:
        from faults_user import names_of
        name = rng.choice(names_of(case) + ours + ["perseus_create_end"])
    if case.subject.static:
        return None
    case.link.append("-Wl,-%s=%s" % (way, name))
    return "-%s=%s" % (way, name)


@fault("link-loader", "built")
def loader(case, rng):
    if case.subject.static:
        return None
    flag = rng.choice(["--dynamic-linker=/tmp/ld-linux-x86-64.so.2", "--dynamic-linker=/lib64/ld-stray.so", "-rpath,/opt/stray", "--audit=libstray.so",
                       "--depaudit=libstray.so", "-z,interpose", "-z,initfirst", "--disable-new-dtags,-rpath,$ORIGIN",
                       "--dynamic-linker=ld-linux-x86-64.so.2", "-z,execstack", "-N"])
    case.link.append("-Wl," + flag)
    if flag == "-N":
        case.link.append("-no-pie")
        case.flags += ["-fno-pie"]
    return "linked with " + flag


POINTERS = {
    "quad": '.section .data,"aw"\n.byte 1\n.balign 8\n.quad %s\n',
    "unaligned": '.section .data,"aw"\n.balign 8\n.byte 1\n.quad %s\n.byte 1\n',
    "table": '.section .data.rel.ro,"aw"\n.balign 8\n.quad 0\n.quad %s\n',
    "distance": '.section .rodata,"a"\n.balign 4\n.long 7\n.long %s - .\n',
    "jump-table": '.section .rodata,"a"\n.balign 4\n.type stray_table, @object\nstray_table: .long 0, 4\n.long %s - stray_table\n.size stray_table, .-stray_table\n',
    "init": '.section .init_array,"aw",@init_array\n.quad %s\n',
    "fini": '.section .fini_array,"aw",@fini_array\n.quad %s\n',
    "lea": '.text\n.type stray, @function\nstray: leaq %s(%%rip), %%r9\nret\n.size stray, .-stray\n',
    "nameless": '.text\nleaq %s(%%rip), %%r9\nret\n',
    "got": '.text\n.type stray, @function\nstray: movq %s@GOTPCREL(%%rip), %%r9\nret\n.size stray, .-stray\n',
    "got-push": '.text\n.type stray, @function\nstray: pushq %s@GOTPCREL(%%rip)\nret\n.size stray, .-stray\n',
}
FIXED = {
    "long": '.section .data,"aw"\n.balign 8\n.byte 1, 2\n.long %s\n',
    "immediate": '.text\n.type stray, @function\nstray: movl $%s, %%r9d\nret\n.size stray, .-stray\n',
    "store": '.text\n.type stray, @function\nstray: movq $%s, -40(%%rbp)\nret\n.size stray, .-stray\n',
    "push": '.text\n.type stray, @function\nstray: pushq $%s\nret\n.size stray, .-stray\n',
    "wide": '.text\n.type stray, @function\nstray: movabsq $%s, %%r9\nret\n.size stray, .-stray\n',
    "compare": '.text\n.type stray, @function\nstray: cmpq $%s, %%rax\nret\n.size stray, .-stray\n',
}


def pointer(case, rng, forms):
    from faults_user import names_of
    # A mark or a trigger; nobody but the planned places may come to it.
    name = rng.choice(names_of(case))
    way = rng.choice(sorted(forms))
    case.units.append(("stray.s", (forms[way] % name + '.section .note.GNU-stack,"",@progbits\n').encode(), [], False))
    if rng.random() < 0.5:
        case.link.append("-Wl,-z,pack-relative-relocs" if not case.subject.static and "-no-pie" not in case.link else "-Wl,-O1")
    case.judge_objects = rng.random() < 0.4
    return "%s as pointer (%s)%s" % (name, way, "" if case.judge_objects else ", no objects given")


@fault("point-data", "built")
def pointer_any(case, rng):
    return pointer(case, rng, POINTERS)


@fault("point-fixed", "built")
def pointer_fixed(case, rng):
    """In a program with fixed addresses."""
    if not case.subject.static:
        case.flags += ["-fno-pie"]
        case.link += ["-no-pie"]
    return pointer(case, rng, dict(POINTERS, **FIXED))


@fault("link-object", "built")
def more(case, rng):
    """Code that nobody has shown."""
    texts = {
        "constructor": "#include <sched.h>\nstatic __attribute__((constructor)) void stray(void) { cpu_set_t s; CPU_ZERO(&s); CPU_SET(1, &s);"
                       " sched_setaffinity(0, sizeof(s), &s); }\n",
        "system call": "static __attribute__((constructor)) void stray(void) { long a = 203; __asm__ volatile(\"syscall\" : \"+a\"(a) : : \"rcx\", \"r11\"); }\n",
        "section": "__asm__(\".section .init,\\\"ax\\\",@progbits\\ncall stray\\n.text\\n\"); void stray(void) { }\n",
        "no symbol": "__asm__(\".section .text.stray,\\\"ax\\\",@progbits\\nmovl $203, %eax\\nsyscall\\nret\\n.text\\n\");\n",
        "perseus name": "extern unsigned perseus_platform_pin(unsigned, unsigned *);\nvoid perseus_evil(void); void perseus_evil(void) { unsigned e; perseus_platform_pin(0, &e); }\n",
        "perseus static": "extern struct { void *t; unsigned m; } perseus_status;\nstatic __attribute__((constructor)) void perseus_evil(void) { perseus_status.m = 1; }\n",
    }
    way = rng.choice(sorted(texts))
    unit(case, "stray", texts[way], way.startswith("perseus") or way == "section")
    case.judge_objects = not way.startswith("perseus") or rng.random() < 0.5
    return "a unit that is not shown: " + way
