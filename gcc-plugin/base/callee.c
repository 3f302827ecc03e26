/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/triggers.h"
#include "gcc-plugin/base/callee.h"

struct heap_name {
	const char *name;
	enum heap_op op;
};

static const struct heap_name heap_names[] = {
	{"malloc", HEAP_ALLOC},         {"valloc", HEAP_ALLOC},    {"pvalloc", HEAP_ALLOC},
	{"calloc", HEAP_CALLOC},        {"realloc", HEAP_REALLOC}, {"reallocarray", HEAP_REALLOC3},
	{"aligned_alloc", HEAP_ALLOC1}, {"memalign", HEAP_ALLOC1}, {"posix_memalign", HEAP_MEMALIGN},
	{"strdup", HEAP_STRDUP},        {"__strdup", HEAP_STRDUP}, {"strndup", HEAP_STRDUP},
	{"__strndup", HEAP_STRDUP},     {"free", HEAP_FREE},       {"cfree", HEAP_FREE},
	{"mmap", HEAP_ALLOC1},          {"mmap64", HEAP_ALLOC1},   {"munmap", HEAP_FREE},
};

/* operator new, new[] and their aligned and nothrow forms; delete likewise. */
static enum heap_op operator_op(const char *name)
{
	if (!strncmp(name, "_Znwm", 5) || !strncmp(name, "_Znam", 5))
		return !strcmp(name + 5, "Pv") ? HEAP_NONE : HEAP_ALLOC;
	if (!strncmp(name, "_ZdlPv", 6) || !strncmp(name, "_ZdaPv", 6))
		return !strncmp(name + 6, "S_", 2) ? HEAP_NONE : HEAP_FREE;
	return HEAP_NONE;
}

enum heap_op callee_heap_op(const char *name)
{
	if (name[0] == '_' && name[1] == 'Z')
		return operator_op(name);
	for (size_t i = 0; i < ARRAY_SIZE(heap_names); i++)
		if (!strcmp(heap_names[i].name, name))
			return heap_names[i].op;
	return HEAP_NONE;
}

static bool in_list(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

bool callee_creates(const char *name)
{
	static const char *const creators[] = {
		"pthread_create",
		"thrd_create",
		"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_"
		"deleteIS1_EEPFvvE",
	};

	if (!strncmp(name, "GOMP_parallel", 13) || !strncmp(name, "GOMP_teams_reg", 14))
		return true;
	return in_list(name, creators, ARRAY_SIZE(creators));
}

bool callee_waits(const char *name)
{
	static const char *const waiters[] = {
		"pthread_join",
		"pthread_timedjoin_np",
		"pthread_clockjoin_np",
		"pthread_mutex_lock",
		"pthread_mutex_timedlock",
		"pthread_mutex_clocklock",
		"pthread_spin_lock",
		"pthread_rwlock_rdlock",
		"pthread_rwlock_wrlock",
		"pthread_rwlock_timedrdlock",
		"pthread_rwlock_timedwrlock",
		"pthread_cond_wait",
		"pthread_cond_timedwait",
		"pthread_cond_clockwait",
		"pthread_barrier_wait",
		"thrd_join",
		"thrd_sleep",
		"mtx_lock",
		"mtx_timedlock",
		"cnd_wait",
		"cnd_timedwait",
		"sem_wait",
		"sem_timedwait",
		"sem_clockwait",
		"GOMP_barrier",
		"GOMP_critical_start",
		"GOMP_taskwait",
		"GOMP_taskgroup_end",
		"nanosleep",
		"clock_nanosleep",
		"usleep",
		"sleep",
		"poll",
		"ppoll",
		"select",
		"pselect",
		"epoll_wait",
		"epoll_pwait",
		"wait",
		"waitpid",
		"wait4",
		"waitid",
		"sched_yield",
		"_ZNSt6thread4joinEv",
		"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
	};

	return in_list(name, waiters, ARRAY_SIZE(waiters));
}

/* Is @name a mark that ends as @form, which has one number in it and "%n" behind? */
static bool is_numbered(const char *name, const char *form)
{
	unsigned number;
	int end = 0;

	return sscanf(name, form, &number, &end) == 1 && end && !name[end];
}

bool callee_is_trigger(const char *name)
{
	if (strncmp(name, "perseus_", 8))
		return false;
	return !strncmp(name, PRS_TRIGGER_PREFIX, strlen(PRS_TRIGGER_PREFIX)) ||
	       !strcmp(name, PRS_FN_PROGRAM_START) || !strcmp(name, PRS_FN_CREATE_END) ||
	       is_numbered(name, PRS_FN_CREATE_BEGIN "%n") || is_numbered(name, PRS_FN_FLUSH_BEGIN "%n") ||
	       is_numbered(name, PRS_FN_FLUSH_END "%n");
}

const char *callee_asm_name(tree decl)
{
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));

	return *name == '*' ? name + 1 : name;
}

