#!/bin/sh
# SPDX-License-Identifier: MIT
# The module, and what is built on it, in a guest: Debian's kernel in QEMU with an
# emulated processor, a fake frequency driver, and tests/kmod/guest.c as process 1.
# No privilege is needed.  RANDOM_SECONDS: how long random requests run in the guest.
# FULL=1: the same with one line of the module spoiled, which the guest must find.
. tests/lib.sh
. tests/kmod/judge.inc
vm=$O/kmod

for tool in qemu-system-x86_64 xz dpkg-deb; do
	command -v $tool >/dev/null || { skip "the guest" "no $tool (Debian: apt-get install qemu-system-x86 xz-utils)"; finish; }
done
release=$(tests/kmod/kernel "$vm" 2>"$T/err") || { skip "the guest" "$(head -n 1 "$T/err")"; finish; }
echo "# Debian's kernel $release"

it "the module and its fake driver build without a warning" tests/kmod/build "$release" "$vm/module"
it "perseusd builds without a C library of the guest's" make -s O="$O" "$O/sbin/perseusd.static"
number=0
for way in perseusd device cpufreq; do
	number=$((number + 1))
	it "a program with frequency steps by $way is generated" \
		perseus codegen tests/codegen/programs/steps.yaml --frequency=$way -o "$T/$way.d"
	it "and built" gcc -O2 -static -DPERSEUS_STATIC -I"$T/$way.d" -Wl,--wrap=pthread_create -o "$T/steps$number" \
		tests/codegen/programs/steps.c "$T/$way.d/perseus_triggers.c" "$T/$way.d/perseus_platform_linux.c" -pthread
done
it "the guest's program builds" gcc -std=gnu11 -O2 -D_GNU_SOURCE -I. -Iinclude -Wall -Wextra -static -s -o "$T/init" \
	tests/kmod/guest.c tests/kmod/guest-module.c tests/kmod/guest-race.c tests/kmod/guest-control.c "$O/daemon.a" -lpthread
it "its file system's maker builds" gcc -std=gnu11 -O1 -Wall -Wextra -o "$T/pack" tests/kmod/pack.c
# pack INITRD MODULE: with a user whom perseusd becomes
printf 'root:x:0:0::/:/bin/sh\nperseus:x:7701:7701::/:/bin/false\n' >"$T/passwd"
pack() {
	"$T/pack" "$1" "init=$T/init" "perseus.ko=$2" "sbin/perseusd=$O/sbin/perseusd.static" \
		"bin/steps1=$T/steps1" "bin/steps2=$T/steps2" "bin/steps3=$T/steps3" "etc/passwd=$T/passwd" \
		"fake-cpufreq.ko=$vm/module/fake-cpufreq.ko" "fake-powercap.ko=$vm/module/fake-powercap.ko"
}
it "its file system is made" pack "$T/initrd" "$vm/module/perseus.ko"
# What DKMS is given has all that it needs.
it "the sources for DKMS are laid out" make -s -C kmod dkms-tree DESTDIR="$T/dkms"
it "and build alone" make -s -C "$T/dkms/usr/src/perseus-0.1.0" KDIR="/usr/src/linux-headers-$release"
[ $tap_bad = 0 ] || finish

mkdir "$T/run"
tests/kmod/boot "$vm/vmlinux-$release" "$T/initrd" "$T/run" "${BOOT_SECONDS:-240}" "fuzz_seconds=${RANDOM_SECONDS:-1}"
relay "$T/run"
it "the guest ran to its end, and its kernel was well" well "$T/run"

# The judge's twins: what it must not let pass.
spoiled() { rm -rf "$T/spoiled" && cp -r "$T/run" "$T/spoiled" && sed -i "$2" "$T/spoiled/$1" && ! well "$T/spoiled"; }
it "a guest without its last line is not well" spoiled results.log '$d'
it "nor one with fewer results than it planned" spoiled results.log '0,/^ok/{/^ok/d}'
it "nor one with a failed result" spoiled results.log '0,/^ok/s/^ok/not ok/'
it "nor a kernel that warns" spoiled kernel.log '$a [    9.0] WARNING: CPU: 2 PID: 1 at kernel/x.c:1 x+0x1/0x2'
it "nor one that finds a slab overwritten" spoiled kernel.log '$a [    9.0] BUG prs_hold (Tainted: G  O): Poison overwritten'
[ -n "$FULL" ] || finish

# mutant EXPRESSION LOG PATTERN TEXT: perseus.c, spoiled by EXPRESSION, leaves PATTERN in LOG.
mutant() {
	rm -rf "$T/mutant" && mkdir "$T/mutant" && cp -r "$vm/module/include" "$T/mutant" && sed "$1" kmod/perseus.c >"$T/mutant/perseus.c"
	cp kmod/limits.h "$T/mutant" && echo 'obj-m := perseus.o
ccflags-y := -I$(src)/include -Wno-error' >"$T/mutant/Kbuild"
	if cmp -s kmod/perseus.c "$T/mutant/perseus.c"; then not_ok "$4: found" "'$1' matches nothing"; return; fi
	it "$4: builds" make -s -C "/usr/src/linux-headers-$release" M="$T/mutant" modules
	strip --strip-debug "$T/mutant/perseus.ko" && pack "$T/initrd" "$T/mutant/perseus.ko"
	tests/kmod/boot "$vm/vmlinux-$release" "$T/initrd" "$T/mutant" "${BOOT_SECONDS:-240}" only_module=1
	says "$3" "$4: found" "$T/mutant/$2"
	it "$4: the guest is not well" sh -c '. tests/kmod/judge.inc; ! well "$1"' sh "$T/mutant"
}
mutant 's/event != CPUFREQ_REMOVE_POLICY/1/' kernel.log 'BUG|general protection|Oops' "holds that outlive their policy"
mutant 's/cpufreq_update_policy(cpu);/(void)cpu;/' results.log '^not ok .*(in force|replaced by another)' "an effect that is not waited for"
mutant '0,/if (answers && copy_to_user(user, &arg, size))/s//if (0)/' results.log '^not ok .*cannot be written' "a change without an answer"
mutant 's/^\tkmem_cache_free(prs_hold_cache, hold);//' results.log '^not ok .*slab object' "a leak"
mutant 's/if (!prs_others(file, policy))/if (1)/' results.log '^not ok .*EBUSY' "a hold that ignores the others'"
mutant 's/^\tprs_files--;//' results.log '^not ok .*closed' "a descriptor that is counted for ever"
mutant 's/cpu >= nr_cpu_ids/cpu > 0xffff0000/' kernel.log 'WARNING|BUG|Oops' "a cpu beyond the last"
mutant 's/prs_count_ops = {.set = prs_count_set, /prs_count_ops = {/' kernel.log 'BUG|Oops' "a counter that can be set"
finish
