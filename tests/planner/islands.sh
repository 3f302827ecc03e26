#!/bin/sh
# SPDX-License-Identifier: MIT
# The islands from the command line: one plan for any number of threads and
# processes, the convergence log, Ctrl-C, processes that fail.
. tests/lib.sh
. tests/soon.inc
model=yaml/examples/model.yaml

# plan NAME OPTION...: $T/NAME.yaml and $T/NAME.csv by the genetic algorithm
plan() {
	name=$1
	shift
	perseus plan "$model" -p xeon-e5320 --objective=energy --method=genetic -o "$T/$name.yaml" \
		--log="$T/$name.csv" "$@" >"$T/$name.out" 2>&1
}
same() { cmp "$T/$1.yaml" "$T/$2.yaml" && cmp "$T/$1.csv" "$T/$2.csv"; }

it "islands search on one thread" plan t1 --threads=1
for n in 2 4 16; do
	it "and on $n" plan t$n --threads=$n
	it "with the same plan and log, byte for byte" same t1 t$n
done
it "so they do without being told how many" plan t0
it "and the plan is that one again" same t1 t0
it "another seed searches another way" plan s2 --seed=2
it "which the log shows" sh -c '! cmp -s "$1" "$2"' - "$T/t1.csv" "$T/s2.csv"

says '^search,epoch,evaluations,effort,time_ns,energy_pj,peak_mw,bound_time_ns,bound_energy_pj,diversity_permille,' \
	"the log names its columns" "$T/t1.csv"
it "each line has all of them, as whole numbers" awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }
	NR > 1 { for (i = 1; i <= NF; i++) if ($i !~ /^[0-9]+$/) exit 1 } END { if (NR < 3) exit 1 }' "$T/t1.csv"
it "epochs count up, the best never gets worse, nor beyond the bound" awk -F, 'NR == 1 { next }
	NR > 2 && ($2 != epoch + 1 || $3 < evaluations || $6 > best) { exit 1 } $6 < $9 { exit 1 }
	{ epoch = $2; evaluations = $3; best = $6 }' "$T/t1.csv"
exits 0 "a search by enumeration leaves one line" \
	perseus plan "$model" -p xeon-e5320 --objective=energy -o "$T/exact.yaml" --log="$T/exact.csv"
it "beside the names" sh -c 'test "$(wc -l <"$1")" -eq 2' - "$T/exact.csv"
exits 3 "a log that cannot be written is told" \
	perseus plan "$model" -p xeon-e5320 --objective=energy -o "$T/none.yaml" --log="$T/none/x.csv"
it "and no plan without its log" test ! -e "$T/none.yaml"
for n in 0 -1 x 1025 ''; do
	exits 2 "--threads='$n' is refused" perseus plan "$model" -p xeon-e5320 --threads="$n" -o "$T/none.yaml"
done

# catches PID SIGNAL: it takes the signal when it likes to, and is not ended by it
catches() {
	case $2 in INT) c_bit=0x2 ;; TERM) c_bit=0x4000 ;; esac
	[ $((0x$(sed -n 's/^SigBlk:[[:space:]]*//p' "/proc/$1/status") & c_bit)) != 0 ]
}
# interrupt SIGNAL COMMAND...: send it until the command has ended
interrupt() {
	signal=$1
	shift
	"$@" >"$T/out" 2>"$T/err" &
	pid=$!
	soon catches $pid $signal
	while kill -"$signal" $pid 2>/dev/null; do sleep 0.2; done
	wait $pid
}
for signal in INT TERM; do
	rm -f "$T/left.yaml"
	it "SIG$signal ends a search that would take for ever" interrupt $signal \
		perseus plan "$model" -p xeon-e5320 --objective=energy --method=genetic --evaluations=1000000000000 -o "$T/left.yaml"
	says '^left .*interrupted' "it is said that it was interrupted"
	exits 0 "the best design until then is a sound plan" perseus plan check "$T/left.yaml" -p xeon-e5320
	says 'interrupted' "which says so itself" "$T/left.yaml"
done
silent 'interrupted' "one that was not interrupted does not" "$T/t1.yaml"

# ---- processes ----
mkdir -p "$T/alone/bin"
cp "$O/bin/perseus" "$T/alone/bin/"
exits 3 "mpirun without the module is refused" env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 \
	"$T/alone/bin/perseus" plan "$model" -p xeon-e5320 -o "$T/none.yaml"
says 'libopenmpi-dev' "and the package that it needs is named"
exits 3 "the other processes are refused in silence" env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 \
	"$T/alone/bin/perseus" plan "$model" -p xeon-e5320 -o "$T/none.yaml"
silent . "so that it is said once"

if ! command -v mpirun >/dev/null || [ ! -e "$O/lib/perseus-mpi.so" ]; then
	skip "plans by several processes" "no OpenMPI here (Debian: libopenmpi-dev, openmpi-bin)"
	finish
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader,tcp
export OMPI_MCA_plm=isolated # this machine only: no remote shell is needed
mpi() { timeout 60 mpirun --oversubscribe "$@"; }
perseus_plan() { echo perseus plan "$1" -p xeon-e5320 --objective=energy --method=genetic; }
for n in 1 2 4; do
	it "$n processes make a plan" mpi -np $n $(perseus_plan "$model") -o "$T/r$n.yaml" --log="$T/r$n.csv"
	it "the same as one alone" same t1 r$n
done
sed 's/^program: .*/program: another/' "$model" >"$T/other.yaml"
# apart FIRST SECOND: two processes with other commands; mpirun's own `A : B` ends by a fault in Open MPI 5.0
apart() { mpi -np 2 sh -c 'if [ "$OMPI_COMM_WORLD_RANK" = 0 ]; then exec $1; else exec $2; fi' - "$1 -o $T/none.yaml" "$2 -o $T/none.yaml"; }
exits 4 "processes with different models are told so" apart "$(perseus_plan "$model")" "$(perseus_plan "$T/other.yaml")"
says 'process 1 of 2 has another model' "with the one that is different"
exits 4 "so are processes with different seeds" apart "$(perseus_plan "$model")" "$(perseus_plan "$model") --seed=2"
exits 4 "a model that one process cannot read ends all" apart "$(perseus_plan "$model")" "$(perseus_plan "$T/absent.yaml")"
says 'process 1 of 2: .*absent' "and it is said which"
exits 2 "a usage error is told once" mpi -np 2 perseus plan --objective=fun "$model"
it "not by each" sh -c 'test "$(grep -c -e "--objective=.*: expected" "$1")" -eq 1' - "$T/err"

# One of two is killed: the other one must not wait for ever.
rm -f "$T/pids"
orphan() {
	mpi -np 2 sh -c 'echo $$ >>"$1"; shift; exec "$@"' - "$T/pids" $(perseus_plan "$model") \
		--evaluations=1000000000000 -o "$T/none.yaml" &
	job=$!
	soon sh -c '[ "$(wc -l <"$1")" = 2 ]' - "$T/pids"
	soon catches "$(tail -1 "$T/pids")" INT
	kill -9 "$(tail -1 "$T/pids")"
	wait $job
	status=$?
	# mpirun's own status is 0 now and then, if it cannot reach a process any more; 124: it hung.
	[ $status -ne 124 ] || return 1
	for pid in $(cat "$T/pids"); do
		soon sh -c '! kill -0 "$1" 2>/dev/null' - "$pid" || return 1
	done
}
it "the death of one process ends all of them" orphan
it "and nothing was written" test ! -e "$T/none.yaml"
finish
