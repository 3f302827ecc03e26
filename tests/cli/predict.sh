#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus predict: predictions and refusals of tasks that make their figures up, tasks that fail, logs.
. tests/lib.sh
cd "$T" || exit 1
prog() { printf '#!/bin/sh\nn=$1\n%s\n' "$2" >"$1"; chmod +x "$1"; }
predict() { perseus predict measure --figure=cost --target=n=4096 --least=n=16 "$@"; }
json() { python3 -c "import json; d = json.load(open('out')); assert $1, d"; }

prog square 'echo "cost $((3 * n * n + 500))"'
exits 0 "a task is predicted" predict ./square {n}
says '^prediction: cost 5\.03[0-9]*e\+07 at n=4096 \(90 %: cost 5\.0[0-9]*e\+07 to cost 5\.0[0-9]*e\+07\)$' "with its interval"
says '^model: cost = 3 n\^2( \+ [0-9.]+)? \([0-9]+ %\)' "the model"
says '^rests on: [0-9]+ probes of [0-9]+ sizes, n=16 to n=[0-9]+, .* % of what is predicted' "and what it rests on"
exits 0 "... as JSON" predict --json ./square {n}
it "that is JSON" json 'd["schema"] == 1 and d["low"] <= 3 * 4096**2 + 500 <= d["high"] and d["cost_percent"] <= 5 and d["reason"] is None'
it "with the exponent" json '1.95 < d["growth"]["n"] < 2.05'
exits 0 "the environment has the size, too" predict sh -c 'echo "cost $((PERSEUS_PREDICT_n * PERSEUS_PREDICT_n))"'
prog grid 'echo "cost $((n * n * $2 + 40 * n))"'
exits 0 "two parameters" predict --target=m=100 --least=m=2 --json ./grid {n} {m}
it "... have a product" json 'abs(d["predicted"] / (4096**2 * 100) - 1) < 0.1'
exits 0 "a stream of predictions" predict --stream ./square {n}
says '^[0-9]+ probes: no prediction \(few-sizes\)$' "begins without one"
says '^[0-9]+ probes: 5\.0[0-9]*e\+07 \(90 %' "and goes on"
prog timed 'echo "operations $((n * n))"'
perseus predict measure --target=n=64 --least=n=2 --budget=1000 --counted=operations --json ./timed {n} >out 2>err
it "a count is modelled first" json 'd["count"] == "operations" and ("count_at_target" not in d or abs(d["count_at_target"] / 4096 - 1) < 0.05)'

# counters that a machine may not have: the default does without them, who asks for them is told
one_of() { codes=$1; shift; "$@" >out 2>err; case " $codes " in *" $? "*) ;; *) return 1 ;; esac; }
prog brief 'echo "cost $n"'
it "without counters time is modelled by itself" one_of '0 5' perseus predict measure --target=n=64 --least=n=2 --cpu ./brief {n}
it "... as --counted=none does" one_of '0 5' perseus predict measure --target=n=64 --least=n=2 --cpu --counted=none ./brief {n}
it "instructions that are asked for are counted or missed" one_of '0 3 5' perseus predict measure --target=n=64 --least=n=2 --counted=instructions ./brief {n}
it "... and no other option is named" sh -c '! grep -e --events err'

# regimes, each with its twin
prog appears 'd=0; [ "$n" -lt 100 ] || d=$((n * n)); echo "cost $((n * n))"; echo "denormals $d"'
exits 5 "a count that appears between probes is refused" predict --appears=denormals ./appears {n}
says '^no prediction: denormals is 0 at n=[0-9]+ and [0-9.]+ at n=[0-9]+: ' "with the sizes"
prog never 'echo "cost $((n * n))"; echo "denormals 0"'
exits 0 "one that never does is not" predict --appears=denormals ./never {n}
prog deep 'echo "cost $((n * n))"; echo "depth $((2 * n))"'
exits 5 "a level that will be passed is refused" predict --level=depth:4000 ./deep {n}
says '^no prediction: depth is [0-9.]+ at most in the probes and may be 8[0-9]{3}[0-9.]* at n=4096: beyond 4000 ' "with what it will be"
exits 0 "one that stays below is not" predict --level=depth:10k ./deep {n}
prog jumps 'c=$((n * n)); [ "$n" -lt 400 ] || c=$((3 * c)); echo "cost $c"'
exits 5 "costs that jump are refused" predict ./jumps {n}
says '^no prediction: ' "it says so"
exits 5 "... as JSON" predict --json ./jumps {n}
it "... which has the reason and no figure" json 'd["predicted"] is None and d["verdict"] == "no prediction" and d["reason"] and d["refusal"] in ("two-regimes", "not-foreseen")'
prog steady 'echo "cost $((n * n))"'
exits 0 "costs that do not are not" predict ./steady {n}
prog stops 'c=1; [ "$n" -lt 100 ] || c=0; echo "cost $((n * n))"; echo "done $c"'
exits 5 "what did not converge is refused" predict --converged=done ./stops {n}
says '^no prediction: the probe at n=[0-9]+ did not converge \(done 0\)' "with its size"
prog ends 'echo "cost $((n * n))"; echo "done 1"'
exits 0 "what did is not" predict --converged=done ./ends {n}
exits 5 "a budget for nothing gives nothing" perseus predict measure --figure=cost --target=n=20 --least=n=18 --budget=1 ./square {n}
says '^no prediction: [0-9]+ different sizes were run, at least 4 are needed$' "and says so"

