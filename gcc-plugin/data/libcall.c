/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What library functions do to memory that they get the address of.  They carry no
 * probes, but their calls say enough: a lock is a word that is read and written
 * at one go, a copy is so many bytes.  Where the call does not say how many bytes
 * (strings), it is the first one: less than there is, but nothing is invented.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/data/libcall.h"

#define NO_LENGTH (-1)

struct lib_access {
	const char *name;
	int pointer; /* argument */
	unsigned kind;
	unsigned bytes; /* of the object, where `length` is NO_LENGTH */
	int length;     /* argument with the number of bytes, or of elements */
	int element;    /* argument with the bytes of an element, or NO_LENGTH */
};

/* The words of glibc's objects that such a call changes, from their first byte on. */
#define MUTEX_BYTES   16 /* lock, count, owner, users */
#define RWLOCK_BYTES  12
#define COND_BYTES    40
#define SEM_BYTES     8
#define BARRIER_BYTES 20

#define OBJECT(name, at, kind, bytes)                                                                        \
	{                                                                                                    \
		name, at, PRS_KIND_##kind, bytes, NO_LENGTH, NO_LENGTH                                       \
	}
#define BYTES(name, at, kind, length)                                                                        \
	{                                                                                                    \
		name, at, PRS_KIND_##kind, 0, length, NO_LENGTH                                              \
	}
#define ELEMENTS(name, at, kind, size, n)                                                                    \
	{                                                                                                    \
		name, at, PRS_KIND_##kind, 0, n, size                                                        \
	}

