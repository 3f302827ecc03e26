/* SPDX-License-Identifier: MIT */
/*
 * Files of Perseus that a pack holds: what DO-330 asks of the verifiers, and the
 * unit test of the platform file, which is the same for all plans.  They are in
 * this program, so that a pack needs no source tree.
 */
#include "evidence/gates/kit.h"

/* The bytes of file @path, found from the top of the tree, under the name @name. */
#define FILE_OF(name, path)                                                                                  \
	__asm__(".pushsection .rodata\n"                                                                     \
		"kit_" #name ": .incbin \"" path "\"\n"                                                      \
		"kit_" #name "_end: .byte 0\n"                                                               \
		".popsection\n");                                                                            \
	extern const char kit_##name[] __attribute__((visibility("hidden")));                                \
	extern const char kit_##name##_end[] __attribute__((visibility("hidden")))

FILE_OF(requirements, "docs/verify/requirements.md");
FILE_OF(cases, "docs/verify/cases.md");
FILE_OF(problems, "docs/verify/known-problems.md");
FILE_OF(size, "docs/verify/size.md");
FILE_OF(run, "tests/codegen/unit/run");
FILE_OF(cover, "tests/codegen/unit/cover");
FILE_OF(fake_c, "tests/codegen/unit/fake.c");
FILE_OF(fake_h, "tests/codegen/unit/fake.h");
FILE_OF(base, "tests/codegen/unit/t-base.c");
FILE_OF(create, "tests/codegen/unit/t-create.c");
FILE_OF(others, "tests/codegen/unit/t-others.c");
FILE_OF(pins, "tests/codegen/unit/t-pins.c");
FILE_OF(steps, "tests/codegen/unit/t-steps.c");
FILE_OF(objcov, "tests/codegen/object/objcov.c");
FILE_OF(ctl, "include/perseus/ctl.h");

#define ROW(folder, file, name, role)                                                                        \
	{                                                                                                    \
		folder file, role, kit_##name, kit_##name##_end                                              \
	}
#define DOCUMENT(file, name) ROW("tools/", file, name, "of the stand-alone verifiers")
#define TEST(file, name)     ROW("platform-test/", file, name, "unit test of the platform file")

const struct kit_file *kit_files(size_t *n)
{
	static const struct kit_file files[] = {
		DOCUMENT("requirements.md", requirements),
		DOCUMENT("cases.md", cases),
		DOCUMENT("known-problems.md", problems),
		DOCUMENT("size.md", size),
		TEST("run", run),
		TEST("cover", cover),
		TEST("fake.c", fake_c),
		TEST("fake.h", fake_h),
		TEST("t-base.c", base),
		TEST("t-create.c", create),
		TEST("t-others.c", others),
		TEST("t-pins.c", pins),
		TEST("t-steps.c", steps),
		ROW("platform-test/object/", "objcov.c", objcov, "watches the branches of the flown object"),
		ROW("platform-test/perseus/", "ctl.h", ctl, "unit test of the platform file"),
	};

	*n = sizeof(files) / sizeof(files[0]);
	return files;
}
