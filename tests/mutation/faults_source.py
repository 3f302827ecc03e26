# SPDX-License-Identifier: MIT
"""Faults in the generated sources: the triggers, the platform file, the plugin's file."""
import re

from registry import fault, line_at, pick, put, source_fault

TRIGGERS = r"perseus_(?:triggers\.c|support\.h)"
PLATFORM = r"perseus_platform_\w+\.c"
PLANFILE = r"perseus_triggers\.plan"
HEADER = "perseus_triggers.h"
STATUS = "perseus_status.h"


def edit(files, name, match, new, what=None):
    if match is None:
        return None
    text = files[name]
    where = line_at(text, match.start())
    if text[match.start():match.end()] == new:
        return None
    files[name] = put(text, match, new)
    return "%s: %s%s" % (name, where, " -> `%s`" % new.strip()[:60] if what is None else ": " + what)


def drop(files, name, match):
    return edit(files, name, match, "", "gone") if match else None


def twice(files, name, match):
    return edit(files, name, match, match.group(0) * 2, "twice") if match else None


def constants(files, prefix):
    return re.findall(r"^#define (%s\w+)\s+\(" % prefix, files[HEADER], re.M)


def other_constant(files, rng, prefix, than):
    rest = [c for c in constants(files, prefix) if c != than]
    return rng.choice(rest) if rest else "(%s + 1u)" % than


ACTION = r"^[ \t]*(?:\(void\))?perseus_(?:pin|step)\([^;\n]*\);\n"
CASE = r"^\tcase THREAD_\w+:\n(?:(?!\tcase |\tdefault).*\n)*?\t\tbreak;\n"


@source_fault("trig-core", TRIGGERS)
def core(files, name, rng, _):
    m = pick(rng, r"perseus_(?:pin|step)\([^;\n]*?\b((CORE_|DOMAIN_|STEP_)\w+)[^;\n]*\);", files[name])
    if not m:
        return None
    new = other_constant(files, rng, m.group(2), m.group(1))
    return edit(files, name, m, m.group(0).replace(m.group(1), new, 1))


@source_fault("trig-constant", TRIGGERS)
def constant(files, _, rng, case):
    m = pick(rng, r"^#define (?:CORE_|DOMAIN_|STEP_)\w+ \((\d+)u\)", files[HEADER])
    if not m:
        return None
    new = m.group(0).replace("(%su)" % m.group(1), "(%du)" % (int(m.group(1)) + rng.choice([1, 2])))
    return edit(files, HEADER, m, new)


@source_fault("trig-thread-constant", TRIGGERS)
def thread_constant(files, _, rng, case):
    prefix = rng.choice(["THREAD_", "CREATE_"])
    found = re.findall(r"^#define (%s\w+) \((\d+)u\)" % prefix, files[HEADER], re.M)
    if len(found) < 2:
        return None
    (a, x), (b, y) = rng.sample(found, 2)
    text = files[HEADER]
    text = re.sub(r"(#define %s) \(\d+u\)" % a, r"\1 (%su)" % y, text)
    files[HEADER] = re.sub(r"(#define %s) \(\d+u\)" % b, r"\1 (%su)" % x, text)
    return "%s and %s exchange their numbers" % (a, b)


@source_fault("trig-case-drop", TRIGGERS)
def case_drop(files, name, rng, _):
    m = pick(rng, CASE, files[name])
    return edit(files, name, m, "", "case is gone") if m else None


@source_fault("trig-case-swap", TRIGGERS)
def case_swap(files, name, rng, _):
    m = pick(rng, r"^\tcase (THREAD_\w+):", files[name])
    if not m:
        return None
    inside = [k for k in re.finditer(r"^\tcase (THREAD_\w+):", files[name], re.M)
              if "\n}\n" not in files[name][min(k.start(), m.start()):max(k.start(), m.start())] and k.start() != m.start()]
    if not inside:
        return None
    a, b = sorted((m, rng.choice(inside)), key=lambda k: k.start())
    text = put(files[name], b, "\tcase %s:" % a.group(1))
    files[name] = put(text, a, "\tcase %s:" % b.group(1))
    return "%s: cases %s and %s exchanged" % (name, a.group(1), b.group(1))


