/* SPDX-License-Identifier: MIT */
/*
 * Creation of threads goes through the generated code, as it does where that is linked in.  It comes
 * back here by the name that the linker's --wrap would give.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "runtime/trial/trial.h"

#define EXPORT __attribute__((visibility("default")))

typedef int create_fn(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		      void *argument);

EXPORT create_fn pthread_create;
EXPORT create_fn __real_pthread_create;

EXPORT int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
				 void *argument)
{
	create_fn *next = (create_fn *)dlsym(RTLD_NEXT, "pthread_create");

	return next(thread, attributes, start, argument);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
			  void *argument)
{
	int ret;

	if (!trial.plan || !trial.plan->create)
		return __real_pthread_create(thread, attributes, start, argument);
	ret = trial.plan->create(thread, attributes, start, argument);
	trial_tell();
	return ret;
}
