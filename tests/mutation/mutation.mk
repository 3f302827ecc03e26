# SPDX-License-Identifier: MIT
# make check-mutation: seeded faults between a plan and the program that flies;
# every one has to be noticed, and nothing harmless may be.  tests/mutation/
# sample.sh, a part of it, belongs to `make check`.
#   PYTHONDONTWRITEBYTECODE is set: nothing is written into the tree.
#   MUTATE='--seed 7 --class ^bin --list'    other faults: see mutate.py --help
.PHONY: check-mutation ## seeded faults between plan and program: all have to be noticed
.PHONY: check-elf-random ## COUNT random changes of planned programs
check-mutation: all
	@PYTHONDONTWRITEBYTECODE=1 tests/mutation/mutate.py --build $(abspath $(O)) --faults 700 --harmless 128 --jobs 2 $(MUTATE)

# Random changes of planned programs; those that verify calls equal are run.
#   COUNT=10000 SEED=7    how many, and others
check-elf-random: all
	@COUNT=$(or $(COUNT),10000) SEED=$(or $(SEED),1) JOBS=2 O=$(abspath $(O)) sh tests/mutation/elf-random.sh
