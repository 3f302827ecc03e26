# SPDX-License-Identifier: MIT
# make bench-predict-tasks: what perseus predict says of six regular tasks and seven whose work hangs on their data,
# beside what they take (CPU time); Extra-P's method on the same sizes; and the relaxation of the denormal research,
# which has to be refused.  The seven are predicted from EARLIER (20) finished tasks with other inputs, and alone; three
# of them are held out: nothing of the predictor was chosen by what they do.
# RUNS held-out runs of each regular target (20), SEEDS data of each other task (5),
# TASKS to run only some; COUNTS=1: operations, not CPU time, which a busy machine leaves as they are.
. tests/bench/lib.sh
runs=${RUNS:-20}
seeds=${SEEDS:-5}
earlier=${EARLIER:-20}
reruns=4
what="--cpu --counted=operations"
[ -z "$COUNTS" ] || { what=--figure=operations runs=1 reruns=1; export COUNTS; }
dir=tests/bench/predict-tasks
gcc -std=gnu11 -O2 -o "$T/task" $dir/*.c -lm || exit 3

# look NAME KIND N FROM SEED RUNS [OPTION...]: predict, run the target, a line for each run in $T/all:
# name kind seed predicted low high cost extra-p actual
look() {
	name=$1 kind=$2 n=$3 from=$4 seed=$5 times=$6
	shift 6
	rm -f "$T/log"
	perseus predict measure --target=n="$n" --least=n="$from" $what --log="$T/log" --json "$@" -- "$T/task" "$name" '{n}' "$seed" >"$T/out" 2>"$T/err"
	peer=$(python3 $dir/extrap.py "$T/log" "$n" 2>/dev/null) || peer=nan # it needs five sizes
	for _ in $(seq "$times"); do
		python3 $dir/judge.py run "$T/out" "$peer" "$name" "$kind" "$seed" "$T/task" "$name" "$n" "$seed" | tee -a "$T/all"
	done
}

# the size of each: some seconds, so that the start of a process (10 ms of CPU time where pages are dear) is not most
# of what probes may take
regular="stencil:1500:16 multiply:1600:16 fft:4000000:800 sort:18000000:3000 sparse:900:16 tree:250000:100"
data="solver:700:16 optimiser:100000:60 kmeans:2000000:300 register:900:16"
held="quadrature:5000000:300 paths:1500:16 sat:1200000:300"
for t in ${TASKS:-$regular}; do
	IFS=: read -r name n from <<-E2
		$t
	E2
	case " $regular " in *" $t "*) look "$name" regular "$n" "$from" 1 "$runs" ;; esac
done
for t in ${TASKS:-$data $held}; do
	IFS=: read -r name n from <<-E2
		$t
	E2
	case " $data " in *" $t "*) group=data ;; *) group=held ;; esac
	case " $data $held " in *" $t "*) ;; *) continue ;; esac
	for seed in $(seq 101 $((100 + earlier))); do
		perseus predict measure --target=n="$n" --least=n="$from" $what --converged=converged --history="$T/$name.past" \
		  --run -- "$T/task" "$name" '{n}' "$seed" >/dev/null 2>&1
	done
	for seed in $(seq "$seeds"); do
		look "$name" alone "$n" "$from" "$seed" 1 --converged=converged
		look "$name" $group "$n" "$from" "$seed" $reruns --converged=converged --history="$T/$name.past"
	done
done
refused=0
for n in 512 1024; do
	perseus predict measure --target=n=$n --least=n=24 --cpu --counted=operations --appears=denormals --level=depth:126 -- "$T/task" jacobi '{n}' >"$T/out" 2>&1
	[ $? = 5 ] && refused=$((refused + 1))
	head -1 "$T/out" | sed "s/^/# jacobi at n=$n: /"
done
python3 $dir/judge.py figures "$T/all" >"$T/figures"
grep '^#' "$T/figures"
figure predict.regular.median "$(value predict.regular.median)" 10 "percent, $(value regular.tasks) tasks of which $(value regular.refused) refused"
figure predict.regular.worst "$(value predict.regular.worst)" 30 "percent"
figure predict.data.mean "$(value predict.data.mean)" 20 "percent, $(value data.tasks) tasks of which $(value data.refused) refused"
figure predict.data.alone_mean "$(value predict.data.alone_mean)" "" "percent, without finished tasks; of $(value alone.tasks) $(value alone.refused) refused"
figure predict.data.worst "$(value predict.data.worst)" 80 "percent"
figure predict.held.mean "$(value predict.held.mean)" 20 "percent, programs by which nothing was chosen, $(value held.tasks) tasks of which $(value held.refused) refused"
figure predict.held.worst "$(value predict.held.worst)" 80 "percent"
figure predict.cost_percent "$(value predict.cost_percent)" 5 "all probes, of all predicted work"
figure predict.peer.median "$(value predict.peer.median)" "" "percent, Extra-P's method on five of the sizes, regular tasks; on data-dependent ones $(value predict.peer.data_mean) on average"
echo "predict.jacobi_refused $refused" >>"$T/figures"
at_least predict.interval_percent 85 "of $(value all.runs) held-out runs"
at_least predict.jacobi_refused 2 "of 2 sizes"
finish_bench
