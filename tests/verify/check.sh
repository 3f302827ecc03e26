#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-plan-check: does a platform have what a plan asks for?
. tests/lib.sh
check=$O/bin/perseus-plan-check
exits 0 "a plan and its platform" "$check" tests/codegen/golden/plan.yaml tests/verify/platform.yaml
says "^fits: 3 thread starts, 4 call triggers; platform" "it says what was looked at"
exits 0 "the commented example of the documents" "$check" yaml/examples/plan.yaml yaml/examples/platform.yaml
exits 1 "a plan and another platform" "$check" yaml/examples/plan.yaml tests/verify/platform.yaml
says "has no step of 1800000 kHz" "the step is named"
sed 's/core: 7$/core: 12/' tests/codegen/golden/plan.yaml >"$T/plan.yaml"
exits 1 "a plan with an unknown core" "$check" "$T/plan.yaml" tests/verify/platform.yaml
says "thread 0: unknown core 12" "the core is named"
exits 4 "a platform that is none" "$check" tests/codegen/golden/plan.yaml tests/codegen/golden/plan.yaml
exits 4 "a missing platform" "$check" tests/codegen/golden/plan.yaml "$T/none"
exits 2 "no arguments" "$check"
exits 2 "a platform is missing" "$check" tests/codegen/golden/plan.yaml
says "PLATFORM is missing" "it is told"
exits 2 "one file too many" "$check" a b c
says "one too many: 'c'" "it is named"
exits 1 "the platform under another name" "$check" yaml/examples/plan.yaml tests/verify/platform.yaml --as lab-8
says "contradictions? between 'yaml/examples/plan.yaml' and 'lab-8'" "messages use that name"
it "needs the C library only" sh -c "! ldd '$check' | grep -vE 'linux-vdso|libc\.so|ld-linux|lib(asan|ubsan|tsan|m|gcc_s|stdc\+\+)\.so'"
it "the verifiers share no code with the generator" sh -c "! grep -lE '#include \"(lib|yaml|codegen|record|cmd)/' verify/*.[ch] verify/*/*.[ch] verify/arch/*/*.[ch] verify/*/arch/*/*.[ch]"
finish