@source_fault("trig-visit", TRIGGERS)
def visit(files, name, rng, _):
    m = pick(rng, r"visits\w* (?:==|>=|<|>|!=|%|-) (\d+)u|perseus_due\(\w+, (\d+)u, (\d+)u\)", files[name])
    if not m:
        return None
    numbers = list(re.finditer(r"(\d+)u", m.group(0)))
    k = rng.choice(numbers)
    new = int(k.group(1)) + rng.choice([-1, 1, 2])
    return edit(files, name, m, m.group(0)[:k.start(1)] + str(max(new, 0)) + m.group(0)[k.end(1):])


OPERATORS = {"==": ["!=", ">=", "<="], "!=": ["=="], ">=": [">", "=="], "<=": ["<"], " > ": [" >= "], " < ": [" <= "],
             "++": ["--"], "--": ["++"], " - ": [" + "], " + ": [" - "], " % ": [" / "]}


def operator(files, name, rng, pattern=None):
    m = pick(rng, pattern or r"==|!=|>=|<=| > | < |\+\+|--| - | \+ | % ", files[name])
    if not m:
        return None
    old = m.group(1) if m.groups() else m.group(0)
    at = m.start(1) if m.groups() else m.start()
    new = rng.choice(OPERATORS[old])
    where = line_at(files[name], at)
    files[name] = files[name][:at] + new + files[name][at + len(old):]
    return "%s: %s: `%s` is `%s`" % (name, where, old.strip(), new.strip())


@source_fault("trig-compare", TRIGGERS)
def compare(files, name, rng, _):
    return operator(files, name, rng)


@source_fault("trig-break", TRIGGERS)
def no_break(files, name, rng, _):
    return drop(files, name, pick(rng, r"^\t+break;\n", files[name]))


@source_fault("trig-default", TRIGGERS)
def no_default(files, name, rng, _):
    if rng.random() < 0.5:
        return drop(files, name, pick(rng, r"^(\t+)default:.*\n(?:\1\t.*\n)*", files[name]))
    m = pick(rng, r"^(\t+)default:.*\n", files[name])
    action = pick(rng, ACTION, files[name])
    if not m or not action:
        return None
    return edit(files, name, m, m.group(0) + m.group(1) + "\t" + action.group(0).strip() + "\n", "default acts")


@source_fault("trig-action-drop", TRIGGERS)
def action_drop(files, name, rng, _):
    return drop(files, name, pick(rng, ACTION, files[name]))


@source_fault("trig-action-twice", TRIGGERS)
def action_twice(files, name, rng, _):
    two = pick(rng, "(%s)(%s)" % (ACTION, ACTION.lstrip("^")), files[name])
    if two and rng.random() < 0.5:
        return edit(files, name, two, two.group(2) + two.group(1), "order turned round")
    return twice(files, name, pick(rng, ACTION, files[name]))


COUNT = r"^[ \t]*(?:perseus_visit\(.*\);|(?!.*perseus_created).*visits.*(?:\+\+|\+ 1u).*;|\+\+.*visits.*;)\n"


@source_fault("trig-visits", TRIGGERS)
def visits(files, name, rng, _):
    m = pick(rng, COUNT, files[name])
    if not m:
        return None
    way = rng.choice(["drop", "twice", "behind"])
    if way == "drop":
        return drop(files, name, m)
    if way == "twice":
        return twice(files, name, m)
    end = files[name].find("\n}\n", m.end())
    line = m.group(0)
    files[name] = files[name][:m.start()] + files[name][m.end():end + 1] + line + files[name][end + 1:]
    return "%s: counted behind the switch: `%s`" % (name, line.strip())