/* Length of @name, of which @n characters count, without a last `.WORD.NUMBER'. */
static size_t without_suffix(const char *name, size_t n, const char *word)
{
	size_t length = strlen(word), at = n;

	while (at > 0 && ISDIGIT(name[at - 1]))
		at--;
	if (at == n || at <= length || strncmp(name + at - length, word, length))
		return n;
	return at - length;
}

/*
 * Optimised copies go by the name that the source calls: f.constprop.0 is f.  Not
 * so f.part.0, which is called from f alone, and from no place in the source.
 */
static const char *source_name(const char *name)
{
	static const char *const words[] = {".constprop.", ".isra.", ".lto_priv."};
	size_t all = strlen(name), n = all, before;

	do {
		before = n;
		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			n = without_suffix(name, n, words[i]);
	} while (n != before);
	return n == all ? name : IDENTIFIER_POINTER(get_identifier_with_length(name, n));
}

const char *callee_name(const gcall *call)
{
	tree decl = gimple_call_fndecl(call);

	return decl ? source_name(callee_asm_name(decl)) : "indirect";
}

#define LOOKS_MAX 256 /* at arguments, for one call */

static bool callee_same_place(gimple *a, gimple *b)
{
	expanded_location x, y;

	if (LOCATION_LOCUS(gimple_location(a)) == LOCATION_LOCUS(gimple_location(b)))
		return LOCATION_LOCUS(gimple_location(a)) != UNKNOWN_LOCATION;
	x = expand_location(LOCATION_LOCUS(gimple_location(a)));
	y = expand_location(LOCATION_LOCUS(gimple_location(b)));
	return x.line && x.line == y.line && x.column == y.column && x.file && y.file &&
	       !strcmp(x.file, y.file);
}

/* The call whose result @arg is, through copies and conversions. */
static gcall *made_by(tree arg)
{
	for (int steps = 0; steps < 8 && TREE_CODE(arg) == SSA_NAME; steps++) {
		gimple *def = SSA_NAME_DEF_STMT(arg);

		if (gcall *call = dyn_cast<gcall *>(def))
			return call;
		if (!gimple_assign_ssa_name_copy_p(def) && !gimple_assign_cast_p(def))
			return NULL;
		arg = gimple_assign_rhs1(def);
	}
	return NULL;
}

/*
 * The call of @name that lies inside the arguments of @call, through other
 * calls at the same place; the first one, and none beyond *@budget looks.
 */
static gcall *inner_call(gcall *call, const char *name, int *budget)
{
	for (unsigned i = 0; i < gimple_call_num_args(call) && *budget > 0; i++) {
		gcall *inner = made_by(gimple_call_arg(call, i));

		(*budget)--;
		if (!inner || !callee_same_place(inner, call))
			continue;
		if (strcmp(callee_name(inner), name))
			inner = inner_call(inner, name, budget);
		if (inner)
			return inner;
	}
	return NULL;
}

unsigned callee_depth(gcall *call)
{
	const char *name = callee_name(call);
	unsigned depth = 0;
	int budget = LOOKS_MAX;

	while ((call = inner_call(call, name, &budget)))
		depth++;
	return depth;
}

