/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "opts.h"
#include "gcc-plugin/base/traces.h"

/*
 * The names of plugin events, which GCC has for plugins that agree among one
 * another.  (Not identifiers: one more in their table changes its order, which
 * `-E -dM` prints.)
 */
bool trace_marked(const char *mark)
{
	return get_named_event_id(mark, NO_INSERT) >= 0;
}

void trace_mark(const char *mark)
{
	get_named_event_id(mark, INSERT);
}

/* GCC takes the file's name without folder and ending. */
static bool is_file_of(const char *file, const char *plugin)
{
	const char *name = lbasename(file);
	size_t n = strlen(plugin);

	return !strncmp(name, plugin, n) && (!name[n] || name[n] == '.');
}

static bool is_argument_of(const char *arg, const char *plugin)
{
	size_t n = strlen(plugin);

	return !strncmp(arg, plugin, n) && arg[n] == '-';
}

static bool traces_is_ours(const struct cl_decoded_option *o, const char *plugin)
{
	if (o->opt_index == OPT_fplugin_)
		return is_file_of(o->arg, plugin);
	return o->opt_index == OPT_fplugin_arg_ && is_argument_of(o->arg, plugin);
}

/* Drop what @drop says from the recorded options. */
static void filter(bool (*drop)(const struct cl_decoded_option *o, const char *plugin), const char *plugin)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < save_decoded_options_count; i++)
		if (!drop(&save_decoded_options[i], plugin))
			save_decoded_options[kept++] = save_decoded_options[i];
	save_decoded_options_count = kept;
}

static bool is_folder(const struct cl_decoded_option *o, const char *)
{
	return o->opt_index == OPT_iplugindir_;
}

void trace_forget_options(const char *plugin)
{
	filter(traces_is_ours, plugin);
	for (unsigned i = 0; i < save_decoded_options_count; i++)
		if (save_decoded_options[i].opt_index == OPT_fplugin_)
			return;
	/* The driver names the folder of plugins as soon as one is given. */
	filter(is_folder, plugin);
}
