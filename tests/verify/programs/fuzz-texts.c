/* SPDX-License-Identifier: MIT */
/*
 * fuzz-texts ROUNDS PLAN SOURCE MANIFEST: changed copies of a reviewed source
 * and of a manifest go through perseus-verify's readers: bytes, words that
 * change places, repeated and dropped pieces.  Whatever the answer, no crash,
 * and an end.  The same arguments give the same run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/verify/programs/draw.h"
#include "verify/base/manifest.h"
#include "verify/source/acts.h"

/* Exchange two pieces of up to 12 bytes. */
static void exchange(struct input *in)
{
	size_t n = 1 + draw(12), a = draw(in->size), b = draw(in->size);

	for (size_t i = 0; i < n && a + i < in->size && b + i < in->size; i++) {
		uint8_t c = in->data[a + i];

		in->data[a + i] = in->data[b + i];
		in->data[b + i] = c;
	}
}

static void change(struct input *in)
{
	static const char odd[] = "(){}[]*&;,.\"'#\\/0159uxUL_ \n-+=<>%!\x80\x01";

	for (uint64_t n = 1 + draw(3); n && in->size; n--) {
		switch (draw(5)) {
		case 0:
			exchange(in);
			break;
		case 1:
			in->data[draw(in->size)] ^= (uint8_t)(1u << draw(8));
			break;
		case 2:
			if (!draw(4))
				in->size = draw(in->size);
			break;
		default:
			in->data[draw(in->size)] = (uint8_t)odd[draw(sizeof(odd) - 1)];
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

static int judge_source(const char *path, const struct vplan *plan, struct findings *list)
{
	struct acts acts = {0};
	struct fault f;

	return acts_check(&acts, path, plan, list, &f);
}

static int judge_manifest(const char *path, struct findings *list)
{
	struct vmanifest m;
	struct fault f;
	int ret = vmanifest_read(&m, path, &f);

	if (!ret)
		vmanifest_check(&m, path, NULL, 0, NULL, 0, list);
	vmanifest_release(&m);
	return ret;
}

int main(int argc, char **argv)
{
	unsigned refused = 0, different = 0, equal = 0;
	char path[4096];
	struct vplan plan;
	struct fault f;

	if (argc != 5 || vplan_read(&plan, argv[2], &f))
		return 9;
	for (int i = 0; i < atoi(argv[1]); i++) {
		struct findings list = {0};
		const char *file = argv[3 + i % 2];
		int ret;

		/* beside the original, where its headers are */
		snprintf(path, sizeof(path), "%s.damaged", file);
		write_changed(file, path);
		ret = i % 2 ? judge_manifest(path, &list) : judge_source(path, &plan, &list);
		*(ret ? &refused : list.n ? &different : &equal) += 1;
		findings_release(&list);
		unlink(path);
	}
	vplan_release(&plan);
	printf("%u refused, %u different, %u equal\n", refused, different, equal);
	return 0;
}
