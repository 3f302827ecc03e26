/* SPDX-License-Identifier: MIT */
/*
 * libperseus-nop.so: the hooks, empty.  Preloaded in place of the runtime it
 * shows what instrumentation costs without recording: every call probe goes
 * the long way to enter(), which does nothing.
 */
#include <stddef.h>

#include "perseus/abi.h"
#include "arch/probe.h"
#include "runtime/base/rt.h"

static __attribute__((naked)) void nop_enter_stub(void)
{
	__asm__ volatile(ARCH_NO_TOKEN);
}

static __attribute__((naked)) void nop_leave_stub(void)
{
	__asm__ volatile(ARCH_RETURN);
}

static void nop_mem(const struct prs_desc *d, uint32_t site, const void *addr, uint32_t access)
{
	(void)d;
	(void)site;
	(void)addr;
	(void)access;
}

__attribute__((visibility("default"))) void __prs_attach(struct prs_desc *desc)
{
	if (desc->version != PRS_ABI_VERSION)
		return;
	desc->enter_stub = nop_enter_stub;
	desc->enter_to_stub = nop_enter_stub;
	desc->leave_stub = nop_leave_stub;
	desc->mem = nop_mem;
	/* Nobody sets it: a probe that finds no block always asks the runtime. */
	__atomic_store_n(&desc->tls, RT_OWN_FS(block), __ATOMIC_RELEASE);
}

__attribute__((visibility("default"))) void __prs_detach(struct prs_desc *desc)
{
	__atomic_store_n(&desc->tls, 0, __ATOMIC_RELEASE);
}