prog falls 'echo "cost $((1000000 / n))"'
exits 5 "a figure that falls is refused" predict ./falls {n}
says '^no prediction: it falls as n grows, from ' "with its sizes"

prog quicker 'c=$((20 * n * n)); [ "$n" -lt 300 ] || c=$((200 * n)); echo "cost $c"'
exits 5 "so is one that falls once, where another algorithm begins" perseus predict measure --figure=cost --target=n=30000 ./quicker {n}
says '^no prediction: it falls as n grows, from ' "with its sizes"

prog stays 'echo "cost 1000"'
exits 0 "a figure that stays is not" predict ./stays {n}
says '^rests on: 8 probes of 8 sizes, n=16 to n=[1-9][0-9]{2,}, .*, [0-9]+ % of .*; no size was run twice$' "with sizes from small to large"

exits 0 "the target is run behind it when asked for" predict --run ./square {n}
says '^took: cost 5\.03[0-9]*e\+07, as predicted within 0\.1 %$' "in words"
says '; the target has [0-9.]+ times the n of the largest and takes [0-9.]+ times as much; ' "and what is how much larger is named"
silent 'e[-+][0-9]+ %' "percents are plain numbers"
exits 0 "... and as JSON" predict --run --json ./square {n}
it "that has what it took" json 'd["took"] == 3 * 4096**2 + 500 and d["cost_percent"] <= 5 and abs(d["predicted"] / d["took"] - 1) < 0.01'
exits 0 "without --run" predict --json ./square {n}
it "... it took nothing" json 'd["took"] is None'
exits 4 "a target that fails" predict --run --json sh -c '[ {n} -lt 4096 ] || exit 3; echo cost {n}'
it "... leaves its prediction" json 'd["took"] is None and d["predicted"] > 0'

# inputs
prog reads 'set -- $(wc -c <input); echo "cost $(($1 * $1 + 3))"'
exits 0 "a reducer makes the input" predict --reduce='head -c {n} /dev/zero >input' ./reads
says '^prediction: cost 1\.6[0-9]*e\+07' "... of each size"
prog heavy 'set -- $n $(cat "difficulty.$n"); echo "cost $(($1 * $1 * $2))"'
prog feature 'd=$((n * 7 % 19 + 15)); echo $d >difficulty.$n; echo "hard $d"'
exits 0 "features are parameters" predict --budget=20 --features='hard:./feature {n}' --json ./heavy {n}
it "... of the target as well" json 'd["target"]["hard"] == 4096 * 7 % 19 + 15 and abs(d["predicted"] / (4096**2 * d["target"]["hard"]) - 1) < 0.1'

# the log
exits 0 "a log is kept" predict --log=log ./square {n}
cp log whole
exits 0 "... and is enough" perseus predict --log=log --target=n=8192
says '^prediction: cost 2\.0[0-9]*e\+08 at n=8192' "for another size"
head -7 whole >part
printf '{"end": "ok", "at": [1' >>part
exits 0 "a log that was cut off goes on" predict --log=part ./square {n}
it "... to the same end" sh -c 'for f in whole part; do sed "s/\"seconds\": [^,]*//" $f >$f.plain; done; cmp whole.plain part.plain'
exits 3 "one that cannot be written is the machine's" predict --log=/nodir/x ./square {n}
exits 4 "a log of another task is refused" predict --log=part ./never {n}
says 'is the log of another task' "it says why"
exits 4 "a target that the log does not know is refused" perseus predict --log=whole --target=m=9
exits 4 "a log that is not there is missed" perseus predict --log=none --target=n=9
echo '{}' >bad
exits 4 "what is no log is refused" perseus predict --log=bad --target=n=9
prog interrupts 'kill -TERM $PPID; echo "cost $n"'
exits 143 "a signal ends it" predict --log=new ./interrupts {n}
says 'the same command goes on' "and says how it goes on"

