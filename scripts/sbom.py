#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sbom.py DESTDIR VERSION: what an installation below DESTDIR holds and needs, as SPDX 2.3 in JSON on stdout.
sbom.py --check FILE DESTDIR: whether DESTDIR holds the files of FILE and no others.

Files with their hashes and terms; the sources of other people in the tree (debian/copyright); each library
that a program or library needs, with the Debian package that it comes from, its version and architecture.
Nothing in it hangs on the time but `created`, which SOURCE_DATE_EPOCH sets.
Exit status: 0 done; 1 --check found a difference, or a library belongs to no package; 2 usage."""
import hashlib
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Of what is built: text says it itself.
BUILT = ((r"/bin/perseus$", "GPL-3.0-or-later"), (r"/lib/perseus/perseus(-gcc\d+|-mpi)?\.so$", "GPL-3.0-or-later"),
         (r"/src/perseus-", "GPL-2.0-only"), (r"", "MIT"))


def sha(path, kind):
    with open(path, "rb") as f:
        return hashlib.new(kind, f.read()).hexdigest()


def installed(destdir):
    out = []
    for at, _, names in os.walk(destdir):
        out += [os.path.relpath(os.path.join(at, name), destdir) for name in names if not os.path.islink(os.path.join(at, name))]
    return sorted(out)


def licence(destdir, name):
    with open(f"{destdir}/{name}", "rb") as f:
        said = re.search(rb"SPDX-License-Identifier: ([\w.-]+( (OR|AND|WITH) [\w.-]+)*)", f.read(4000))
    if said:
        return said.group(1).decode()
    return next(terms for pattern, terms in BUILT if re.search(pattern, "/" + name))


def ask(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def needed(destdir, names):
    """{library: (file, names of those that need it)}"""
    out = {}
    for name in names:
        path = f"{destdir}/{name}"
        with open(path, "rb") as f:
            if f.read(4) != b"\x7fELF":
                continue
        where = dict(re.findall(r"(\S+) => (/\S+)", ask("ldd", path)))
        for library in re.findall(r"NEEDED\s+(\S+)", ask("objdump", "-p", path)):
            out.setdefault(library, (where.get(library), []))[1].append(name)
    return out


def package_of(path):
    """(name, version, architecture) of the Debian package that has the file, or None."""
    for candidate in filter(None, (path, path and os.path.realpath(path), path and "/usr" + path, path and "/usr" + os.path.realpath(path))):
        owner = ask("dpkg-query", "-S", candidate).split(": ")[0].split(",")[0]
        if owner:
            return tuple(ask("dpkg-query", "-W", "-f", "${Package}\t${Version}\t${Architecture}", owner).split("\t"))
    return None


def others():
    """Sources of other people: folder, copyright and licence of each paragraph of debian/copyright that is not ours."""
    with open(HERE + "/debian/copyright", encoding="utf-8") as f:
        for paragraph in f.read().split("\n\n"):
            fields = dict(re.findall(r"^(Files|Copyright|License): (.*(?:\n .*)*)", paragraph, re.M))
            if "Files" in fields and "the Perseus authors" not in fields["Copyright"]:
                yield fields["Files"].strip().removesuffix("/*"), "\n".join(x.strip() for x in fields["Copyright"].splitlines()), fields["License"].strip()


def package(ident, name, version, **more):
    return {"SPDXID": f"SPDXRef-{ident}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", **more}


def relation(a, kind, b):
    return {"spdxElementId": f"SPDXRef-{a}", "relationshipType": kind, "relatedSpdxElement": f"SPDXRef-{b}"}


def document(destdir, version):
    names = installed(destdir)
    files = [{"SPDXID": f"SPDXRef-File-{i}", "fileName": "./" + n, "licenseConcluded": licence(destdir, n), "copyrightText": "2026 the Perseus authors",
              "checksums": [{"algorithm": a.upper(), "checksumValue": sha(f"{destdir}/{n}", a)} for a in ("sha1", "sha256")]} for i, n in enumerate(names)]
    code = hashlib.sha1("".join(sorted(f["checksums"][0]["checksumValue"] for f in files)).encode()).hexdigest()
    packages = [package("Perseus", "perseus", version, filesAnalyzed=True, licenseDeclared="MIT AND GPL-3.0-or-later AND GPL-2.0-only",
                        copyrightText="2026 the Perseus authors", packageVerificationCode={"packageVerificationCodeValue": code})]
    relations = [relation("DOCUMENT", "DESCRIBES", "Perseus")] + [relation("Perseus", "CONTAINS", f["SPDXID"][8:]) for f in files]
    for folder, copyright_text, terms in others():
        ident = "Source-" + re.sub(r"[^\w.-]", "-", folder)
        packages.append(package(ident, folder, "NOASSERTION", licenseDeclared=terms, copyrightText=copyright_text, comment="source of other people in this tree"))
        relations.append(relation("Perseus", "CONTAINS", ident))
    lost = []
    ours = {os.path.basename(n) for n in names}
    number = {n: f"File-{i}" for i, n in enumerate(names)}
    for library, (path, users) in sorted(needed(destdir, names).items()):
        if library in ours:
            continue
        found = package_of(path)
        if not found:
            lost.append(library)
            continue
        name, its_version, architecture = found
        ident = "Debian-" + re.sub(r"[^\w.-]", "-", name)
        if all(p["SPDXID"] != f"SPDXRef-{ident}" for p in packages):
            packages.append(package(ident, name, its_version, supplier="Organization: Debian",
                                    externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                                   "referenceLocator": f"pkg:deb/debian/{name}@{its_version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}"}]))
        relations += [relation(number[user], "DYNAMIC_LINK", ident) for user in users]
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"perseus-{version}",
            "documentNamespace": f"https://perseus.example/spdx/perseus-{version}-{code}", "creationInfo": {"created": when, "creators": ["Tool: perseus-sbom"]},
            "packages": packages, "files": files, "relationships": relations}, lost


def check(listed, destdir):
    """Lines about what is not there, not listed, or other."""
    with open(listed, encoding="utf-8") as f:
        want = {x["fileName"][2:]: {c["algorithm"]: c["checksumValue"] for c in x["checksums"]}["SHA256"] for x in json.load(f)["files"]}
    got = {n: sha(f"{destdir}/{n}", "sha256") for n in installed(destdir)}
    return [f"{n}: {'not listed' if n not in want else 'not there' if n not in got else 'other bytes'}" for n in sorted(want.keys() | got.keys()) if want.get(n) != got.get(n)]


def main(words):
    if len(words) == 3 and words[0] == "--check":
        differences = check(words[1], words[2])
        print("\n".join(differences) if differences else "the files are those that are listed")
        return 1 if differences else 0
    if len(words) != 2 or not os.path.isdir(words[0]):
        print(__doc__, file=sys.stderr)
        return 2
    listed, lost = document(*words)
    json.dump(listed, sys.stdout, indent=1)
    print()
    for library in lost:
        print(f"sbom.py: {library} belongs to no Debian package", file=sys.stderr)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
