/* SPDX-License-Identifier: MIT */
/* What stands in a page in which order. */
#include "report/page/page.h"

#include "lib/fs.h"
#include "lib/html/frame.h"
#include "report/page/parts.h"

HTML_ASSET(arrays_js, "report/page/assets/arrays.js");
HTML_ASSET(energy_js, "report/page/assets/energy.js");
HTML_ASSET(view_js, "lib/html/assets/search.js");
HTML_ASSET(search_js, "report/page/assets/search.js");
HTML_ASSET(flame_js, "report/page/assets/flame.js");
HTML_ASSET(calls_js, "report/page/assets/calls.js");
HTML_ASSET(waits_js, "report/page/assets/waits.js");
HTML_ASSET(timeline_js, "report/page/assets/timeline.js");
HTML_ASSET(cells_js, "report/page/assets/memory-cells.js");
HTML_ASSET(replay_js, "report/page/assets/memory-replay.js");
HTML_ASSET(memory_js, "report/page/assets/memory.js");

void page_write(const struct page_parts *p, struct strbuf *out)
{
	static const struct html_asset scripts[] = {
		HTML_ASSET_OF(flame_js),  HTML_ASSET_OF(calls_js),  HTML_ASSET_OF(timeline_js),
		HTML_ASSET_OF(waits_js),  HTML_ASSET_OF(cells_js),  HTML_ASSET_OF(replay_js),
		HTML_ASSET_OF(memory_js), HTML_ASSET_OF(arrays_js), HTML_ASSET_OF(energy_js),
		HTML_ASSET_OF(view_js),   HTML_ASSET_OF(search_js)};
	const struct run *run = p->times->run;
	const struct html_frame frame = {
		.title = fs_base_name(run->manifest.program ? run->manifest.program : run->path),
		.scripts = scripts,
		.n_scripts = sizeof(scripts) / sizeof(scripts[0]),
	};

	html_frame_begin(&frame, out);
	page_first(p, out);
	page_data(p, out);
	html_frame_end(&frame, out);
}
