#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus doctor: this machine, fake machines, and an installation with a part missing.
. tests/lib.sh

machine() { [ -d "$T/$1" ] || tests/sysroot/make "$1" "$T/$1"; }

exits 0 "a machine on which programs can be recorded gives 0" perseus doctor
says '^compiler +gcc [0-9.]+, back end perseus-gcc[0-9]+ found +ok$' "the compiler and its back end are named"
says '^plugin .* (ok|limited)$' "the plugin was tried"
says '^runtime .* ok$' "the runtime was found"
says '^Nothing stops you from recording' "the verdict comes last"
it "no line is longer than 80 columns" awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' "$T/out"

machine vm-2
exits 0 "a virtual machine is described from its files" perseus doctor --sysroot "$T/vm-2"
says '^frequency +no cpufreq' "no cpufreq: said"
says 'none in a virtual machine: plan for another with --platform' "and what can be done without"
silent 'modprobe acpi-cpufreq' "nothing is prescribed that gives the guest none"
says '^energy +no RAPL in this virtual machine' "no RAPL: said"
says '^affinity +2 of 2 cores usable, 1 package' "its cores are counted"

machine smt-64
exits 0 "a server with everything" perseus doctor --sysroot "$T/smt-64"
says '^frequency +intel_pstate, governor performance, 3 steps .* ok$' "its frequency control is ok"
says '^energy +RAPL zones can be read: package-0; joules by perseus +ok$' "its energy counters are ok"
says '^sampling +data addresses can be sampled \(ibs_op\)' "its sampling unit is named"
says '^affinity +8 of 128 cores usable, 2 packages' "the affinity mask is respected"
silent 'modprobe' "nothing is prescribed that is not missing"

machine locked-4
exits 0 "a locked-down container can still record" perseus doctor --sysroot "$T/locked-4"
says 'sysctl kernel.perf_event_paranoid=2' "closed counters: the exact remedy"
says 'RAPL zones are there, but not readable' "locked RAPL is told from absent RAPL"
says '^clock +the kernel.s clock source is hpet +limited' "a distrusted TSC is named"
says '^affinity +1 of 4 cores usable.*limited$' "one core is a limit"

# Meters of other kinds, the best that can be read first.
meters() { cp -r "$T/vm-2" "$T/$1"; mkdir -p "$T/$1/sys/class/hwmon/hwmon0"; echo chip >"$T/$1/sys/class/hwmon/hwmon0/name"; }
meters sensor
echo 5000000 >"$T/sensor/sys/class/hwmon/hwmon0/power1_input"
perseus doctor --sysroot "$T/sensor" >"$T/out"
says '^energy +power sensors \(hwmon\) can be read: chip power1, for +ok$' "a sensor of power is named"
echo 5000000 >"$T/sensor/sys/class/hwmon/hwmon0/power2_input"
perseus doctor --sysroot "$T/sensor" >"$T/out"
says '^energy +power sensors .* are there, but none is known to be +limited$' "of two nobody knows which is the processor's"
says 'perseus record --energy --meter=FILE' "with what helps"
cp -r "$T/sensor" "$T/both"
mkdir -p "$T/both/sys/class/powercap/intel-rapl:0"
echo package-0 >"$T/both/sys/class/powercap/intel-rapl:0/name"
echo 1 >"$T/both/sys/class/powercap/intel-rapl:0/energy_uj"
perseus doctor --sysroot "$T/both" >"$T/out"
says '^energy +RAPL zones can be read: package-0' "beside them RAPL is better"

exits 0 "JSON for programs" perseus doctor --json
says '"schema": 1' "it carries its schema number"
says '"can_record": true' "and the verdict"
if command -v python3 >/dev/null; then it "it is JSON" python3 -m json.tool "$T/out"; else skip "it is JSON" "no python3"; fi

mkdir -p "$T/alone/bin"
cp "$O/bin/perseus" "$T/alone/bin/"
exits 3 "an installation without its parts cannot record: 3" "$T/alone/bin/perseus" doctor
says '^runtime .* broken$' "the missing runtime is named"
says '^Recording is impossible here' "the verdict says so"
says 'make install' "with the remedy"
exits 3 "the same in JSON" "$T/alone/bin/perseus" doctor --json
says '"can_record": false' "JSON agrees"

mkdir "$T/nogcc"
for tool in sh awk; do ln -s "$(command -v $tool)" "$T/nogcc/$tool"; done
exits 3 "no compiler at all: 3" env PATH="$T/nogcc" "$O/bin/perseus" doctor
says '^compiler +gcc cannot be run: No such file' "the compiler is what is missing"

exits 2 "an unknown option is a usage error" perseus doctor --frobnicate
says 'doctor --help' "that names the help"
exits 2 "an argument is a usage error" perseus doctor now
exits 2 "a sysroot without a machine is a usage error" perseus doctor --sysroot "$T/alone"
finish
