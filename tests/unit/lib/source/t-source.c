/* SPDX-License-Identifier: MIT */
/* Declarations in sources: where they are, and what is not one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/source/alloc.h"
#include "lib/source/source.h"

static void parse(struct source *s, const char *path, const char *text)
{
	source_parse(s, path, text, strlen(text));
}

/* The members of the first struct called @name, as "first first:declarator ...". */
static char *members_of(const char *path, const char *text, const char *name)
{
	char *out = calloc(1, 4096);
	struct source_struct t;
	struct source s;

	parse(&s, path, text);
	for (size_t i = 0; source_next_struct(&s, &i, &t);) {
		struct source_members ms;

		if (!source_struct_named(&s, &t, name))
			continue;
		source_members(&s, t.open, t.close, &ms);
		for (size_t k = 0; k < ms.n; k++) {
			char *piece = source_piece(&s, ms.at[k].name, ms.at[k].name);

			strcat(strcat(out, *out ? " " : ""), piece);
			strcat(out, ms.at[k].bit_field  ? ":"
				    : ms.at[k].odd      ? "?"
				    : ms.at[k].flexible ? "[]"
							: "");
			free(piece);
		}
		strcat(out, ms.conditional ? " #" : "");
		source_members_release(&ms);
		break;
	}
	source_release(&s);
	return out;
}

static void check_members(const char *path, const char *text, const char *name, const char *want)
{
	char *got = members_of(path, text, name);

	assert_string_equal(got, want);
	free(got);
}

static void test_members(void **state)
{
	(void)state;
	check_members("a.c", "struct a { int x, *y, z[3]; const char *const n; };", "struct a", "x y z n");
	check_members("a.c", "typedef struct { long SX, SY; unsigned long MAX; } a_t;", "a_t", "SX SY MAX");
	check_members("a.c", "struct a { int x : 3, : 5, y : 1; };", "a", "x: y:");
	check_members("a.c", "struct a { int (*f)(int); int n; char tail[]; };", "a", "f? n tail[]");
	check_members("a.c", "struct a { struct { int i; } in; union { int u; float v; }; struct b *next; };",
		      "a", "in u v next");
	check_members("a.c", "struct a {\n#ifdef X\n int x;\n#endif\n int y; };", "a", "x y #");
	check_members("a.c", "struct a { int x; /* int no; */ // int nor;\n int y; };", "a", "x y");
	check_members("a.c",
		      "struct a { long x LINE; long y __attribute__((aligned(64))); long z ALIGNED(64); };",
		      "a", "x y z");
	check_members("a.c",
		      "struct a;\nstruct a *p;\nvoid f(struct a *q) { struct a *r; }\nstruct a { int x; };",
		      "a", "x");
	check_members("a.c", "struct __attribute__((packed)) a { char c; int i; };", "a", "c i");
	check_members("a.c", "const char *s = \"struct a { int no; };\";\nstruct a { int x; };", "a", "x");
}

static void test_cxx(void **state)
{
	(void)state;
	check_members(
		"a.cc",
		"class a final : public b<int>, c { public: a() : x(1) {} int f() { return x; }\n"
		"private: int x; std::map<int, std::pair<int, int>> m{}, n; static int s; using t = int; };",
		"a", "x m n");
	check_members("a.cc", "template <class T> struct r { T head{0}, tail = T(1); alignas(64) T v[4]; };",
		      "pool::r<std::atomic<int> >", "head tail v");
	check_members("a.cc", "template <class T> struct p { struct u { int x; }; u y; };",
		      "p<std::vector<int> >::u", "x");
	check_members("a.cc",
		      "struct a { std::function<void(int)> f; const char *s = R\"x(int no; })x\"; int n = "
		      "1'000; };",
		      "a", "f s n");
	check_members("a.cc",
		      "struct a { virtual ~a() = default; a &operator=(const a &) = delete; bool "
		      "operator<(a) const; int x; };",
		      "a", "x");
	check_members("a.cc", "enum class e { A, B };\nstruct a { enum { C, D } k; e l; };", "a", "k l");
}

/* The declaration of @name on @line: "number of declarators/its number first..end". */
static void check_variable(const char *path, const char *text, const char *name, unsigned line,
			   const char *want)
{
	struct source_members all;
	struct source s;
	size_t number;
	char *piece;

	parse(&s, path, text);
	number = source_find_variable(&s, name, line, &all);
	if (!want) {
		assert_true(number == SOURCE_NONE);
	} else {
		assert_true(number != SOURCE_NONE);
		piece = source_piece(&s, all.at[number].first, all.at[number].end);
		assert_string_equal(piece, want);
		free(piece);
	}
	source_members_release(&all);
	source_release(&s);
}

