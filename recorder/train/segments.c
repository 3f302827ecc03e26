/* SPDX-License-Identifier: MIT */
#include "recorder/train/segments.h"

#define KB 1024u
#define MB (1024u * 1024u)

/* Walk through @bytes of memory in an order that no prefetcher knows. */
#define WALK(bytes)                                                                                          \
	"for (int i = 0; i < 3000; i++) {\n"                                                                 \
	"\ts->x = s->x * 6364136223846793005u + 1442695040888963407u;\n"                                     \
	"\ts->y += s->mem[(s->x >> 20) % " bytes "];\n}"

/* @operation on four numbers, so that they do not wait for each other. */
#define FOUR(type, start, operation)                                                                         \
	type " a = " start ", b = " start " + 1, c = " start " + 2, e = " start " + 3;\n"                    \
	     "for (int i = 0; i < 8000; i++) {\n\t" operation "\n}\n"                                        \
	     "s->d = (double)(a + b + c + e);"

const struct segment train_segments[] = {
	{"add", "integer", 0, "",
	 FOUR("unsigned long", "s->x", "a += b ^ i; b += c ^ i; c += e ^ i; e += a ^ i;")},
	{"multiply", "integer", 0, "",
	 FOUR("unsigned long", "s->x", "a = a * 3 + 1; b = b * 5 + 1; c = c * 7 + 1; e = e * 9 + 1;")},
	{"divide", "integer", 0, "",
	 "unsigned long a = ~0ul - s->x % 1000;\nfor (int i = 1; i < 8000; i++)\n\ta = ~0ul / (a % 1000 + 7) "
	 "+ i;\n"
	 "s->x = a;"},
	{"shift", "integer", 0, "",
	 FOUR("unsigned long", "s->x",
	      "a = a << 7 ^ a >> 9; b = b << 5 ^ b >> 3; c ^= a << 1; e ^= b >> 1;")},
	{"chain", "integer", 0, "",
	 "unsigned long a = s->x;\nfor (int i = 0; i < 20000; i++)\n\ta = a * 6364136223846793005u + "
	 "1;\ns->x = a;"},
	{"float-add", "float", 0, "", FOUR("float", "1.f", "a += 0.1f; b += 0.2f; c += 0.3f; e += 0.4f;")},
	{"float-multiply", "float", 0, "",
	 FOUR("float", "1.f", "a = a * 0.99f + 1; b = b * 0.98f + 1; c = c * 0.97f + 1; e = e * 0.96f + 1;")},
	{"float-divide", "float", 0, "",
	 FOUR("float", "1.f", "a = 3 / (a + 1); b = 5 / (b + 1); c = 7 / (c + 1); e = 9 / (e + 1);")},
	{"double-add", "double", 0, "", FOUR("double", "1.", "a += 0.1; b += 0.2; c += 0.3; e += 0.4;")},
	{"double-multiply", "double", 0, "",
	 FOUR("double", "1.", "a = a * 0.99 + 1; b = b * 0.98 + 1; c = c * 0.97 + 1; e = e * 0.96 + 1;")},
	{"double-divide", "double", 0, "",
	 FOUR("double", "1.", "a = 3 / (a + 1); b = 5 / (b + 1); c = 7 / (c + 1); e = 9 / (e + 1);")},
	{"square-root", "double", 0, "",
	 FOUR("double", "2.", "a = sqrt(a + 2); b = sqrt(b + 3); c = sqrt(c + 4); e = sqrt(e + 5);")},
	{"denormal", "denormal", 0, "",
	 "volatile double small = 1e-310;\nfor (int i = 0; i < 1500; i++)\n\tsmall = small * 0.9999 + "
	 "1e-312;\n"
	 "s->d += small;"},
	{"denormal-float", "denormal", 0, "",
	 "volatile float small = 1e-40f;\nfor (int i = 0; i < 1500; i++)\n\tsmall = small * 0.999f + "
	 "1e-42f;\n"
	 "s->d += (double)small;"},
	{"vector-float", "vector", 0, "typedef float v8f __attribute__((vector_size(32)));\n",
	 "v8f a = {1, 2, 3, 4, 5, 6, 7, 8}, b = a + 1;\nfor (int i = 0; i < 8000; i++) {\n"
	 "\ta = a * 0.99f + b;\n\tb = b * 0.98f + 1;\n}\ns->d = (double)(a[0] + b[1]);"},
	{"vector-double", "vector", 0, "typedef double v4d __attribute__((vector_size(32)));\n",
	 "v4d a = {1, 2, 3, 4}, b = a + 1;\nfor (int i = 0; i < 8000; i++) {\n"
	 "\ta = a * 0.99 + b;\n\tb = b * 0.98 + 1;\n}\ns->d = a[0] + b[1];"},
	{"vector-integer", "vector", 0, "typedef unsigned v8u __attribute__((vector_size(32)));\n",
	 "v8u a = {1, 2, 3, 4, 5, 6, 7, 8}, b = a + 1;\nfor (int i = 0; i < 8000; i++) {\n"
	 "\ta += b ^ (unsigned)i;\n\tb += a << 3;\n}\ns->x += a[0] + b[1];"},
	{"branch", "branch", 0, "",
	 "for (int i = 0; i < 20000; i++)\n\tif (i % 4 == 1)\n\t\ts->x += 3;\n\telse\n\t\ts->y ^= s->x;"},
	{"branch-random", "branch", 0, "",
	 "for (int i = 0; i < 8000; i++) {\n\ts->x = s->x * 6364136223846793005u + 1442695040888963407u;\n"
	 "\tif (s->x >> 40 & 1)\n\t\ts->y += 3;\n\telse\n\t\ts->y = s->y * 5 ^ (unsigned)i;\n}"},
	{"call", "branch", 0,
	 "static __attribute__((noinline)) unsigned long callee(unsigned long x)\n{\n\treturn x * 3 + "
	 "1;\n}\n",
	 "for (int i = 0; i < 8000; i++)\n\ts->x = callee(s->x);\ns->calls += 8000;"},
	{"load-l1", "cache", 16 * KB, "",
	 "for (int k = 0; k < 6; k++)\n\tfor (size_t i = 0; i < 16384; i += 8)\n\t\ts->y += *(long *)(s->mem "
	 "+ i);"},
	{"store-l1", "cache", 16 * KB, "",
	 "for (int k = 0; k < 6; k++)\n\tfor (size_t i = 0; i < 16384; i += 8)\n\t\t*(long *)(s->mem + i) = "
	 "(long)i + k;"},
	{"load-l2", "cache", 256 * KB, "", WALK("262144")},
	{"load-l3", "cache", 4 * MB, "", WALK("4194304")},
	{"load-memory", "memory", 64 * MB, "", WALK("67108864")},
	{"stream", "memory", 64 * MB, "",
	 "for (size_t i = 0; i < 524288; i += 64)\n\ts->y += s->mem[(s->x + i) % 67108864];\ns->x += "
	 "524288;"},
	{"copy", "memory", 16 * MB, "",
	 "memcpy(s->mem + s->x % 4000000, s->mem + 8000000 + s->x % 4000000, 400000);\ns->x += 400000;"},
	{"atomic", "sharing", 0, "", "for (int i = 0; i < 5000; i++)\n\tatomic_fetch_add(&s->own, 1);"},
	{"atomic-shared", "sharing", 0, "static _Atomic long all_add_here;\n",
	 "for (int i = 0; i < 2000; i++)\n\tatomic_fetch_add(&all_add_here, 1);"},
	{"false-sharing", "sharing", 0, "static volatile long one_line[8] __attribute__((aligned(64)));\n",
	 "for (int i = 0; i < 4000; i++)\n\tone_line[s->number & 7]++;"},
	{"mutex", "sharing", 0,
	 "static pthread_mutex_t common = PTHREAD_MUTEX_INITIALIZER;\nstatic long kept;\n",
	 "for (int i = 0; i < 1000; i++) {\n\tpthread_mutex_lock(&common);\n\tkept++;\n"
	 "\tpthread_mutex_unlock(&common);\n}"},
	{"system-call", "system", 0, "",
	 "for (int i = 0; i < 500; i++)\n\ts->x += (unsigned long)syscall(SYS_getppid);"},
	{"page-fault", "system", 0, "",
	 "char *page = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
	 "if (page != MAP_FAILED) {\n\tfor (int i = 0; i < 65536; i += 4096)\n\t\tpage[i] = 1;\n"
	 "\tmunmap(page, 65536);\n}"},
	{"yield", "system", 0, "", "for (int i = 0; i < 200; i++)\n\tsched_yield();"},
	{"idle", "idle", 0, "", "usleep(1000);"},
};
const size_t train_n_segments = sizeof(train_segments) / sizeof(train_segments[0]);
