/* SPDX-License-Identifier: MIT */
#include "cmd/calibrate/print.h"

#include <inttypes.h>

#include "cmd/base/cmd.h"
#include "lib/num.h"

static const char *ns(char *buf, size_t size, double ps)
{
	if (ps <= 0)
		return "-";
	snprintf(buf, size, "%.2f", ps / 1000);
	return buf;
}

static void show_pair(FILE *out, const struct calibrate_pair *pair, const char *moved)
{
	cmd_say(out, "cores %" PRIu32 " and %" PRIu32 " (%s%s)%s\n", pair->core_a, pair->core_b,
		platform_distance_name(pair->distance), moved, pair->noisy ? "   disturbed or unsteady" : "");
	for (int i = 0; i < PRS_KIND_N; i++) {
		enum prs_kind kind = platform_kinds[i];
		char alone[32], shared[32];

		cmd_say(out, "    %-9s own line %7s ns   shared line %7s ns   %4.1f x\n", prs_kind_word(kind),
			ns(alone, sizeof(alone), pair->alone_ps[kind]),
			ns(shared, sizeof(shared), pair->shared_ps[kind]),
			pair->alone_ps[kind] > 0 ? pair->shared_ps[kind] / pair->alone_ps[kind] : 0);
	}
	cmd_say(out, "    transfer  %7.1f ns   migration %.1f us\n", pair->transfer_ps / 1000,
		pair->migrate_ns / 1000);
}

void calibrate_print_platform(FILE *out, const struct platform *p)
{
	uint32_t usable = 0;

	for (uint32_t i = 0; i < p->n_cores; i++)
		usable += p->cores[i].usable;
	cmd_say(out,
		"platform  %s   %" PRIu32 " of %" PRIu32 " cores usable, %" PRIu32 " package%s, %" PRIu32
		" frequency step%s\n",
		p->name, usable, p->n_cores, p->n_packages, p->n_packages == 1 ? "" : "s", p->n_steps,
		p->n_steps == 1 ? "" : "s");
}

static void show_change(FILE *out, const struct steps_domain *d)
{
	char down[32], up[32], call[32];

	if (d->down_ns && d->up_ns)
		cmd_say(out, "    change    down %s, up %s, of these %s for the call\n",
			num_time(down, sizeof(down), (double)d->down_ns * 1e-9),
			num_time(up, sizeof(up), (double)d->up_ns * 1e-9),
			num_time(call, sizeof(call), (double)d->call_ns * 1e-9));
	else
		cmd_put(out, "    change    no two steps are honoured: its time is not known\n");
}

static void show_domain(FILE *out, const struct steps_domain *d, const char *how)
{
	cmd_say(out, "steps of core %" PRIu32 " by %s\n", d->core, how);
	for (size_t i = 0; i < d->results.n; i++) {
		const struct step_result *s = &d->results.at[i];

		cmd_say(out, "    %.3f GHz  the loop runs at %.3f GHz   %s\n", s->khz / 1e6,
			(double)s->measured_khz / 1e6, steps_verdict_name(s->verdict));
	}
	show_change(out, d);
}

/* Of each operation the most that it takes longer, where it takes longer at all. */
static void show_denormals(FILE *out, const struct platform *p)
{
	const char *sep = "denormals ";

	if (!p->n_denormal)
		return;
	for (size_t i = 0; i < p->n_denormal; i++) {
		const struct platform_denormal *d = &p->denormal[i];
		const uint64_t all[] = {d->operand_ps,      d->operand_chain_ps, d->result_ps,
					d->result_chain_ps, d->both_ps,          d->both_chain_ps};
		uint64_t most = 0;

		for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
			most = all[k] > most ? all[k] : most;
		if (!most)
			continue;
		cmd_say(out, "%s%s of %s +%.1f ns", sep, platform_fp_name(d->operation),
			platform_fp_type_name(d->type), (double)most / 1000);
		sep = ", ";
	}
	cmd_say(out, *sep == 'd' ? "denormals take no longer than other numbers\n" : " at most\n");
}

void calibrate_print(FILE *out, const struct platform *p, const struct calibrate_report *report)
{
	calibrate_print_platform(out, p);
	cmd_say(out, "core      %.3f GHz (%s)\n", (double)report->core_khz / 1e6, report->frequency_how);
	cmd_say(out, "calls     trigger %" PRIu64 " ns, affinity %" PRIu64 " ns\n", p->trigger_ns,
		p->affinity_ns);
	show_denormals(out, p);
	for (size_t i = 0; i < report->domains.n; i++)
		show_domain(out, &report->domains.at[i], report->steps_how);
	for (size_t i = 0; i < report->pairs.n; i++)
		show_pair(out, &report->pairs.at[i], "");
	for (size_t i = 0; i < report->moved.n; i++)
		show_pair(out, &report->moved.at[i], ", at another time or others than most");
	for (size_t i = 0; i < report->notes.n; i++)
		cmd_say(out, "note      %s\n", report->notes.at[i]);
}

void calibrate_print_moved(FILE *out, const struct platform *p)
{
	for (int d = DIST_SMT; d < DIST_N; d++)
		if (p->moved_transfer_ps[d])
			cmd_say(out,
				"note      cores at distance `%s` move: a transfer took %.0f ns now and %.0f "
				"ns at another time;\n"
				"          the file has the prices of both, and costs are told as a range\n",
				platform_distance_name((enum platform_distance)d),
				(double)p->transfer_ps[d] / 1000, (double)p->moved_transfer_ps[d] / 1000);
}