@source_fault("trig-visits-shared", TRIGGERS)
def visits_shared(files, name, rng, _):
    m = pick(rng, r"static __thread uint64_t visits", files[name])
    if m:
        return edit(files, name, m, rng.choice(["static uint64_t visits", "static __thread uint8_t visits",
                                                "static __thread uint16_t visits"]))
    m = pick(rng, r"uint64_t (visits\w*)", files[HEADER])
    if m and rng.random() < 0.3:
        return edit(files, HEADER, m, "uint8_t " + m.group(1))
    m = pick(rng, r"perseus_state\[(\w+)\]\.(visits\w*)", files[name])
    if not m:
        return None
    if rng.random() < 0.3:
        other = [v for v in set(re.findall(r"\.(visits\w+)", files[name])) if v != m.group(2)]
        if other:
            return edit(files, name, m, m.group(0).replace(m.group(2), rng.choice(sorted(other))))
    return edit(files, name, m, m.group(0).replace("[%s]" % m.group(1), "[%s]" % other_constant(files, rng, "THREAD_", m.group(1))))


def body(text, pattern, rng):
    """(first, last) of the body of a function whose name matches."""
    m = pick(rng, r"^[a-z_][^\n;={]*\b(?:%s)\([^;{]*\)\n\{\n" % pattern, text)
    return (m.end(), text.index("\n}\n", m.end()) + 1) if m else None


def in_body(files, name, rng, pattern, change):
    """Apply @change to the body only."""
    span = body(files[name], pattern, rng)
    if not span:
        return None
    part = {name: files[name][span[0]:span[1]], HEADER: files[HEADER]}
    what = change(part, name, rng)
    if what is None:
        return None
    first = files[name].count("\n", 0, span[0])
    files[name] = files[name][:span[0]] + part[name] + files[name][span[1]:]
    return re.sub(r"line (\d+)", lambda m: "line %d" % (int(m.group(1)) + first), what)


STATEMENT = r"^\t+(?!(?:return|break|static|const|u?int\w*|char|cpu_set_t|s?size_t|bool|struct|union|for|perseus_\w+ \w+) ?\b)[^\n/{}#]*;(?: /\*[^\n]*)?\n"


def any_change(files, name, rng):
    """Classical: a statement gone, an operator turned, a number changed."""
    way = rng.choice(["statement", "operator", "number"])
    if way == "operator":
        return operator(files, name, rng)
    if way == "number":
        m = pick(rng, r"\b(\d+)u?\b(?=[^\"\n]*$)", files[name])
        if not m:
            return None
        return edit(files, name, m, m.group(0).replace(m.group(1), str(int(m.group(1)) + rng.choice([1, 1, 2])), 1))
    return drop(files, name, pick(rng, STATEMENT, files[name]))


@source_fault("trig-due", TRIGGERS)
def due(files, name, rng, _):
    return in_body(files, name, rng, "perseus_due", any_change)


@source_fault("trig-status", TRIGGERS)
def status(files, name, rng, _):
    m = pick(rng, r"^[ \t]*perseus_(?:platform_count|note)\(&perseus_status\.(\w+)(\[ended\])?.*\n", files[name])
    if not m:
        return None
    if m.group(2) or rng.random() < 0.5:
        return drop(files, name, m)
    members = [w for w in re.findall(r"^\tuint32_t (\w+);", files[STATUS].split("struct perseus_status {")[1], re.M) if w != m.group(1)]
    return edit(files, name, m, m.group(0).replace("." + m.group(1), "." + rng.choice(members)))


@source_fault("trig-machine", TRIGGERS)
def machine(files, name, rng, _):
    way = rng.random()
    if way < 0.5:
        return operator(files, name, rng, r"perseus_status\.machine (==|!=) ")
    m = pick(rng, r"PERSEUS_MACHINE_(\w+)", files[name])
    if not m:
        return None
    return edit(files, name, m, "PERSEUS_MACHINE_" + rng.choice([w for w in ("PLANNED", "FOREIGN", "UNCHECKED") if w != m.group(1)]))


@source_fault("trig-start", TRIGGERS)
def start(files, name, rng, _):
    return in_body(files, name, rng, "perseus_start|perseus_program_start|perseus_thread_enter|perseus_forget|"
                   "perseus_place|perseus_enter|perseus_self", any_change)


ROW = r"^(\t\[(THREAD_\w+)\] = \{)(\w+), (\w+), (\d+)u, (\w+)\},?\n"