static const struct lib_access lib[] = {
	OBJECT("pthread_mutex_lock", 0, ATOMIC, MUTEX_BYTES),
	OBJECT("pthread_mutex_trylock", 0, ATOMIC, MUTEX_BYTES),
	OBJECT("pthread_mutex_timedlock", 0, ATOMIC, MUTEX_BYTES),
	OBJECT("pthread_mutex_clocklock", 0, ATOMIC, MUTEX_BYTES),
	OBJECT("pthread_mutex_unlock", 0, ATOMIC, MUTEX_BYTES),
	OBJECT("mtx_lock", 0, ATOMIC, MUTEX_BYTES),
	OBJECT("mtx_trylock", 0, ATOMIC, MUTEX_BYTES),
	OBJECT("mtx_timedlock", 0, ATOMIC, MUTEX_BYTES),
	OBJECT("mtx_unlock", 0, ATOMIC, MUTEX_BYTES),
	OBJECT("pthread_spin_lock", 0, ATOMIC, 4),
	OBJECT("pthread_spin_trylock", 0, ATOMIC, 4),
	OBJECT("pthread_spin_unlock", 0, STORE, 4),
	OBJECT("pthread_rwlock_rdlock", 0, ATOMIC, RWLOCK_BYTES),
	OBJECT("pthread_rwlock_tryrdlock", 0, ATOMIC, RWLOCK_BYTES),
	OBJECT("pthread_rwlock_timedrdlock", 0, ATOMIC, RWLOCK_BYTES),
	OBJECT("pthread_rwlock_clockrdlock", 0, ATOMIC, RWLOCK_BYTES),
	OBJECT("pthread_rwlock_wrlock", 0, ATOMIC, RWLOCK_BYTES),
	OBJECT("pthread_rwlock_trywrlock", 0, ATOMIC, RWLOCK_BYTES),
	OBJECT("pthread_rwlock_timedwrlock", 0, ATOMIC, RWLOCK_BYTES),
	OBJECT("pthread_rwlock_clockwrlock", 0, ATOMIC, RWLOCK_BYTES),
	OBJECT("pthread_rwlock_unlock", 0, ATOMIC, RWLOCK_BYTES),
	OBJECT("sem_wait", 0, ATOMIC, SEM_BYTES),
	OBJECT("sem_trywait", 0, ATOMIC, SEM_BYTES),
	OBJECT("sem_timedwait", 0, ATOMIC, SEM_BYTES),
	OBJECT("sem_clockwait", 0, ATOMIC, SEM_BYTES),
	OBJECT("sem_post", 0, ATOMIC, SEM_BYTES),
	OBJECT("pthread_barrier_wait", 0, ATOMIC, BARRIER_BYTES),
	OBJECT("pthread_cond_wait", 0, ATOMIC, COND_BYTES),
	OBJECT("pthread_cond_wait", 1, ATOMIC, MUTEX_BYTES),
	OBJECT("pthread_cond_timedwait", 0, ATOMIC, COND_BYTES),
	OBJECT("pthread_cond_timedwait", 1, ATOMIC, MUTEX_BYTES),
	OBJECT("pthread_cond_clockwait", 0, ATOMIC, COND_BYTES),
	OBJECT("pthread_cond_clockwait", 1, ATOMIC, MUTEX_BYTES),
	OBJECT("cnd_wait", 0, ATOMIC, COND_BYTES),
	OBJECT("cnd_wait", 1, ATOMIC, MUTEX_BYTES),
	OBJECT("cnd_timedwait", 0, ATOMIC, COND_BYTES),
	OBJECT("cnd_timedwait", 1, ATOMIC, MUTEX_BYTES),
	/* With nobody waiting they only look. */
	OBJECT("pthread_cond_signal", 0, LOAD, COND_BYTES),
	OBJECT("pthread_cond_broadcast", 0, LOAD, COND_BYTES),
	OBJECT("cnd_signal", 0, LOAD, COND_BYTES),
	OBJECT("cnd_broadcast", 0, LOAD, COND_BYTES),
	OBJECT("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", 0, ATOMIC, COND_BYTES),
	OBJECT("_ZNSt18condition_variable10notify_oneEv", 0, LOAD, COND_BYTES),
	OBJECT("_ZNSt18condition_variable10notify_allEv", 0, LOAD, COND_BYTES),

	BYTES("memcpy", 1, LOAD, 2),
	BYTES("memcpy", 0, STORE, 2),
	BYTES("memmove", 1, LOAD, 2),
	BYTES("memmove", 0, STORE, 2),
	BYTES("mempcpy", 1, LOAD, 2),
	BYTES("mempcpy", 0, STORE, 2),
	BYTES("__memcpy_chk", 1, LOAD, 2),
	BYTES("__memcpy_chk", 0, STORE, 2),
	BYTES("__memmove_chk", 1, LOAD, 2),
	BYTES("__memmove_chk", 0, STORE, 2),
	BYTES("__mempcpy_chk", 1, LOAD, 2),
	BYTES("__mempcpy_chk", 0, STORE, 2),
	BYTES("memset", 0, STORE, 2),
	BYTES("__memset_chk", 0, STORE, 2),
	BYTES("explicit_bzero", 0, STORE, 1),
	BYTES("bzero", 0, STORE, 1),
	BYTES("strncpy", 0, STORE, 2),
	BYTES("__strncpy_chk", 0, STORE, 2),
	BYTES("stpncpy", 0, STORE, 2),
	BYTES("read", 1, STORE, 2),
	BYTES("pread", 1, STORE, 2),
	BYTES("pread64", 1, STORE, 2),
	BYTES("recv", 1, STORE, 2),
	BYTES("recvfrom", 1, STORE, 2),
	BYTES("__read_chk", 1, STORE, 2),
	BYTES("write", 1, LOAD, 2),
	BYTES("pwrite", 1, LOAD, 2),
	BYTES("pwrite64", 1, LOAD, 2),
	BYTES("send", 1, LOAD, 2),
	BYTES("sendto", 1, LOAD, 2),
	BYTES("getrandom", 0, STORE, 1),
	ELEMENTS("fread", 0, STORE, 1, 2),
	ELEMENTS("fwrite", 0, LOAD, 1, 2),
	BYTES("__atomic_load", 1, LOAD, 0),
	BYTES("__atomic_store", 1, STORE, 0),
	BYTES("__atomic_exchange", 1, ATOMIC, 0),
	BYTES("__atomic_compare_exchange", 1, ATOMIC, 0),

	OBJECT("strcpy", 0, STORE, 1),
	OBJECT("__strcpy_chk", 0, STORE, 1),
	OBJECT("stpcpy", 0, STORE, 1),
	OBJECT("sprintf", 0, STORE, 1),
	OBJECT("__sprintf_chk", 0, STORE, 1),
	OBJECT("vsprintf", 0, STORE, 1),
	OBJECT("snprintf", 0, STORE, 1),
	OBJECT("__snprintf_chk", 0, STORE, 1),
	OBJECT("vsnprintf", 0, STORE, 1),
	OBJECT("__vsnprintf_chk", 0, STORE, 1),
	OBJECT("fgets", 0, STORE, 1),
};

/* Operators of std::atomic as mangled names end in, behind the template's arguments. */
static const struct {
	const char *end;
	unsigned kind;
} operators[] = {
	{"Epp", PRS_KIND_ATOMIC}, {"Emm", PRS_KIND_ATOMIC}, {"EpL", PRS_KIND_ATOMIC},
	{"EmI", PRS_KIND_ATOMIC}, {"EaN", PRS_KIND_ATOMIC}, {"EoR", PRS_KIND_ATOMIC},
	{"EeO", PRS_KIND_ATOMIC}, {"EaS", PRS_KIND_ATOMIC}, {"Ecv", PRS_KIND_LOAD},
};

