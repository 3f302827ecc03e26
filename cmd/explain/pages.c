/* SPDX-License-Identifier: MIT */
#include "cmd/explain/pages.h"

#include <stddef.h>

static const struct explain_page pages[] = {
	{"share", "false sharing: threads fight for a cache line without sharing data",
	 "A cache line is 64 bytes.  A core that writes one byte of it must own the whole\n"
	 "line, so two threads that write different variables in one line take it from\n"
	 "each other again and again, although neither needs what the other writes.\n"
	 "\n"
	 "Found by: perseus record --purpose=sharing PROGRAM; perseus conflicts.\n"
	 "Judged by what the accesses to the line cost (perseus calibrate; without prices by\n"
	 "their rate), and by the bytes that each side touches: if fewer than every tenth\n"
	 "access of a side uses bytes that the other one uses as well, it is false sharing.\n"
	 "\n"
	 "Remedies, best first\n"
	 "  pad or align the fields so that each writer has a line of its own:\n"
	 "      struct { _Alignas(64) atomic_long rx; _Alignas(64) atomic_long tx; };\n"
	 "  let the compiler do it by a plan, without a change of the source: explain layout\n"
	 "  count in a local variable and add the total once\n"
	 "  run both threads on one core (perseus plan): no source change, but the two can\n"
	 "      no longer run at the same time\n"},
	{"true-sharing", "true sharing: threads need the same bytes",
	 "Both sides touch the same bytes, and at least one writes.  Padding cannot help:\n"
	 "the data really travels.  Share less (a counter per thread, summed when read),\n"
	 "share more rarely (batches), or let both threads run on one core or on cores\n"
	 "with a common cache (perseus plan weighs that).\n"},
	{"layout", "layouts: fields and variables that the compiler puts on lines of their own",
	 "perseus conflicts --plan=FILE writes a layout for each false sharing that one ends:\n"
	 "which field or variable begins a line, the sizes before and after, the bytes it costs\n"
	 "and what relied on the old layout.  perseus codegen FILE -o DIR and a build with\n"
	 "perseus build --plan=DIR/perseus_triggers.plan apply it in every unit; the source stays.\n"
	 "A unit in which it cannot be applied, or which hands the bytes of the type to a file,\n"
	 "a socket or memcmp(), is an error with its reason.\n"
	 "\n"
	 "perseus verify compares all objects of the program with the plan: units that were\n"
	 "compiled without it have the old layout, which no compiler can see.\n"
	 "perseus conflicts --patch makes the same change in the source instead.\n"},
	{"guard", "guards: false sharing that was mended stays mended",
	 "perseus conflicts --guard=FILE writes what was found: members, elements or variables,\n"
	 "and the threads that use them.  A build with perseus flags --guard=FILE warns\n"
	 "(-Wperseus-sharing) where two of them that different threads use lie on one line again;\n"
	 "--arg=warn=error=sharing makes an error of it.  The object is the plain one.\n"
	 "Whoever does not want to be warned of a finding any more takes its lines out of FILE.\n"},
	{"denormal", "denormals: numbers so small that they lose digits",
	 "A denormal (subnormal) number has an exponent field of 0: below 1.2e-38 for float,\n"
	 "2.2e-308 for double.  Many processors compute with them by microcode, 10 to 150 times\n"
	 "slower; others take a cycle more.  They appear where values die out: edges of a\n"
	 "stencil, tails of filters.  What makes the first one of a chain is a birth.\n"
	 "\n"
	 "Counted by: perseus record --purpose=denormal PROGRAM, built with probe=denormal;\n"
	 "perseus denormals.  A count of 0 is believed only if code with counters ran, and if\n"
	 "flush-to-zero and denormals-are-zero were off.\n"
	 "\n"
	 "Remedies, best first\n"
	 "  none, if `cost` says harmless: perseus calibrate measures what they cost here\n"
	 "  a threshold where they are born: x = fabsf (x) < 1e-20f ? 0.0f : x;\n"
	 "  flush to zero round the function that makes them, with the register put back\n"
	 "  flush to zero in the whole program (-ffast-math does so, and more): results\n"
	 "      change wherever small differences matter, x == y is no longer x - y == 0\n"},
	{"region", "regions: what lies between the probes of a call",
	 "A pair of probes times what lies between them, which should be the call alone.\n"
	 "perseus sites --check PROGRAM follows the linked code from probe to call to probe;\n"
	 "a finding is an instruction there that does more than hand over arguments and\n"
	 "results: a division, a call of something else, a load or store of the program.\n"
	 "\n"
	 "Times of that call are too long by what the instruction takes.  If the compiler put\n"
	 "it there, compute the argument into a variable before the call, or report it; if\n"
	 "the file was changed after the link, build it again.\n"},
	{"wait", "waits: a thread stands still until another one acts",
	 "A wait finding names who waits (thread and call site), for what (mutex, condition\n"
	 "variable, barrier, join, semaphore, pipe, ...), for whom, and what share of the run\n"
	 "it costs.  Only waits that really blocked are counted; a lock taken at once is none.\n"
	 "perseus waits shows them all.\n"
	 "\n"
	 "Long barrier waits mean unequal work: deal it differently, or let `perseus plan`\n"
	 "put two short threads on one core.  Long mutex waits mean a section that is too\n"
	 "long or too popular.\n"},
	{"queue", "queues: threads of which one feeds the other",
	 "A queue finding names two groups of threads, the object between them (the mutex of\n"
	 "its conditions, a semaphore, a pipe), and how long each side waits for the other.\n"
	 "The side that is waited for is the slow one: more threads or less work per item\n"
	 "there.  If both wait little, the two are balanced.\n"
	 "\n"
	 "Found by: perseus waits.\n"},
	{"phase", "phases: stretches of a run between global synchronisations",
	 "A phase ends where the set of running threads changes (create, join) or where a\n"
	 "barrier lets them go on.  Repeated stretches that look alike are one phase with a\n"
	 "repeat count.  A program without such events has one phase.\n"
	 "\n"
	 "`perseus analyze` rejects a phase whose threads or work differ between the runs\n"
	 "it was given, and says so: a plan for it would be a guess.\n"},
	{"trigger", "triggers: the calls that carry out a plan",
	 "A trigger is a generated C function, perseus_trigger_NNNN(), that the plugin calls\n"
	 "at a program start, a thread start, or before or after one call site.  It moves\n"
	 "the calling thread to its planned core or sets a frequency step, and does nothing\n"
	 "in any other thread, on any other visit, or on another machine.\n"
	 "\n"
	 "  perseus codegen plan.yaml -o DIR    writes them, with the reason of each\n"
	 "  perseus verify plan.yaml PROGRAM --sources DIR\n"
	 "                                      checks that the program has these, and only these\n"},
	{"thread", "thread instances: how a plan names a thread",
	 "Not by number of arrival, which differs from run to run, but by the path of its\n"
	 "creation: creating thread, creating call site, and how many threads that creator\n"
	 "made there before.  main is thread 0.  Threads of a pool whose tasks change from\n"
	 "run to run keep their name but cannot be planned; the model says which and why.\n"},
	{"baseline", "baseline: what a plan is compared with",
	 "`spread` (default) deals the threads alternately to the packages, each to a core\n"
	 "of its own while there are any, by all that it does in the run, at the highest\n"
	 "frequency step.  `os`, `pack` and `random` can be asked for; none depends on the\n"
	 "kind of plan.  A plan is never worse than its baseline under the same evaluator,\n"
	 "with the cost of its triggers included.  What the operating system really does\n"
	 "differs: `perseus prove` measures against that.\n"},
	{"bound", "bound: what no plan can beat",
	 "The sum over the phases of the best time or energy of each, without the cost of\n"
	 "changing between them.  A plan close to it leaves nothing to search for.  `proven`\n"
	 "means that every placement was tried, up to symmetry of the machine.\n"},
	{"inflated", "inflated times: why a sharing run gives no times",
	 "Memory probes look at every access that may be shared, so the program takes longer\n"
	 "and not evenly so.  Counts, bytes and transfers are right; times are not.  Record\n"
	 "twice, and join the runs by site and phase:\n"
	 "  perseus record ./prog; perseus record --purpose=sharing ./prog\n"
	 "  perseus analyze @last-timing @last-sharing -o model.yaml\n"},
	{"probes", "built without -fplugin=perseus.so",
	 "The program has no section .perseus.sites: it was compiled without the plugin, so\n"
	 "there is nothing to record.  Build it again with\n"
	 "  CFLAGS=\"-O2 -g $(perseus flags --cflags)\"\n"
	 "and the same for CXXFLAGS.  With -flto the flag must also be given when linking.\n"
	 "Libraries that were not rebuilt are shown as time in libraries without probes.\n"},
	{"static", "statically linked programs",
	 "The runtime normally comes in by LD_PRELOAD, which a static program ignores.  Link\n"
	 "it: `perseus flags --libs --static` prints what to add.  Without the runtime the\n"
	 "probes stay disabled and the program behaves as ever.\n"},
	{"incomplete", "incomplete runs",
	 "The program was killed, the disk was full, or the recorder ended early.  What was\n"
	 "written before is whole: every thread publishes its counts as it goes.  `report`\n"
	 "shows it and exits with 4; `analyze` wants --partial, since the missing end may\n"
	 "hold phases that a plan would then ignore, and exits with 4 all the same.\n"},
	{"outside", "time outside of the program's own code",
	 "Thread time is in one of three places, beside waiting.\n"
	 "Own code: functions of modules that were compiled with probes, and the functions\n"
	 "that threads start in.\n"
	 "Libraries without probes: calls from own code of functions that no such module\n"
	 "defines, the C library's among them.  The callee is named; what happens inside is\n"
	 "not seen, sharing neither.  If it is much, build that library with the plugin.\n"
	 "Unknown: threads that no function with a name started, as those of libraries.\n"
	 "A static library without probes counts as own code of the program it is linked to.\n"},
	{"prove", "how `perseus prove` decides",
	 "A and B run in pairs, in random order within a pair, so that a slow minute hits\n"
	 "both.  The median of the ratios B/A gets a 95 % interval from 10,000 bootstrap\n"
	 "samples of whole pairs.  Proven: all of the interval is below 1 (or below\n"
	 "--expect-ratio).  Refuted: all of it is above.  Else inconclusive, as always when\n"
	 "others used more than --max-load of the machine meanwhile.\n"},
	{"exit", "exit codes of all verbs",
	 "  0    done; for verify, prove: equal, proven.  What only reads and shows ends with 0\n"
	 "  1    a finding fails by --fail-on, a mismatch, refuted, a limit that cannot be kept\n"
	 "  2    the command line is wrong\n"
	 "  3    this machine or set-up cannot do it; perseus doctor says more\n"
	 "  4    data is missing, incomplete or corrupt\n"
	 "  5    inconclusive\n"
	 "perseus record and perseus ctl run exit with the program's status, 128 + N if signal N\n"
	 "ended it, and 125 if they failed themselves.\n"},
	{"ctl", "control: frequencies and cores on loan from perseusd",
	 "perseusd lends what needs root: a frequency range of some cpus, or the cpus\n"
	 "themselves.  A loan is a lease.  It ends when the program gives it back, at its\n"
	 "time to live, when the connection or the process ends, and when the daemon does,\n"
	 "however that comes about; then everything is as it was before.\n"
	 "\n"
	 "A clock belongs to one lease at a time, and so does a reserved core: whoever comes\n"
	 "second is refused and told who came first.  One process may hold the cores while\n"
	 "another of the same user, a planned program for instance, holds their frequencies.\n"
	 "\n"
	 "  perseus ctl status                     what can be lent, and who has it\n"
	 "  perseus ctl run --cpus 2-3 --khz 2.4GHz -- ./bench     at one frequency\n"
	 "  perseus ctl run --cpus 2-3 --reserve -- ./bench        with nobody else there\n"
	 "  perseus doctor                         what is missing for that, and the remedy\n"},
	{"ctl-busy", "refused: another lease holds it",
	 "The message names the holder: process, user, the hash of its plan, and how long its\n"
	 "lease still runs.  Nothing was changed for either of you.\n"
	 "\n"
	 "Wait for its end, end it, or take other cpus; perseus ctl status shows those that are\n"
	 "free.  A program built from a plan leases its frequencies by itself: run it under\n"
	 "`perseus ctl run --reserve` without --khz, or it is refused by its own parent.\n"},
	{"ctl-range", "refused: cpus, range or time cannot be had",
	 "bad-cpus        none, or one that is not there; the message names it\n"
	 "part-of-policy  cpus that share a clock are leased together: the message says which\n"
	 "bad-range       no frequency of the range is inside the limits of these cpus\n"
	 "bad-ttl         a longer time than perseusd.conf (max-ttl) admits\n"
	 "\n"
	 "The limits are in the message and in perseus ctl status.\n"},
	{"ctl-not-allowed", "refused: not to this user, or too much of it",
	 "not-allowed  perseusd.conf says who may set frequencies (frequency-users: everybody\n"
	 "             if it is not there), who may reserve cores (reserve-users: only root),\n"
	 "             and which cpus are lent (cpus: all); the message says which it was\n"
	 "limit        too many connections (max-clients), or too many leases of one program\n"
	 "rate         too many requests in a second; perseus waits and asks again\n"
	 "\n"
	 "Who may talk to perseusd at all is who may open its socket: the members of its group.\n"},
	{"ctl-no-frequency", "refused: this machine or its kernel does not do it",
	 "no-frequency  perseusd found neither /dev/perseus nor cpufreq when it started; virtual\n"
	 "              machines mostly have none\n"
	 "no-reserve    it found no cgroup hierarchy with cpusets that it may change\n"
	 "no-energy     it has no counter of joules, or tells nobody (energy-users)\n"
	 "refused       the kernel said no; the message carries its error\n"
	 "\n"
	 "perseus doctor names what is missing and the remedy.  What was added afterwards is\n"
	 "seen when perseusd starts again: it opens all it may touch before it gives up root.\n"},
	{"ctl-not-held", "not honoured: accepted, but something else is in force",
	 "The kernel took the request, and reading it back gave another range.  Somebody\n"
	 "stronger limits these cpus: temperature or power limits, firmware, a driver that\n"
	 "chooses by itself, or a tool that writes cpufreq's files behind perseusd's back.\n"
	 "\n"
	 "perseus ctl query CPU shows what is in force now.  A run that asked for a frequency is\n"
	 "not started without it, unless --best-effort is given.  perseus calibrate says of each\n"
	 "step whether it changes the speed of a timed loop, and leaves out those that do not.\n"},
	{"ctl-lost", "a lease that ended before its time",
	 "stopping  the daemon is ending, and takes no more requests\n"
	 "no-lease  the lease has ended: its time ran out, or the daemon was started anew\n"
	 "\n"
	 "What the lease held is as it was before.  The program goes on, unheld: `perseus ctl\n"
	 "run` says so at once, and ends with 125 if the program itself succeeds.  Figures that\n"
	 "were measured meanwhile are of a machine that changed under them.\n"},
	{"ctl-protocol", "refused: the message itself",
	 "bad-size, bad-magic, bad-version, bad-op, bad-field: no message that this daemon knows,\n"
	 "mostly because it is of another version than perseus or the generated code.\n"
	 "bad-session, not-peer: sent before the greeting, or by another process than the one\n"
	 "that connected; a forked child opens a connection of its own.\n"
	 "\n"
	 "Install both from one tree (make install), then, as root: systemctl restart perseusd.\n"},
	{"doctor-compiler", "doctor: compiler",
	 "The plugin is built for one major version of GCC, since its interface changes with\n"
	 "each.  Build with that gcc, or build perseus with yours: it needs the package\n"
	 "gcc-N-plugin-dev.  Clang cannot load GCC plugins.\n"},
	{"doctor-versions", "doctor: versions",
	 "A build may call any gcc-N.  With -fplugin one without a back end stops with an\n"
	 "error; below `perseus build` it compiles without probes, and is counted.\n"},
	{"doctor-build", "doctor: build",
	 "perseus build puts perseus-cc1 in the place of GCC's compilers proper.  It belongs\n"
	 "into libexec/perseus, with the folder gcc of links to it.\n"},
	{"doctor-plugin", "doctor: plugin",
	 "-fplugin=perseus.so is a library name: the dynamic linker must find it.  After\n"
	 "`make install` to /usr/local it does; with another prefix use the full path that\n"
	 "`perseus flags` prints.\n"},
	{"doctor-clock", "doctor: clock",
	 "Times come from the time-stamp counter if it is invariant (same speed in every\n"
	 "state of the processor).  If not, clock_gettime() is read, at a higher cost per\n"
	 "call; nothing else changes.\n"},
	{"doctor-counters", "doctor: hardware counters",
	 "Cycles and instructions come from perf_event_open().  Without it, work is CPU time\n"
	 "times a calibrated frequency.  Remedies: sysctl kernel.perf_event_paranoid=1 (as\n"
	 "root), or let the virtual machine have a PMU.\n"
	 "`perseus doctor --events` tries each event there is, `perseus record --events=LIST`\n"
	 "counts them by thread, function and phase.  How they are read goes by what it costs:\n"
	 "rdpmc below 50 ns, else read(2) once per millisecond and thread, else not at all.\n"},
	{"doctor-sampling", "doctor: memory sampling",
	 "Hardware that samples memory accesses (IBS, PEBS) is not needed: sharing is found\n"
	 "by probes that the compiler puts in, on any machine.\n"},
	{"doctor-energy", "doctor: energy",
	 "Joules need a meter: a counter (RAPL) that a virtual machine does not have and that\n"
	 "needs root elsewhere, a sensor, or the file of an external one (perseus record\n"
	 "--energy --meter=FILE).  Without it joules are modelled (perseus report --energy\n"
	 "--energy-model=FILE) or absent, and it is said which.  `perseus plan\n"
	 "--objective=energy` needs a platform file with watts in it; times can always be\n"
	 "planned.\n"},
	{"doctor-frequency", "doctor: frequency",
	 "Plans may lower the frequency of cores that have nothing to do.  That needs cpufreq\n"
	 "on the target machine, and somebody who may set it: perseusd (perseus explain ctl), or\n"
	 "write access to its files.  Without it plans can still be made, and triggers act on\n"
	 "affinity alone and count what they could not do.\n"},
	{"doctor-daemon", "doctor: perseusd",
	 "perseusd lends frequencies and cores to programs of ordinary users, and takes them\n"
	 "back whatever happens (perseus explain ctl).  Recording and planning need it not;\n"
	 "a program whose plan sets frequencies does, unless it runs as root.\n"
	 "\n"
	 "Not installed: make install, as root, then systemd-sysusers, which makes the user and\n"
	 "the group perseus (without it: groupadd --system perseus, useradd --system -g perseus\n"
	 "perseus).  Not running: systemctl enable --now perseusd.socket.  No permission:\n"
	 "usermod -aG perseus USER, then log in again, since groups are read at log-in; if the\n"
	 "group was made after perseusd started, restart it.  Nothing to this user: see\n"
	 "frequency-users and reserve-users of perseusd.conf.\n"},
	{"doctor-module", "doctor: the kernel module",
	 "The module perseus.ko asks the kernel's own frequency arbitration for limits.  With it\n"
	 "the kernel itself takes a request back, even if perseusd and its guard are killed at\n"
	 "once, and other tools' limits keep their say.  Without it perseusd writes cpufreq's\n"
	 "files, and a second process puts them back.  It is never needed for recording.\n"},
	{"doctor-reserve", "doctor: reserving cores",
	 "Cores are reserved by cgroups: with v2 (Linux 6.1 or later) by an isolated partition,\n"
	 "from which the kernel keeps everybody else and its load balancing away; with v1 by an\n"
	 "exclusive cpuset, everybody else being moved into another one meanwhile.  perseusd does\n"
	 "it on request (perseus ctl run --reserve); interrupts and kernel threads bound to these\n"
	 "cores stay there.\n"},
	{"doctor-affinity", "doctor: affinity",
	 "The cores that this process may use (taskset, cpuset, container).  Plans made here\n"
	 "use only these.  With one core nothing can be in conflict, and prices of shared\n"
	 "lines cannot be calibrated.\n"},
	{"doctor-clang", "doctor: clang",
	 "Clang accepts -fplugin for plugins of its own, cannot load this one, and in some\n"
	 "versions says nothing.  Make sure that CC and CXX are gcc and g++ in the build that\n"
	 "is to be recorded; `perseus sites PROGRAM` shows whether probes are in it.\n"},
	{"doctor-runtime", "doctor: runtime",
	 "libperseus-rt.so is what `perseus record` preloads.  It lies beside the other parts\n"
	 "of the installation; if it is missing, install again (make install).  Its path must\n"
	 "not hold a blank or a colon, since LD_PRELOAD takes neither.\n"},
	{"doctor-verifiers", "doctor: verifiers",
	 "perseus-verify, perseus-source-check and perseus-plan-check are programs of their\n"
	 "own, so that the tools that make a plan and its code need not be trusted. `perseus\n"
	 "verify` and `perseus plan check` run them.  If they are missing, install again.\n"},
	{"doctor-load", "doctor: load",
	 "Other programs take cores away and move threads about: times vary, and calibrated\n"
	 "prices are too high.  Counts, sharing and plans are not affected by load alone;\n"
	 "`perseus prove` gives no verdict while it lasts.\n"},
	{NULL, NULL, NULL},
};

const struct explain_page *explain_pages(void)
{
	return pages;
}