@source_fault("trig-table", TRIGGERS)
def table(files, name, rng, _):
    m = pick(rng, ROW, files[name])
    if not m:
        return None
    way = rng.choice(["creator", "site", "ordinal", "core", "swap", "drop"])
    if way == "drop":
        return drop(files, name, m)
    if way == "swap":
        k = pick(rng, ROW, files[name])
        if k.start() == m.start():
            return None
        a, b = sorted((m, k), key=lambda r: r.start())
        text = files[name][:b.start(3)] + files[name][a.start(3):a.end(6)] + files[name][b.end(6):]
        files[name] = text[:a.start(3)] + b.group(0)[b.start(3) - b.start():b.end(6) - b.start()] + text[a.end(6):]
        return "%s: rows %s and %s exchanged" % (name, a.group(2), b.group(2))
    group = {"creator": 3, "site": 4, "ordinal": 5, "core": 6}[way]
    old = m.group(group)
    if way == "ordinal":
        new = str(int(old) + 1)
    else:
        prefix, none = {3: ("THREAD_", "PERSEUS_NO_THREAD"), 4: ("CREATE_", "PERSEUS_NO_SITE"), 6: ("CORE_", "PERSEUS_NO_CORE")}[group]
        new = rng.choice([c for c in constants(files, prefix) + [none] if c != old])
    line = m.group(0)
    at = m.start(group) - m.start()
    return edit(files, name, m, line[:at] + new + line[at + len(old):])


@source_fault("trig-hash", TRIGGERS)
def plan_hash(files, name, rng, case):
    m = pick(rng, r'"([0-9a-f]{64})"', files[HEADER])
    at = rng.randrange(64)
    digit = "0" if m.group(1)[at] != "0" else "f"
    return edit(files, HEADER, m, '"' + m.group(1)[:at] + digit + m.group(1)[at + 1:] + '"')


@source_fault("trig-creation", TRIGGERS)
def creation(files, name, rng, _):
    return in_body(files, name, rng, "perseus_creation_take|perseus_creation_undo|perseus_is_family|perseus_family|"
                   "perseus_member|perseus_create_end|perseus_next|perseus_give_back|perseus_begin", any_change)


@source_fault("trig-mark", TRIGGERS)
def mark(files, name, rng, _):
    m = pick(rng, r"\b(CREATE_\w+|PERSEUS_NO_SITE)\b(?=[);])", files[name])
    if not m:
        return None
    rest = [c for c in constants(files, "CREATE_") + ["PERSEUS_NO_SITE"] if c != m.group(1)]
    return edit(files, name, m, rng.choice(rest))


@source_fault("trig-extra", TRIGGERS)
def extra(files, name, rng, _):
    m = pick(rng, r"^\t+(?:break;|[a-z][^\n/{}#]*\([^\n]*\);)\n", files[name])
    action = pick(rng, ACTION, files[name])
    text = action.group(0).strip() if action and rng.random() < 0.7 else "perseus_platform_count(&perseus_status.started);"
    indent = re.match(r"\t+", m.group(0)).group(0)
    return edit(files, name, m, indent + text + "\n" + m.group(0), "additional `%s`" % text)


@source_fault("trig-guard", TRIGGERS)
def guard(files, name, rng, _):
    m = pick(rng, r"^[a-z][^\n;={]*\)\n\{\n(?:\t(?:static|u?int|bool|const)[^\n]*\n)*(?:\n)?(?=\t[a-z])", files[name])
    if not m or "void" not in m.group(0).split("(")[0]:
        return None
    text = rng.choice(["\tif (perseus_status.started > 3u) {\n\t\treturn;\n\t}\n", "\tif (perseus_status.unplanned != 0u) {\n\t\treturn;\n\t}\n"])
    return edit(files, name, m, m.group(0) + text, "returns early")


@source_fault("trig-hidden", TRIGGERS)
def hidden(files, name, rng, _):
    target = pick(rng, r"^void (perseus_\w+)\(void\)$", files[name])
    if not target:
        return None
    way = rng.choice(["constructor", "weak", "alias", "public", "destructor"])
    f = target.group(1)
    text = {
        "constructor": "__attribute__((constructor)) static void perseus_hidden(void)\n{\n\t%s();\n}\n" % f,
        "destructor": "__attribute__((destructor)) static void perseus_hidden(void)\n{\n\t%s();\n}\n" % f,
        "weak": "#pragma weak %s\n" % f,
        "alias": "void perseus_hidden(void) __attribute__((alias(\"%s\")));\n" % f,
        "public": "void perseus_hidden(void);\nvoid perseus_hidden(void)\n{\n\t%s();\n}\n" % f,
    }[way]
    files[name] += "\n" + text
    return "%s: %s of %s" % (name, way, f)


