/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "opts.h"
#include "gcc-plugin/base/text.h"
#include "gcc-plugin/base/warn.h"

#define SWITCH  "-Wno-perseus-"
#define TAG_MAX 50 /* room for the name at the end of a message */

static const char *const names[WARN_COUNT] = {"lto-link",  "tail-call", "unprobed",
					      "duplicate", "rules",     "sharing"};

/* Nearly every unit has tail calls, so that one is asked for. */
static enum warn_level levels[WARN_COUNT] = {WARN_ON, WARN_OFF, WARN_ON, WARN_ON, WARN_ON, WARN_ON};
static bool asked[WARN_COUNT]; /* set by the user, not by default */

const char *warn_name(enum warning w)
{
	return names[w];
}

static void base_warn_set(enum warning w, enum warn_level level)
{
	levels[w] = level;
	asked[w] = true;
}

static int warn_find(const char *name, size_t n)
{
	for (int i = 0; i < WARN_COUNT; i++)
		if (strlen(names[i]) == n && !strncmp(names[i], name, n))
			return i;
	return -1;
}

static bool set_word(const char *word, size_t n)
{
	enum warn_level level = WARN_ON;
	size_t cut = 0;
	int w;

	if (n == 3 && !strncmp(word, "all", n)) {
		for (int i = 0; i < WARN_COUNT; i++)
			base_warn_set((enum warning)i, WARN_ON);
		return true;
	}
	if (n == 4 && !strncmp(word, "none", n)) {
		for (int i = 0; i < WARN_COUNT; i++)
			base_warn_set((enum warning)i, WARN_OFF);
		return true;
	}
	if (n > 3 && !strncmp(word, "no-", 3)) {
		level = WARN_OFF;
		cut = 3;
	} else if (n > 6 && !strncmp(word, "error=", 6)) {
		level = WARN_ERROR;
		cut = 6;
	}
	w = warn_find(word + cut, n - cut);
	if (w >= 0)
		base_warn_set((enum warning)w, level);
	return w >= 0;
}

bool warn_set(const char *list)
{
	for (const char *at = list;; at++) {
		size_t n = strcspn(at, ",");

		if (!set_word(at, n)) {
			error("perseus: argument %<warn=%s%>: %q.*s is none of NAME, %<no-NAME%>, "
			      "%<error=NAME%>, %<all%>, %<none%>; names are lto-link, tail-call, unprobed, "
			      "duplicate, rules, sharing",
			      list, (int)n, at);
			return false;
		}
		at += n;
		if (!*at)
			return true;
	}
}

void warn_read_command_line(void)
{
	for (unsigned i = 0; i < save_decoded_options_count; i++) {
		const char *text = save_decoded_options[i].orig_option_with_args_text;
		int w;

		if (!text || strncmp(text, SWITCH, strlen(SWITCH)))
			continue;
		w = warn_find(text + strlen(SWITCH), strlen(text + strlen(SWITCH)));
		if (w >= 0)
			base_warn_set((enum warning)w, WARN_OFF);
	}
}

static bool is_trial(const char *path)
{
	static const char *const folders[] = {"CMakeFiles/CMakeTmp", "CMakeFiles/CMakeScratch", "CompilerIdC",
					      "meson-private"};

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (strstr(path, folders[i]))
			return true;
	return false;
}

/* Is a build system trying out what the compiler can do? */
static bool tries_compiler(void)
{
	const char *file = main_input_filename ? main_input_filename : "";
	const char *folder = getpwd();

	if (in_lto_p)
		return false;
	if (!*file || !strcmp(file, "-") || !strcmp(file, "<stdin>"))
		return true;
	return !strncmp(lbasename(file), "conftest.", 9) || is_trial(file) || (folder && is_trial(folder));
}

enum warn_level warn_level(enum warning w)
{
	if (levels[w] != WARN_OFF && !asked[w] && tries_compiler())
		return WARN_OFF;
	return levels[w];
}

/* As GCC does it, but whatever -Werror says. */
static bool soft_warning(location_t loc, const char *text)
{
	bool before = GCC_WERROR(global_dc), said;

	GCC_SET_WERROR(global_dc, false);
	said = warning_at(loc, 0, "perseus: %s", text);
	GCC_SET_WERROR(global_dc, before);
	return said;
}

bool warn_at(enum warning w, location_t loc, const char *fmt, ...)
{
	enum warn_level level = warn_level(w);
	char text[1000];
	size_t n;
	va_list ap;

	if (level == WARN_OFF)
		return false;
	va_start(ap, fmt);
	n = (size_t)vsnprintf(text, sizeof(text) - TAG_MAX, fmt, ap);
	va_end(ap);
	n = MIN(n, sizeof(text) - TAG_MAX - 1);
	snprintf(text + n, TAG_MAX, " [-W%sperseus-%s]", level == WARN_ERROR ? "error=" : "", names[w]);
	if (level != WARN_ERROR)
		return soft_warning(loc, text);
	error_at(loc, "perseus: %s", text);
	return true;
}
