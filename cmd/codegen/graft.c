/* SPDX-License-Identifier: MIT */
#include "cmd/codegen/graft.h"

#include <stdio.h>

int codegen_graft_check(const struct codegen_graft *g, const struct cmd *cmd)
{
	if (g->program && !g->root)
		return cmd_usage(cmd, "--program is of use with --graft=SRCDIR only");
	return 0;
}

int codegen_graft_make(struct codegen_graft *g, const struct cmd *cmd, const struct codegen_input *in,
		       struct codegen_output *out)
{
	struct graft_input input = {.plan = in, .root = g->root, .program = g->program};
	struct err err = ERR_INIT;

	if (!g->root)
		return 0;
	if (graft_make(&g->out, &input, &err))
		return cmd_fail(cmd, &err, cmd_status(&err));
	strbuf_add(&out->file[CODEGEN_GRAFT], g->out.patch.s, g->out.patch.len);
	return 0;
}

int codegen_graft_print(const struct codegen_graft *g)
{
	if (!g->root)
		return 0;
	cmd_print("graft     %zu of %zu places in %zu file%s; below %s\n", g->out.done, g->out.places,
		  g->out.files, g->out.files == 1 ? "" : "s", g->root);
	if (g->out.by_hand.len)
		cmd_put(stdout, g->out.by_hand.s);
	return g->out.by_hand.len ? CMD_FINDINGS : CMD_OK;
}

void codegen_graft_print_next(const struct codegen_graft *g, const char *dir)
{
	struct strbuf root = STRBUF_INIT;

	strbuf_word(&root, g->root);
	cmd_print("next      patch -d %s -p1 <%s/perseus_graft.patch\n", root.s, dir);
	strbuf_release(&root);
}

void codegen_graft_release(struct codegen_graft *g)
{
	graft_release(&g->out);
}