@source_fault("trig-preprocess", TRIGGERS)
def preprocess(files, name, rng, _):
    way = rng.choice(["if", "macro", "comment", "line", "trigraph"])
    if way == "macro":
        prefix = rng.choice(["CORE_", "THREAD_"])
        found = constants(files, prefix)
        if len(found) < 2:
            return None
        a, b = rng.sample(found, 2)
        if "\nconst char perseus_plan" not in files[name]:
            return None
        at = files[name].index("\nconst char perseus_plan")
        files[name] = files[name][:at] + "\n#define %s_OLD %s\n#undef %s\n#define %s %s\n" % (a, a, a, a, b) + files[name][at:]
        return "%s: %s is %s" % (name, a, b)
    m = pick(rng, ACTION, files[name])
    if not m:
        return None
    lead = {"if": "#if 0\n%s#endif\n", "comment": "/* set: \n%s/* done */\n", "line": "// set\\\n%s", "trigraph": "// set?\\\n%s"}[way]
    return edit(files, name, m, lead % m.group(0), "hidden by a %s" % way)


@source_fault("trig-any", TRIGGERS)
def trig_any(files, name, rng, _):
    return any_change(files, name, rng)


# ---- platform file ----------------------------------------------------------------------------------------

def platform_fault(name, pattern, change=any_change):
    source_fault(name, PLATFORM)(lambda files, file, rng, _: in_body(files, file, rng, pattern, change))


platform_fault("plat-read-back", "perseus_is_on|perseus_reads|perseus_set_mask|perseus_platform_holds|perseus_set_khz")
platform_fault("plat-mask", "perseus_set_mask|perseus_is_on|perseus_note_mask")
platform_fault("plat-check", "perseus_platform_start|perseus_same_plan|perseus_cpu_\\w+|perseus_note_mask|perseus_value_is|perseus_find_policies")
platform_fault("plat-create", "perseus_make|perseus_create_as|perseus_system_\\w+|pthread_create|__wrap_pthread_create")
platform_fault("plat-enter", "perseus_thread_main|perseus_platform_become|perseus_platform_self|perseus_platform_in_main|perseus_create_as")
platform_fault("plat-count", "perseus_platform_count|perseus_platform_store")
platform_fault("plat-lend", "perseus_lend_mask|perseus_take_back|perseus_make")
platform_fault("plat-restore", "perseus_restore|perseus_keep")
platform_fault("plat-allowed", "perseus_note_mask|perseus_platform_pin")


@source_fault("plat-errno", PLATFORM)
def plat_errno(files, name, rng, _):
    return drop(files, name, pick(rng, r"^\terrno = saved;\n", files[name]))


@source_fault("plat-undo", PLATFORM)
def plat_undo(files, name, rng, _):
    return drop(files, name, pick(rng, r"^\t+perseus_creation_undo\(\);\n", files[name]))


@source_fault("plat-any", PLATFORM + r"|perseus_machine\.h")
def plat_any(files, name, rng, _):
    return any_change(files, name, rng)


@fault("plat-backend", "built")
def backend(case, rng):
    """The file of another back end under the name of the right one."""
    way = rng.choice(["posix", "stub"])
    argv = ["perseus", "codegen", "plan.yaml", "-o", "gen", "--backend=" + way] + case.subject.codegen_options
    r = case.lab.run(argv, {"plan.yaml": case.plan}, ["gen"])
    if r.status != 0:
        return None
    text = r.files["gen/perseus_platform_%s.c" % way]

    def change(files):
        name = next(n for n in files if re.fullmatch(PLATFORM, n))
        files[name] = text
        files["perseus_platform.h"] = r.files["gen/perseus_platform.h"]
    case.built = change
    return "platform file of back end " + way