/* Library builtins that the expander may turn into instructions. */
static bool may_expand_inline(enum built_in_function code)
{
	switch (code) {
		CASE_FLT_FN(BUILT_IN_SQRT)
		    : CASE_FLT_FN(BUILT_IN_FABS)
		    : CASE_FLT_FN_FLOATN_NX(BUILT_IN_FABS)
		    : CASE_FLT_FN(BUILT_IN_COPYSIGN)
		    : CASE_FLT_FN(BUILT_IN_FLOOR)
		    : CASE_FLT_FN(BUILT_IN_CEIL)
		    : CASE_FLT_FN(BUILT_IN_TRUNC)
		    : CASE_FLT_FN(BUILT_IN_ROUND)
		    : CASE_FLT_FN(BUILT_IN_ROUNDEVEN)
		    : CASE_FLT_FN(BUILT_IN_RINT)
		    : CASE_FLT_FN(BUILT_IN_NEARBYINT)
		    : CASE_FLT_FN(BUILT_IN_LRINT)
		    : CASE_FLT_FN(BUILT_IN_LLRINT)
		    : CASE_FLT_FN(BUILT_IN_FMIN)
		    : CASE_FLT_FN(BUILT_IN_FMAX)
		    : CASE_FLT_FN(BUILT_IN_FMA)
		    : CASE_FLT_FN(BUILT_IN_SIGNBIT)
		    : CASE_FLT_FN(BUILT_IN_SIGNIFICAND)
		    : CASE_FLT_FN(BUILT_IN_LDEXP)
		    : CASE_FLT_FN(BUILT_IN_SCALB)
		    : CASE_FLT_FN(BUILT_IN_SCALBN)
		    : CASE_FLT_FN(BUILT_IN_CABS)
		    : CASE_FLT_FN(BUILT_IN_CREAL)
		    : CASE_FLT_FN(BUILT_IN_CIMAG)
		    : CASE_FLT_FN(BUILT_IN_CONJ)
		    : case BUILT_IN_ABS : case BUILT_IN_LABS : case BUILT_IN_LLABS : case BUILT_IN_IMAXABS
		    : case BUILT_IN_FFS : case BUILT_IN_FFSL : case BUILT_IN_FFSLL : case BUILT_IN_ALLOCA
		    : case BUILT_IN_ISFINITE : case BUILT_IN_ISINF : case BUILT_IN_ISNAN
		    : case BUILT_IN_ISASCII : case BUILT_IN_TOASCII : case BUILT_IN_ISDIGIT
		    : case BUILT_IN_BCMP : case BUILT_IN_BZERO : case BUILT_IN_MEMCMP : case BUILT_IN_MEMCPY
		    : case BUILT_IN_MEMMOVE : case BUILT_IN_MEMPCPY : case BUILT_IN_MEMSET
		    : case BUILT_IN_STPCPY : case BUILT_IN_STRCMP : case BUILT_IN_STRCPY
		    : case BUILT_IN_STRNCPY : case BUILT_IN_STRLEN : case BUILT_IN_STRNCMP
		    : case BUILT_IN_STRNLEN : return true;
	default:
		return flag_unsafe_math_optimizations && code < BUILT_IN_CABS;
	}
}

/* Up to here a block whose size has a known bound may be handled by instructions, whatever -mtune says. */
#define BLOCK_INLINE_MAX 65536

/* For sizes of which nothing is known the block functions remain calls on x86-64. */
static bool stays_call(enum built_in_function code, gcall *call)
{
	unsigned HOST_WIDE_INT most;

	switch (code) {
	case BUILT_IN_MEMCPY:
	case BUILT_IN_MEMMOVE:
	case BUILT_IN_MEMSET:
	case BUILT_IN_MEMCMP:
		return optimize && !optimize_size && gimple_call_num_args(call) == 3 &&
		       TREE_CODE(gimple_call_arg(call, 2)) == SSA_NAME &&
		       !(value_bound(gimple_call_arg(call, 2), &most) && most <= BLOCK_INLINE_MAX);
	default:
		return false;
	}
}

/*
 * No call of the source: instructions, or what sanitizers and transactions put beside an access, at
 * its place, which may be that of a call that it is an argument of.
 */
static bool made_by_compiler(const char *name)
{
	static const char *const begins[] = {"__builtin_", "__sync_",  "__atomic_",    "__tsan_", "__asan_",
					     "__hwasan_",  "__ubsan_", "__sanitizer_", "_ITM_"};

	for (unsigned i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static const char *builtin_reason(tree decl, gcall *call)
{
	if (!fndecl_built_in_p(decl, BUILT_IN_NORMAL) || made_by_compiler(callee_asm_name(decl)))
		return "";
	if (may_expand_inline(DECL_FUNCTION_CODE(decl)) && !stays_call(DECL_FUNCTION_CODE(decl), call))
		return "inline-builtin";
	return NULL;
}

const char *callee_no_probe_reason(gcall *call)
{
	tree decl = gimple_call_fndecl(call);

	if (gimple_call_internal_p(call))
		return "";
	if (decl && callee_is_trigger(callee_asm_name(decl)))
		return "";
	if (gimple_call_flags(call) & ECF_RETURNS_TWICE)
		return "returns-twice";
	if (gimple_call_must_tail_p(call))
		return "must-tail";
	if (decl && fndecl_built_in_p(decl))
		return builtin_reason(decl, call);
	return NULL;
}
