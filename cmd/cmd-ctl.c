/* SPDX-License-Identifier: MIT */
/* perseus ctl: ask perseusd, or run a program under a lease.  See perseus-ctl(1). */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/base/option.h"
#include "cmd/ctl/ctl.h"
#include "lib/num.h"

extern const struct cmd cmd_ctl;

struct options {
	const char *socket;
	bool json;
};

static int ctl_parse(int argc, char **argv, struct options *o)
{
	const struct option_row rows[] = {OPTION_TEXT(0, "socket", &o->socket),
					  OPTION_FLAG(0, "json", &o->json), OPTION_END};

	*o = (struct options){.socket = NULL};
	return option_read(&cmd_ctl, rows, argc, argv, OPTION_OPERANDS);
}

static int ctl_show(const struct options *o, struct ctl_view *v, bool with_daemon)
{
	if (o->json) {
		ctl_print_json(v);
	} else {
		if (with_daemon)
			ctl_print_daemon(v);
		ctl_print_units(v);
	}
	ctl_view_release(v);
	return CMD_OK;
}

static int ctl_status(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct ctl_link link;
	struct ctl_view view;
	struct options o;
	int ret = ctl_parse(argc, argv, &o);

	if (ret)
		return ret;
	if (optind < argc)
		return cmd_usage(&cmd_ctl, "status: unexpected argument '%s'", argv[optind]);
	if (ctl_open(&link, o.socket, &err))
		return cmd_fail(&cmd_ctl, &err, CMD_MACHINE);
	ret = ctl_view_all(&view, &link, &err);
	ctl_close(&link.client);
	return ret ? cmd_fail(&cmd_ctl, &err, CMD_MACHINE) : ctl_show(&o, &view, true);
}

static int ctl_query_verb(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct ctl_link link;
	struct ctl_view view;
	struct options o;
	uint64_t cpu;
	int ret = ctl_parse(argc, argv, &o);

	if (ret)
		return ret;
	if (optind + 1 != argc || num_u64(argv[optind], 0, PRS_CTL_CPUS - 1, &cpu))
		return cmd_usage(&cmd_ctl, "query: expected one cpu, a number below %u", PRS_CTL_CPUS);
	if (ctl_open(&link, o.socket, &err))
		return cmd_fail(&cmd_ctl, &err, CMD_MACHINE);
	ret = ctl_view_cpu(&view, &link, (uint32_t)cpu, &err);
	ctl_close(&link.client);
	if (ret)
		return cmd_fail(&cmd_ctl, &err, ret == -EINVAL ? CMD_USAGE : CMD_MACHINE);
	return ctl_show(&o, &view, false);
}

static int ctl_revoke(int argc, char **argv)
{
	struct prs_ctl_request q = {.op = PRS_CTL_REVOKE};
	struct err err = ERR_INIT;
	struct prs_ctl_reply r;
	struct ctl_link link;
	struct options o;
	char holder[256];
	uint64_t lease;
	int ret = ctl_parse(argc, argv, &o);

	if (ret)
		return ret;
	if (o.json || optind + 1 != argc || num_u64(argv[optind], 1, UINT32_MAX, &lease))
		return cmd_usage(&cmd_ctl, "revoke: expected the number of a lease, as status shows it");
	if (ctl_open(&link, o.socket, &err))
		return cmd_fail(&cmd_ctl, &err, CMD_MACHINE);
	q.lease = (prs_u32)lease;
	ret = ctl_ask(&link, &q, &r, &err);
	if (ret > 0)
		ret = ctl_refused(&link, &q, &r, &err);
	ctl_close(&link.client);
	if (ret)
		return cmd_fail(&cmd_ctl, &err, CMD_MACHINE);
	cmd_print("ended: lease %u of %s\n", q.lease, ctl_holder_text(holder, sizeof(holder), &r));
	return CMD_OK;
}

static int cmd_ctl_run(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "revoke"))
		return ctl_revoke(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "status"))
		return ctl_status(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "query"))
		return ctl_query_verb(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "run"))
		return ctl_run(&cmd_ctl, argc - 1, argv + 1);
	if (cmd_wants_help(argc, argv))
		return CMD_HELP;
	if (argc > 1)
		return cmd_usage(&cmd_ctl, "'%s': expected status, query, run or revoke", argv[1]);
	return cmd_usage(&cmd_ctl, "what? status, query, run or revoke");
}

const struct cmd cmd_ctl = {
	.name = "ctl",
	.summary = "frequencies and cores of this machine, lent by perseusd",
	.reads = "perseusd",
	.writes = NULL,
	.usage = "usage: perseus ctl status [--json] [--socket PATH]\n"
		 "       perseus ctl query [--json] [--socket PATH] CPU\n"
		 "       perseus ctl run --cpus LIST [--khz RANGE] [--reserve] [OPTION...] [--] PROGRAM "
		 "[ARGUMENT...]\n"
		 "       perseus ctl revoke [--socket PATH] LEASE\n"
		 "\n"
		 "status shows what perseusd can lend and who holds what, query the same of one cpu.\n"
		 "run leases cpus, starts the program on them, and gives the lease back when it\n"
		 "ends, however it ends; then everything is as it was before.  revoke ends the\n"
		 "lease of somebody else: for root of this machine.\n"
		 "\n"
		 "  --cpus=LIST     0-3,8; all cpus that share a clock belong together\n"
		 "  --khz=RANGE     1200000-2400000, 1.2GHz-2.4GHz, 2.4GHz\n"
		 "  --reserve       keep every other program away from these cpus\n"
		 "  --balanced      with --reserve: the kernel may move threads between them\n"
		 "  --ttl=SECONDS   give it back after so long, even if the program still runs\n"
		 "  --plan=FILE     what it is for: goes into the audit log, and says which cpus if\n"
		 "                  --cpus does not\n"
		 "  --no-bind       start the program where it may run now, not on these cpus\n"
		 "  --best-effort   run the program also if there is no lease or it is not honoured\n"
		 "  -q, --quiet     say nothing if all is well\n"
		 "  --socket=PATH   of the daemon, default " PRS_CTL_SOCKET "\n"
		 "  --json          for programs\n"
		 "\n"
		 "Exit status: 0 done; 2 usage; 3 no service, or it refuses; of run the program's, 128 + N\n"
		 "if signal N ended it, and 125 if it failed itself.\n",
	.run = cmd_ctl_run,
	.executes = true,
};
