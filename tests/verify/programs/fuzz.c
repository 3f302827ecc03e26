/* SPDX-License-Identifier: MIT */
/*
 * fuzz ROUNDS PLAN PLATFORM BINARY OBJECT
 * fuzz ROUNDS PLAN PLATFORM MODEL: changed, cut and repeated copies of
 * each file go through the readers and checks of perseus-verify and
 * perseus-plan-check.  Whatever they answer, they must not crash; built with
 * the sanitizers.  The same arguments give the same run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/verify/programs/draw.h"
#include "verify/weighed/weighed.h"
#include "verify/objects/cover.h"
#include "verify/objects/objects.h"
#include "verify/start/versions.h"

/* Half of the changes hit the first 4 kB and the last 8 kB, where heads and tables are. */
static size_t place(size_t size)
{
	switch (draw(4)) {
	case 0:
		return draw(size < 64 ? size : 64);
	case 1:
		return size > 8192 ? size - 8192 + draw(8192) : draw(size);
	default:
		return draw(size);
	}
}

static void change(struct input *in)
{
	static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff, '"', '\\', ':', '-', '{', '[', ' ', '\n', '#'};

	for (uint64_t n = 1 + draw(6); n && in->size; n--) {
		size_t at = place(in->size);

		switch (draw(4)) {
		case 0:
			in->data[at] = odd[draw(sizeof(odd))];
			break;
		case 1:
			in->data[at] ^= (uint8_t)(1u << draw(8));
			break;
		case 2:
			memset(in->data + at, draw(2) ? 0xff : 0, in->size - at < 8 ? in->size - at : 8);
			break;
		default:
			if (!draw(8))
				in->size = at;
		}
	}
}

static void write_changed(const char *from, const char *to)
{
	struct input in;
	struct fault f;
	FILE *out = fopen(to, "w");

	if (!out || input_read(&in, from, 1 << 26, &f))
		exit(9);
	change(&in);
	fwrite(in.data, 1, in.size, out);
	fclose(out);
	input_release(&in);
}

static unsigned judged[2];

static void judge(char **file)
{
	struct vplan plan = {0};
	struct vplatform platform = {0};
	struct binary binary = {0};
	struct objects objects = {0};
	struct libraries libraries = {0};
	struct findings list = {0};
	struct fault f;
	int ret = vplan_read(&plan, file[0], &f);

	if (!ret && !vplatform_read(&platform, file[1], &f))
		feasible_check(&plan, &platform, &list);
	if (!ret)
		ret = binary_open(&binary, file[2], &f);
	if (!ret) {
		binary_check(&binary, &plan, &list);
		ret = objects_check(&objects, &file[3], 1, &plan, &binary, &list, &binary.notes, &f);
	}
	if (!ret) {
		struct placed none = {0};

		cover_check(&binary, &objects.placed, &none, true, &binary.notes);
		ret = libraries_open(&libraries, &file[2], 1, &f);
	}
	if (!ret) {
		libraries_check(&libraries, &binary.needed, &binary.imports, &list, &binary.notes);
		versions_check_bound(&binary.image, &binary.symbols, &binary.needed, &libraries,
				     &binary.notes);
	}
	judged[ret == 0]++;
	findings_release(&list);
	libraries_release(&libraries);
	objects_release(&objects);
	binary_release(&binary);
	vplatform_release(&platform);
	vplan_release(&plan);
}

/* Even a plan that contradicts its platform goes through all of it. */
static void judge_figures(char **file)
{
	struct vplan plan = {0};
	struct vplatform platform = {0};
	struct vmodel model = {0};
	struct findings list = {0};
	struct vcost sums[3];
	struct fault f;
	bool readable = !vplan_read(&plan, file[0], &f) && !vplatform_read(&platform, file[1], &f) &&
			!vmodel_read(&model, file[2], &f);

	if (readable)
		weighed_claims(&plan, &model, 1, &platform, sums, &list);
	judged[readable]++;
	findings_release(&list);
	vmodel_release(&model);
	vplatform_release(&platform);
	vplan_release(&plan);
}

int main(int argc, char **argv)
{
	char tmp[] = "/tmp/perseus-fuzz-XXXXXX", *file[4] = {NULL};
	int n = argc - 2;

	if ((n != 3 && n != 4) || close(mkstemp(tmp)))
		return 9;
	for (int i = 0; i < atoi(argv[1]); i++) {
		memcpy(file, argv + 2, (size_t)n * sizeof(*file));
		write_changed(argv[2 + i % n], tmp);
		file[i % n] = tmp;
		if (n == 3)
			judge_figures(file);
		else
			judge(file);
	}
	unlink(tmp);
	printf("%u refused, %u judged\n", judged[0], judged[1]);
	return 0;
}
