/* SPDX-License-Identifier: MIT */
#include "cmd/schedule/schedule.h"
#include "lib/json.h"

void schedule_text(const struct workflow *w, const struct schedule *s, const char *method, bool proven,
		   struct strbuf *out)
{
	double bound = proven ? s->cost : work_bound(w);

	strbuf_printf(out, "makespan: %.6g s of %zu tasks on %zu nodes (%s)", s->makespan, w->tasks.n,
		      w->nodes.n, method);
	if (proven)
		strbuf_puts(out, "; the optimum");
	else
		strbuf_printf(out, "; at most %.2g %% above the optimum", 100 * (s->cost / bound - 1));
	strbuf_puts(out, "\n");
	if (s->late > 0)
		strbuf_printf(out, "late: %.6g s behind deadlines, in all\n", s->late);
}

void schedule_json(const struct workflow *w, const struct schedule *s, const char *method, bool proven,
		   struct strbuf *out)
{
	double bound = proven ? s->cost : work_bound(w);
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "method", method);
	json_u64(&j, "tasks", w->tasks.n);
	json_u64(&j, "nodes", w->nodes.n);
	json_double(&j, "makespan", s->makespan);
	json_double(&j, "late", s->late);
	json_double(&j, "bound", bound);
	json_double(&j, "gap_percent", 100 * (s->cost / bound - 1));
	json_bool(&j, "optimal", proven);
	json_end(&j);
	strbuf_puts(out, "\n");
}