static void test_variables(void **state)
{
	(void)state;
	check_variable("a.c", "int f(void)\n{\n}\nstatic long n[2] LINE = {0};\n", "n", 4,
		       "static long n[2] LINE = {0};");
	check_variable("a.c", "int a = 1, b;\nstruct s { int x; } c,\n d;\n", "d", 3,
		       "struct s { int x; } c,\n d;");
	check_variable("a.c", "int v[] = {1, 2};\nint w;\n", "w", 2, "int w;");
	check_variable("a.c", "void f(void)\n{\n\tg();\n\tstatic int calls;\n}\n", "calls", 4,
		       "static int calls;");
	check_variable("a.c", "#define X int x;\nX\nint y;\n", "y", 3, "X\nint y;");
	check_variable("a.c", "int n;\n", "n", 2, NULL);
	check_variable("a.c", "int n;\n", "m", 1, NULL);
	check_variable("a.cc", "namespace n {\nstatic std::vector<long> v(2);\n}\n", "v", 2,
		       "static std::vector<long> v(2);");
	check_variable("a.cc", "int f(int a)\n{\n\tif (a)\n\t{ g(); }\n\tint b;\n}\n", "b", 5, "int b;");
	check_variable("a.cc", "struct alignas(64) S {\n\tint x;\n} s;\n", "s", 3,
		       "struct alignas(64) S {\n\tint x;\n} s;");
	check_variable("a.cc", "template <typename T> typename P<T>::U P<T>::use;\n", "use", 1,
		       "template <typename T> typename P<T>::U P<T>::use;");
}

/* Text that is no C at all must not lead anywhere. */
static void test_hostile(void **state)
{
	static const char *const texts[] = {"struct a {",
					    "struct",
					    "}}}}",
					    "((((",
					    "struct a { int x",
					    "\"",
					    "'",
					    "/*",
					    "R\"(",
					    "#",
					    "#if",
					    "struct a { ; ; };",
					    "<<<<",
					    "struct a : {",
					    "",
					    "struct a { int ; } ;",
					    "typedef struct { } ;",
					    "a b c d",
					    "int\\\n",
					    "\\"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (int cxx = 0; cxx < 2; cxx++) {
			char *got = members_of(cxx ? "a.cc" : "a.c", texts[i], "a");
			struct source_members all;
			struct source s;

			free(got);
			parse(&s, cxx ? "a.cc" : "a.c", texts[i]);
			source_find_variable(&s, "x", 1, &all);
			source_members_release(&all);
			source_release(&s);
		}
}

/* What makes objects of a type, and whether its size follows the type. */
static void test_allocs(void **state)
{
	static const struct {
		const char *text;
		bool any, unsized;
	} cases[] = {
		{"struct job *p = malloc(n * sizeof *p);", true, false},
		{"struct job *p = malloc(sizeof(struct job) * n);", true, false},
		{"struct job *p = malloc(32);", true, true},
		{"struct job *p = malloc(sizeof(long) * 2);", true, true},
		{"struct job *p = malloc(n * sizeof(std::uint64_t));", true, true},
		{"struct job **p = malloc(n * sizeof(struct job *));", true, false},
		{"struct job *p = malloc(sizeof(size_t) + n * sizeof(struct job));", true, false},
		{"struct job *p = malloc(sizeof(long) + n * sizeof *p);", true, false},
		{"struct job *p = malloc(n * sizeof(job_t));", true, false},
		{"struct job *a, *p; int f(void) { p = xmalloc(n * sizeof(*p)); }", true, false},
		{"struct q { struct job *jobs; }; int f(struct q *q) { q->jobs = realloc(q->jobs, n); }",
		 true, true},
		{"struct job *p = POOL_ALLOC(struct job, 3);", true, false},
		{"struct job j; char *s = malloc(32);", false, false},
		{"struct job *p; int f(int n) { void *p = malloc(n); }", false, false},
		{"struct job *p; int f(int n) { struct row *p = malloc(n); }", false, false},
		{"struct job *job_alloc(int n);", false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct source_allocs a;
		struct source s;

		source_parse(&s, "a.c", cases[i].text, strlen(cases[i].text));
		source_allocs(&s, "job", &a);
		if (a.any != cases[i].any || (a.unsized != SOURCE_NONE) != cases[i].unsized)
			fail_msg("%s", cases[i].text);
		source_release(&s);
	}
}

/* Bit-fields without a name are room, no members; braces of a value do not end a declaration. */
/* One capital is a macro where a type and a name stand in front of it, and else the name. */
static void a_letter_behind_a_name_is_a_macro(void **state)
{
	(void)state;
	check_members("a.c", "struct s { long a G; volatile int b G; unsigned long N; foo X; long V W; };",
		      "s", "a b N X W");
}

static void test_unnamed_bits(void **state)
{
	static const char text[] =
		"struct f { unsigned a : 3, : 2; unsigned : 0; uint8_t : 4; uint8_t b : 4; };\n"
		"std::atomic<long> up{0}, down{0};\n";
	struct source_members ms;
	struct source_struct t;
	struct source s;
	size_t i = 0;

	(void)state;
	source_parse(&s, "a.cc", text, strlen(text));
	assert_true(source_next_struct(&s, &i, &t));
	source_members(&s, t.open, t.close, &ms);
	assert_int_equal(ms.n, 2);
	assert_true(source_is(&s, ms.at[1].name, "b"));
	source_members_release(&ms);
	assert_int_equal(source_find_variable(&s, "down", 2, &ms), 1);
	assert_int_equal(ms.n, 2);
	source_members_release(&ms);
	source_release(&s);
}

static void languages_are_known_by_the_ends_of_names(void **state)
{
	(void)state;
	assert_true(source_is_fortran("a/cells.f90"));
	assert_true(source_is_fortran("CELLS.F"));
	assert_false(source_is_fortran("cells.c"));
	assert_false(source_is_fortran("x.f90/f"));
	assert_false(source_is_fortran("f90"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(languages_are_known_by_the_ends_of_names),
		cmocka_unit_test(test_allocs),
		cmocka_unit_test(test_unnamed_bits),
		cmocka_unit_test(a_letter_behind_a_name_is_a_macro),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_cxx),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_hostile),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