# ---- what the plugin is given -----------------------------------------------------------------------------

def plan_lines(text, word):
    lines = text.split("\n")
    return lines, [i for i, l in enumerate(lines) if l.startswith(word)]


@source_fault("file-side", PLANFILE)
def file_side(files, name, rng, _):
    m = pick(rng, r"\b(before|after)\b", files[name])
    if not m:
        return None
    what = edit(files, name, m, "after" if m.group(1) == "before" else "before")
    files[name] = sealed(files[name])
    return what


@source_fault("file-number", PLANFILE)
def file_number(files, name, rng, _):
    word = rng.choice(["call ", "create "])
    lines, found = plan_lines(files[name], word)
    if len(found) < 2:
        return None
    i, j = rng.sample(found, 2)
    a, b = lines[i].split(" ", 2), lines[j].split(" ", 2)
    lines[i], lines[j] = " ".join([a[0], a[1], b[2]]), " ".join([b[0], b[1], a[2]])
    files[name] = sealed("\n".join(lines))
    return "%s: places of %s%s and %s exchanged" % (name, word, a[1], b[1])


@source_fault("file-drop", PLANFILE)
def file_drop(files, name, rng, _):
    lines, found = plan_lines(files[name], ("call ", "create ", "start"))
    i = rng.choice(found)
    what = lines.pop(i)
    files[name] = recount("\n".join(lines))
    return "%s: without `%s`" % (name, what[:60])


def recount(text):
    n = len(text.split("\nend ")[0].split("\n")) - 1
    return sealed(re.sub(r"(?m)^end \d+", "end %d" % n, text))


def sealed(text):
    """With the hash of its lines, as the generator writes it: a fault is not caught because a checksum is old."""
    body = text[:text.index("\nend ") + 1]
    h = 0xcbf29ce484222325
    for byte in body.encode():
        h = (h ^ byte) * 0x100000001b3 & 2**64 - 1
    return re.sub(r"(?m)^(end \d+) [0-9a-f]{16}$", "\\1 %016x" % h, text)


@source_fault("file-twice", PLANFILE)
def file_twice(files, name, rng, _):
    lines, found = plan_lines(files[name], ("call ", "create "))
    i = rng.choice(found)
    lines.insert(i, lines[i])
    files[name] = recount("\n".join(lines))
    return "%s: twice `%s`" % (name, lines[i][:60])


@source_fault("file-site", PLANFILE)
def file_site(files, name, rng, case):
    lines, found = plan_lines(files[name], ("call ", "create "))
    i = rng.choice(found)
    fields = lines[i].split(" ")
    sites = [s for s in case.subject.sites if s["id"] != fields[2]]
    s = rng.choice(sites)
    fields[2], fields[3] = s["id"], s["instance"]
    if rng.random() < 0.7:
        # an error in the generator: the whole line is of another site
        fields[-6:] = [s["unit"].replace(" ", "%20"), s["function"], s["callee"], s["line"], s["equal"], s["near"]]
    lines[i] = " ".join(fields)
    files[name] = sealed("\n".join(lines))
    return "%s: %s%s at the call of %s in %s:%s" % (name, fields[0], fields[1], s["callee"], s["function"], s["line"])


@source_fault("file-head", PLANFILE)
def file_head(files, name, rng, _):
    m = pick(rng, r"^perseus-triggers \d+|^plan [0-9a-f]|^end \d+|^start\n", files[name])
    new = {"p": "perseus-triggers 3", "e": "end 77", "s": ""}[m.group(0)[0]]
    if m.group(0).startswith("plan"):
        new = "plan " + ("0" if m.group(0)[-1] != "0" else "1")
    return edit(files, name, m, new)


@source_fault("file-syntax", PLANFILE)
def file_syntax(files, name, rng, _):
    text = files[name]
    ways = {"CRLF": text.replace("\n", "\r\n"), "cut off": text[:len(text) * 2 // 3], "a blank line": text.replace("\n", "\n\n", 3),
            "an unknown word": text.replace("start\n", "start\nstop\n", 1), "two blanks": text.replace(" ", "  ", 4)}
    what, files[name] = rng.choice(sorted(ways.items()))
    return name + ": " + what
