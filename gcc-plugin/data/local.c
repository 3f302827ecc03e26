/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread-local variable is its thread's own, until the address goes to another one:
 *
 *     published = &box;            here: by a reference to the address
 *     box.mine++;                  then this access can meet the other's box->yours++
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/data/local.h"

static hash_set<tree> *lent;

static bool address_taken(varpool_node *node)
{
	ipa_ref *ref = NULL;

	for (unsigned i = 0; node->iterate_referring(i, ref); i++)
		if (ref->use == IPA_REF_ADDR)
			return true;
	return false;
}

/* PLUGIN_ALL_IPA_PASSES_END: when the first function is compiled, all references are forgotten. */
static void local_look(void *, void *)
{
	varpool_node *node;

	if (!lent)
		lent = new hash_set<tree>;
	FOR_EACH_VARIABLE(node)
	if (DECL_THREAD_LOCAL_P(node->decl) && (node->externally_visible || address_taken(node)))
		lent->add(node->decl);
}

void local_install(void)
{
	register_callback("perseus", PLUGIN_ALL_IPA_PASSES_END, local_look, NULL);
}

bool local_lent(tree var)
{
	return DECL_EXTERNAL(var) || !lent || lent->contains(var);
}

bool local_has_address(tree var)
{
	enum tls_model model = DECL_TLS_MODEL(var);

	return !lent || model == TLS_MODEL_LOCAL_EXEC || model == TLS_MODEL_INITIAL_EXEC;
}
