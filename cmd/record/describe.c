/* SPDX-License-Identifier: MIT */
#include "cmd/record/describe.h"

#include "cmd/prove/machine.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "platform/base/clock.h"

void record_describe(struct manifest *m, const struct target *t, const struct record_options *o)
{
	struct machine machine;

	machine_read(&machine, "");
	m->program = mem_strdup(fs_base_name(t->real));
	for (char **a = o->program; *a; a++) {
		m->argv = mem_resize(m->argv, m->n_argv + 1, sizeof(*m->argv));
		m->argv[m->n_argv++] = mem_strdup(*a);
	}
	m->purpose = mem_strdup(o->purpose);
	m->status = mem_strdup("running");
	m->cores = machine.cores;
	m->cpu = machine.cpu[0] ? mem_strdup(machine.cpu) : NULL;
	m->load_before = machine.load;
	m->core_khz = clock_core_khz_quick();
	m->locked_ps = clock_locked_ps_quick();
}