# tasks that are of no use
prog fails '[ "$n" -lt 30 ] || exit 3; echo "cost $n"'
exits 4 "a task that fails is said" predict ./fails {n}
says 'the probe at n=[0-9]+ failed \(status 3\)' "with size and status"
prog hangs '[ "$n" -lt 30 ] || exec sleep 60; echo "cost $n"'
exits 4 "a task that never ends is ended" predict --timeout=1 ./hangs {n}
says 'the probe at n=[0-9]+ did not end in 1 s' "and said"
exits 4 "a task that prints nothing is said" predict true
says 'did not print all figures' "by what is missing"
for value in 0 -1 nan inf x; do
	prog odd "echo cost $value"
	exits 4 "a cost of $value is refused" predict ./odd {n}
done
prog silent 'echo "cost $n"'
exits 4 "a watched figure has to be there" predict --appears=denormals ./silent {n}
exits 4 "a reducer that fails is said" predict --reduce='exit 7' ./square {n}
says 'the command of --reduce ended with status 7' "with its status"
exits 4 "features have to be there" predict --features='hard:true' ./square {n}
exits 4 "a task that is not there is missed" predict ./not-there {n}
exits 2 "a name that is no parameter is an error of usage" predict ./square {m}
says '\{m\} in the command is no parameter of --target' "that names it"
exits 2 "... beside one that is" predict ./square {n} --size={m}
exits 2 "... in --reduce, where it is nearly one" perseus predict measure --figure=cost --target=size=64 --reduce='echo {size} {sise}' ./square {size}
exits 0 "braces of other languages are none" predict sh -c ': {n}; x=${PERSEUS_PREDICT_n}; echo "cost $(echo "$x" | awk "{print}")"'
exits 0 "probes above the budget are not hidden" perseus predict measure --figure=cost --log=whole --target=n=2500 ./square {n}
says 'the probes took .* % of what is predicted, above --budget=5$' "... but said"
exits 0 "a larger budget" perseus predict measure --figure=cost --log=whole --target=n=2500 --least=n=16 --budget=1000 ./square {n}
silent 'above --budget' "... is kept"

# finished tasks with other inputs: how hard an input is shows in small, the better the larger that is
prog input 'echo "cost $((n * $2 * 20 + ($2 * 7919 + n * 31) % 17 * $2 * 8))"'
exits 0 "without finished tasks" predict --history=past --run ./input {n} 3
says '^history: 0 finished tasks with other inputs of the 5 that are needed' "that is said"
says '^took: cost [0-9.e+]+, the prediction is [0-9.]+ % (less|more)$' "and the target is run when asked for"
for hard in 5 9 14 30; do predict --history=past --run ./input {n} $hard >out 2>err; done
exits 0 "with five" predict --history=past --json ./input {n} 21
it "... they foretell" json 'd["method"] == "history" and d["finished_tasks"] == 5 and d["low"] <= 4096 * 21 * 20 <= d["high"]'
it "... by one small size" json 'd["sizes"] == 1 and d["cost_percent"] <= 5'
it "... nearly as large as the budget allows" json 'd["cost_percent"] > 2.5'
it "... below the median, which is said as well" json 'd["low"] < d["predicted"] < d["median"] < d["high"]'
it "... since those who ran the target ran such sizes as well" sh -c 'for f in past/*.log; do grep -q "\"at\": \[ *[12][0-9][0-9] *\]" $f || exit 1; done'
exits 0 "... in words" predict --history=past ./input {n} 21
says '^history: 5 finished tasks with other inputs; cost follows cost at n=[0-9]+ \^ [01]\.[0-9]+; each is foreseen' "with how well"
silent '^model:' "without a model of growth"
exits 5 "an input that is unlike all of them is refused" predict --history=past ./input {n} 5000
says '^no prediction: the small run took .*: this is another kind of input' "with the range"
echo '{}' >past/x.log
exits 4 "what is no log is said" predict --history=past ./input {n} 21
says "'past/x.log' is no log of perseus predict" "by name"
rm past/x.log
exits 2 "a history needs runs" perseus predict --log=log --target=n=9 --history=past
for size in n=0 n=-3 n=inf n=nan n=x n= =3 n; do
	exits 2 "--target=$size is an error of usage" perseus predict measure --target="$size" ./square {n}
done
exits 2 "so is a size that is given twice" predict --target=n=3 ./square {n}
exits 2 "... a parameter that has no target" predict --least=m=3 ./square {n}
exits 2 "... a smallest size above the target" predict --least=n=5000 ./square {n}
exits 2 "... no task" perseus predict measure --target=n=9
exits 2 "... neither task nor log" perseus predict --target=n=9
exits 2 "... no target" perseus predict measure ./square {n}
exits 2 "... a word too many" perseus predict --log=log --target=n=9 ./square
exits 4 "a level needs its limit" predict --level=depth ./deep {n}
finish
