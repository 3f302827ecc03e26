# of.py: the names of threads, sorted, from `perseus report --json` on the standard input
import json, sys
print(";".join(sorted(t["name"] for t in json.load(sys.stdin)["threads"])))