/* A method of std::atomic, or of what it is made of: what stands behind its class's name, or NULL. */
static const char *of_atomic(const char *name)
{
	static const char *const classes[] = {"St6atomicI", "St13__atomic_baseI", "St14__atomic_floatI"};

	if (strncmp(name, "_ZN", 3))
		return NULL;
	name += 3;
	name += *name == 'V';
	name += *name == 'K';
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strncmp(name, classes[i], strlen(classes[i])))
			return name + strlen(classes[i]);
	return NULL;
}

bool libcall_operator(tree decl, unsigned *kind)
{
	const char *name = optimize ? NULL : of_atomic(callee_asm_name(decl));

	for (size_t i = 0; name && i < ARRAY_SIZE(operators); i++)
		if (strstr(name, operators[i].end)) {
			*kind = operators[i].kind;
			return true;
		}
	return false;
}

/* The number of bytes that the call says, of size_t; NULL_TREE: none, or nothing that is known in front of it. */
static tree length_of(const gcall *call, const struct lib_access *a)
{
	tree n, size;

	if (a->length >= (int)gimple_call_num_args(call))
		return NULL_TREE;
	n = gimple_call_arg(call, (unsigned)a->length);
	if (!INTEGRAL_TYPE_P(TREE_TYPE(n)) || !is_gimple_val(n))
		return NULL_TREE;
	if (a->element == NO_LENGTH)
		return n;
	size = a->element < (int)gimple_call_num_args(call) ? gimple_call_arg(call, (unsigned)a->element)
							    : NULL_TREE;
	if (size && integer_onep(size))
		return n;
	if (size && integer_onep(n))
		return size;
	return size && TREE_CODE(size) == INTEGER_CST && TREE_CODE(n) == INTEGER_CST
		       ? fold_build2(MULT_EXPR, TREE_TYPE(n), n, fold_convert(TREE_TYPE(n), size))
		       : NULL_TREE;
}

/* The object that @ptr was taken of, if its address is written there. */
static tree object_of(tree ptr)
{
	if (TREE_CODE(ptr) == SSA_NAME && gimple_assign_single_p(SSA_NAME_DEF_STMT(ptr)))
		ptr = gimple_assign_rhs1(SSA_NAME_DEF_STMT(ptr));
	return TREE_CODE(ptr) == ADDR_EXPR ? TREE_OPERAND(ptr, 0) : NULL_TREE;
}

static bool libcall_fill(struct mem_access *out, const gcall *call, const struct lib_access *a)
{
	tree ptr, type = unsigned_char_type_node;

	if (a->pointer >= (int)gimple_call_num_args(call))
		return false;
	ptr = gimple_call_arg(call, (unsigned)a->pointer);
	if (!POINTER_TYPE_P(TREE_TYPE(ptr)) || integer_zerop(ptr) || !is_gimple_val(ptr))
		return false;
	memset(out, 0, sizeof(*out));
	out->kind = a->kind;
	out->bytes = a->bytes;
	out->fixed = true;
	out->length = a->length == NO_LENGTH ? NULL_TREE : length_of(call, a);
	if (a->length != NO_LENGTH && (!out->length || integer_zerop(out->length)))
		return false;
	if (a->bytes > 1)
		type = build_array_type_nelts(unsigned_char_type_node, a->bytes);
	out->ref = fold_build2(MEM_REF, type, unshare_expr(ptr), build_int_cst(ptr_type_node, 0));
	out->says = object_of(ptr);
	if (!out->says)
		out->says = out->ref;
	return true;
}

/* Size of what @ptr shows, as its type says. */
static bool size_of_target(tree ptr, unsigned *bytes)
{
	tree size = POINTER_TYPE_P(TREE_TYPE(ptr)) ? TYPE_SIZE_UNIT(TREE_TYPE(TREE_TYPE(ptr))) : NULL_TREE;

	if (!size || !tree_fits_uhwi_p(size) || !IN_RANGE(tree_to_uhwi(size), 1, 16))
		return false;
	*bytes = (unsigned)tree_to_uhwi(size);
	return true;
}

unsigned libcall_accesses(gcall *call, struct mem_access *out, unsigned n)
{
	struct lib_access of = {"", 0, PRS_KIND_ATOMIC, 0, NO_LENGTH, NO_LENGTH};
	tree decl = gimple_call_fndecl(call);
	const char *name;

	if (!decl || gimple_call_internal_p(call))
		return n;
	if (n < ACCESS_MAX && libcall_operator(decl, &of.kind) && gimple_call_num_args(call) &&
	    size_of_target(gimple_call_arg(call, 0), &of.bytes) && libcall_fill(&out[n], call, &of))
		return n + 1;
	name = TREE_PUBLIC(decl) ? callee_asm_name(decl) : "";
	for (size_t i = 0; i < ARRAY_SIZE(lib); i++)
		if (n < ACCESS_MAX && !strcmp(lib[i].name, name) && libcall_fill(&out[n], call, &lib[i]))
			n++;
	return n;
}
