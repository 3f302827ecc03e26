/* SPDX-License-Identifier: MIT */
/* A search for a plan that was watched: its page holds all of it. */
#include <errno.h>

#include "lib/fs.h"
#include "lib/html/html.h"
#include "lib/read/json-read.h"
#include "report/page/tabs/tabs.h"

#define SEARCH_PAGE_MAX ((size_t)64 << 20)

int page_search_read(struct strbuf *json, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct json_value v;
	size_t len = 0;
	int ret = fs_read(path, SEARCH_PAGE_MAX, &text, err);
	const char *at = text.s ? html_document(text.s, "search", &len) : NULL;

	if (!ret && !at) {
		err_set(err, -EINVAL, "'%s' is no page of a search", path);
		ret = err_advise(err, "perseus plan MODEL -p PLATFORM --watch=FILE writes one");
	}
	if (!ret)
		ret = json_read(&v, at, len, path, err);
	if (!ret) {
		if (json_number_of(&v, "schema", 0) != 1 || !json_text_of(&v, "state", NULL))
			ret = err_set(err, -EINVAL, "'%s': the search in it is of another schema than 1",
				      path);
		else
			strbuf_add(json, at, len);
		json_release(&v);
	}
	strbuf_release(&text);
	return ret;
}
