/* SPDX-License-Identifier: MIT */
#include "lib/inspect/demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/strbuf.h"

/* Deep enough for any name a compiler makes; a longer one is left as it is. */
#define MANGLED_MAX 4096
#define CUT_MIN     200 /* a name that is no longer was not cut off */
#define NAMES_MAX   128

typedef char *demangler(const char *name, char *buf, size_t *size, int *status);

/* The C++ library is asked at run time, so that a C program need not link it; it stays loaded. */
static demangler *find_demangler(void)
{
	void *lib = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	void *symbol = lib ? dlsym(lib, "__cxa_demangle") : NULL;
	demangler *fn = NULL;

	memcpy(&fn, &symbol, sizeof(fn)); /* ISO C has no cast for this */
	if (lib)
		dlclose(lib);
	return fn;
}

/* Start of the parameter list that ends at @close: its parenthesis, brackets of any kind counted. */
static char *open_of(char *s, char *close)
{
	int depth = 0;

	for (char *p = close; p >= s; p--) {
		if (*p == ')')
			depth++;
		else if (*p == '(' && !--depth)
			return p;
	}
	return NULL;
}

/* Cut "(int, char) const" and the like off; "main()::{lambda()#1}" and "operator()" keep theirs. */
static void cut_parameters(char *s)
{
	char *close = strrchr(s, ')'), *open;

	if (!close || strchr(close, '}') || strchr(close, '>') || strchr(close, ':'))
		return;
	open = open_of(s, close);
	if (open && open > s && !(open - s >= 8 && !memcmp(open - 8, "operator", 8)))
		*open = '\0';
}

/* Where the name begins behind a return type: after the last blank outside of brackets. */
static char *skip_type(char *s)
{
	char *name = s;
	int depth = 0;

	for (char *p = s; *p; p++) {
		if (!strncmp(p, "operator", 8))
			break;
		if (strchr("<({[", *p))
			depth++;
		else if (strchr(">)}]", *p))
			depth--;
		else if (*p == ' ' && !depth)
			name = p + 1;
	}
	return *name ? name : s;
}

/* The names in front of a mangled name that was cut off: "std::_Hashtable<...>"; NULL if none is whole. */
static char *names_in_front(const char *name)
{
	struct strbuf out = STRBUF_INIT;
	const char *between = "";

	name += 2; /* _Z */
	name += *name == 'N';
	name += *name == 'K';
	if (!strncmp(name, "St", 2)) {
		strbuf_puts(&out, "std");
		between = "::";
		name += 2;
	}
	while (*name >= '1' && *name <= '9') {
		char *end;
		unsigned long len = strtoul(name, &end, 10);

		if (len > strlen(end) || out.len > NAMES_MAX)
			break;
		strbuf_printf(&out, "%s%.*s", between, (int)len, end);
		between = "::";
		name = end + len;
	}
	if (*name == 'I' && *between)
		strbuf_puts(&out, "<...>");
	return *between ? strbuf_detach(&out) : NULL;
}

/* "stats::cells" of Fortran's "__stats_MOD_cells"; NULL: it is none. */
static char *of_module(const char *name)
{
	const char *mod = strncmp(name, "__", 2) ? NULL : strstr(name + 2, "_MOD_");
	struct strbuf sb = STRBUF_INIT;

	if (!mod || mod == name + 2 || !mod[strlen("_MOD_")])
		return NULL;
	strbuf_printf(&sb, "%.*s::%s", (int)(mod - name - 2), name + 2, mod + strlen("_MOD_"));
	return strbuf_detach(&sb);
}

char *demangle_short(const char *name)
{
	char *full = of_module(name), *out;
	demangler *demangle;
	int status = -1;

	if (full)
		return full;
	if (strncmp(name, "_Z", 2) || strlen(name) > MANGLED_MAX)
		return NULL;
	demangle = find_demangler();
	full = demangle ? demangle(name, NULL, NULL, &status) : NULL;
	if (status || !full) {
		free(full);
		return strlen(name) >= CUT_MIN ? names_in_front(name) : NULL;
	}
	cut_parameters(full);
	out = mem_strdup(skip_type(full));
	free(full);
	return out;
}

/* No type that people write begins so; a template of std has its arguments, too. */
static bool is_mangled_type(const char *name)
{
	size_t n = strlen(name);

	if (n > 3 && !strncmp(name, "St", 2) && strchr(name, 'I') && name[n - 1] == 'E')
		name += 2;
	else if (*name == 'N' && name[n - 1] == 'E')
		name++;
	return *name >= '1' && *name <= '9' && strlen(name) <= MANGLED_MAX;
}

char *demangle_type(const char *name)
{
	demangler *demangle = is_mangled_type(name) ? find_demangler() : NULL;
	int status = -1;
	char *full = demangle ? demangle(name, NULL, NULL, &status) : NULL, *out = NULL;

	if (!status && full)
		out = mem_strdup(full);
	free(full);
	return out;
}
