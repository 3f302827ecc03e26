// SPDX-License-Identifier: MIT
/*
 * Functions that read or write the floating-point environment see and set the
 * program's own; and what ends the counting.
 */
#include <dlfcn.h>
#include <fenv.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/denormal/trap/trap.h"

/* A program may load the library of mathematics without showing it to others. */
static void *next_of(const char *name)
{
	void *p = dlsym(RTLD_NEXT, name), *library;

	if (!p && (library = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL)) != NULL)
		p = dlsym(library, name);
	return p;
}

/* The call has been made.  What it unmasked is the program's, and we are in the way. */
static void after(bool watched)
{
	uint32_t mxcsr = trap_mxcsr();

	if (!watched)
		return;
	if ((mxcsr & MXCSR_MASKS) != MXCSR_MASKS) {
		trap_aside(PRS_DEN_NOTE_FENV, mxcsr);
		trap_mxcsr_set(mxcsr);
		return;
	}
	trap_arm();
}

static bool before(void)
{
	bool watched = trap.on && !trap.aside && !trap_here.disarmed && trap_here.traps &&
		       !trap_here.inside && !trap_here.sample.rests;

	if (watched) {
		trap_note(PRS_DEN_NOTE_FENV, 1);
		trap_hide();
	}
	return watched;
}

#define WRAP(name, parameters, arguments)                                                                    \
	DEN_EXPORT int name parameters                                                                       \
	{                                                                                                    \
		int(*next) parameters = NULL;                                                                \
		bool watched = before();                                                                     \
		int ret;                                                                                     \
                                                                                                             \
		*(void **)&next = next_of(#name);                                                            \
		ret = next arguments;                                                                        \
		after(watched);                                                                              \
		return ret;                                                                                  \
	}

WRAP(feclearexcept, (int e), (e))
WRAP(fegetexceptflag, (fexcept_t * f, int e), (f, e))
WRAP(feraiseexcept, (int e), (e))
WRAP(fesetexceptflag, (const fexcept_t *f, int e), (f, e))
WRAP(fegetenv, (fenv_t * e), (e))
WRAP(feholdexcept, (fenv_t * e), (e))
WRAP(fesetenv, (const fenv_t *e), (e))
WRAP(feupdateenv, (const fenv_t *e), (e))
WRAP(feenableexcept, (int e), (e))
WRAP(fedisableexcept, (int e), (e))
WRAP(fegetmode, (femode_t * m), (m))
WRAP(fesetmode, (const femode_t *m), (m))

DEN_EXPORT int fegetexcept(void)
{
	int (*next)(void) = NULL;
	bool watched = before();
	int ret;

	*(void **)&next = next_of("fegetexcept");
	ret = next();
	after(watched);
	return ret;
}

/* ---- limits on system calls ---- */

/* Whatever we would need may kill the program from now on. */
static void limited(void)
{
	if (!trap.on || trap.aside)
		return;
	trap_aside(PRS_DEN_NOTE_SECCOMP, 0);
	trap_close();
}

DEN_EXPORT int prctl(int option, ...)
{
	static int (*next)(int, ...);
	unsigned long a[4];
	va_list ap;

	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "prctl");
	if (option == PR_SET_SECCOMP && (a[0] == SECCOMP_MODE_STRICT || a[1]))
		limited();
	return next(option, a[0], a[1], a[2], a[3]);
}

DEN_EXPORT long syscall(long number, ...)
{
	static long (*next)(long, ...);
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	/* Questions to the kernel have other numbers, or give no filter. */
	if (number == SYS_seccomp &&
	    (a[0] == SECCOMP_SET_MODE_STRICT || (a[0] == SECCOMP_SET_MODE_FILTER && a[2])))
		limited();
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
