/* SPDX-License-Identifier: MIT */
/* Timeline: threads over time, with their waits, who ended these, and their calls. */
'use strict';
perseus.tab({
	id: 'timeline', title: 'Timeline', needs: ['timeline'], without: 'The run holds no times.',
	async draw(panel) {
		const {el, time, group, percent, color, short} = perseus;
		const plan = perseus.data('plan'), wanted = await perseus.table('plan_cores'), speeds = await perseus.table('speed_spans');
		const phases = perseus.data('phases'), phase_spans = await perseus.table('phase_spans');
		/* A row: the calls and waits, and below them ribbons of what there is: planned cores, cores, speeds. */
		const RIBBON = 4, planned = wanted && wanted.rows ? RIBBON : 0, fast = speeds && speeds.rows ? 2 * RIBBON : 0;
		const GUTTER = 170, RULER = 22, PHASES = phases && phase_spans.rows > 1 ? 15 : 0, AXIS = RULER + PHASES, BODY = 22, ROW = BODY + planned + fast;
		const LEVEL = 13, LEVELS = 14, LANES = 1 + (planned ? 1 : 0) + (fast ? 2 : 0), HEIGHT = 560, LEAST = 120, LISTED = 100;
		const doc = perseus.data('timeline'), names = perseus.data('calls').threads;
		const [lives, events, long, bins, traced] = await Promise.all(['lives', 'events', 'long_calls', 'trace_bins', 'trace_calls'].map(perseus.table));
		const whole = {from: 0, to: 1};
		for (let i = 0; i < lives.rows; i++)
			whole.to = Math.max(whole.to, lives.end[i]);

		/* ---- what each thread has ---------------------------------------------------------- */

		/* Rows of @table of one thread in order of time, and how long the longest is. */
		function sorted(table, order) {
			let longest = 0;
			order.sort((a, b) => table.begin[a] - table.begin[b] || table.ns[b] - table.ns[a]);
			for (const k of order)
				longest = Math.max(longest, table.ns[k]);
			return {table, order, longest};
		}

		function by_thread(table, ok) {
			const out = new Map();
			for (let k = 0; table && k < table.rows; k++) {
				if (table.thread[k] < 0 || (ok && !ok(k)))
					continue;
				const list = out.get(table.thread[k]);
				if (list)
					list.push(k);
				else
					out.set(table.thread[k], [k]);
			}
			for (const [thread, list] of out)
				out.set(thread, sorted(table, list));
			return out;
		}
		const nothing = {order: [], longest: 0};
		const waits = by_thread(events, k => doc.kinds[events.kind[k]] !== null && events.ns[k] > 0);
		const logged = by_thread(long), single = by_thread(traced);

		/* How many calls of a thread are round each of its calls. */
		function depths(list) {
			const ends = [], depth = new Uint8Array(list.order.length);
			list.order.forEach((k, i) => {
				while (ends.length && ends[ends.length - 1] < list.table.begin[k] + list.table.ns[k])
					ends.pop();
				depth[i] = Math.min(ends.length, 255);
				ends.push(list.table.begin[k] + list.table.ns[k]);
			});
			return depth;
		}
		for (const list of logged.values())
			list.depth = depths(list);
		for (const list of single.values())
			list.depth = depths(list);

		/* Where each thread was seen, and the name of that. */
		const cores = perseus.data('cores'), spans = await perseus.table('core_spans');
		const seen_on = by_thread(spans), core_name = k => `core ${spans.core[k]}`;
		const wanted_on = by_thread(wanted), speed_of = by_thread(speeds), gigahertz = khz => `${(khz / 1e6).toFixed(2)} GHz`;
		let fastest = 1;
		for (let k = 0; speeds && k < speeds.rows; k++)
			fastest = Math.max(fastest, speeds.khz[k]);
		const phase_list = phases ? sorted(phase_spans, Array.from({length: phase_spans.rows}, (_, k) => k)) : {order: [], longest: 0};

		/* Calls of functions that the plan runs with flush-to-zero, by place. */
		const flushes = plan ? plan.flushes : [], flushed = new Map();
		doc.places.forEach((p, i) => {
			const f = p.callee && flushes.find(x => x.function === p.callee);
			if (f)
				flushed.set(i, `, planned: flush to zero (${f.set})`);
		});

		/* Bins of a thread one after the other. */
		const slices = doc.trace ? doc.trace.slices : 1, binned = new Map();
		for (let k = 0; bins && k < bins.rows; k++) {
			if (!binned.has(bins.thread[k]))
				binned.set(bins.thread[k], []);
			binned.get(bins.thread[k]).push(k);
		}

		const callee = place => place < 0 ? 'not known' : short(doc.places[place].callee || 'not known');
		const where = place => place < 0 ? '' : perseus.place(doc.places[place].file, doc.places[place].line);
		const who = thread => thread < 0 ? 'not known' : names[thread];
		const at_what = k => events.object[k] < 0 ? '' : doc.objects[events.object[k]];
		const wait_words = k => `waits at ${doc.kinds[events.kind[k]]} ${at_what(k)}`.trim();

		/* ---- view ---------------------------------------------------------------------------- */

		const view = {from: 0, to: whole.to, top: 0, text: '', order: 'begin', open: -1, chosen: null, path: false};
		const canvas = el('canvas', {tabindex: 0, height: HEIGHT, class: 'timeline',
			'aria-label': 'threads over time: arrows move, plus and minus zoom, Home shows the whole run; the table below says what is in view'});
		const hover = el('p', {class: 'hover', 'aria-live': 'polite'}, '\u00a0');
		const shown_of = el('span', {});
		const SERIES = ['own', 'good', 'probe', 'lib', 'bad'];
		let rows = [], palette = {};

		function choose() {
			const key = {begin: i => lives.begin[i], life: i => lives.begin[i] - lives.end[i], wait: i => -lives.wait_ns[i]}[view.order];
			rows = [];
			for (let i = 0; i < lives.rows; i++)
				if (names[i].toLowerCase().includes(view.text))
					rows.push(i);
			rows.sort((a, b) => key(a) - key(b) || a - b);
			view.top = 0;
		}

		function colors() {
			palette = {series: SERIES.map(color)};
			for (const name of ['paper', 'ink', 'dim', 'line', 'shade', 'wait', 'bad'])
				palette[name] = color(name);
		}

		const width = () => canvas.clientWidth || 1200;
		const scale = () => (width() - GUTTER) / (view.to - view.from);
		const x_of = t => GUTTER + (t - view.from) * scale();
		const t_of = x => view.from + (x - GUTTER) / scale();
		/* As high as its threads need, up to a limit. */
		let high = HEIGHT;
		const fit = () => Math.min(HEIGHT, Math.max(LEAST, AXIS + 8 + rows.reduce((sum, i) => sum + height_of(i), 0)));
		const height_of = thread => thread === view.open ? ROW + LEVEL * (LEVELS + LANES) : ROW;

		/* Thread and pixels of each row that is to be seen. */
		function visible() {
			const out = [];
			let y = AXIS;
			for (let i = view.top; i < rows.length && y < high; i++) {
				out.push({thread: rows[i], y, h: height_of(rows[i])});
				y += height_of(rows[i]);
			}
			return out;
		}

		/* First in @list that may touch @from: all before are too short. */
		function start(list, from) {
			let low = 0, high = list.order.length;
			while (low < high) {
				const mid = (low + high) >> 1;
				if (list.table.begin[list.order[mid]] < from - list.longest)
					low = mid + 1;
				else
					high = mid;
			}
			return low;
		}

		/* Call @with(k, i) for all of @list between @from and @to. */
		function each(list, from, to, each_one) {
			for (let i = start(list, from); i < list.order.length; i++) {
				const k = list.order[i];
				if (list.table.begin[k] > to)
					return;
				if (list.table.begin[k] + list.table.ns[k] >= from)
					each_one(k, i);
			}
		}

		const of_core = core => palette.series[core % SERIES.length];
		const hue = place => palette.series[((place * 7919) >>> 3) % palette.series.length];

		function draw_calls(g, list, r) {
			const last = new Float64Array(LEVELS + 1).fill(-1), open = r.thread === view.open;
			each(list, view.from, view.to, (k, i) => {
				const d = Math.min(list.depth[i], open ? LEVELS - 1 : 3), a = Math.max(x_of(list.table.begin[k]), GUTTER);
				const b = Math.min(x_of(list.table.begin[k] + list.table.ns[k]), width());
				if (b < last[d] + 0.4)
					return;
				last[d] = b;
				const y = open ? r.y + ROW + d * LEVEL : r.y + 5 + d * 3, h = open ? LEVEL - 1 : BODY - 9 - d * 3;
				g.fillStyle = hue(list.table.place[k]);
				g.fillRect(a, y, Math.max(b - a, 0.6), h);
				if (b - a > 30) {
					g.strokeStyle = palette.paper;
					g.strokeRect(a + 0.5, y + 0.5, b - a - 1, h - 1);
					if (open || (d === list.depth[i] && d < 2))
						label(g, callee(list.table.place[k]), a, b, y + (open ? 10 : 9 - d), perseus.ink_on(hue(list.table.place[k])));
				}
			});
		}

		function label(g, text, a, b, y, ink, behind) {
			const room = Math.floor((b - a - 6) / 6.2), shown = text.length > room ? text.slice(0, room - 1) + '\u2026' : text;
			if (room < 3)
				return;
			if (behind) { /* stripes would cross the letters */
				g.fillStyle = behind;
				g.fillRect(a + 2, y - 10, Math.min(g.measureText(shown).width + 3, b - a - 4), 12);
			}
			g.fillStyle = ink;
			g.fillText(shown, a + 3, y);
		}

		/* Of the whole run: what took most of each bin, piled up. */
		function draw_bins(g, r) {
			const list = binned.get(r.thread) || [], slice = whole_end() / slices;
			let bin = -1, filled = 0;
			for (const k of list) {
				if (bins.bin[k] !== bin) {
					bin = bins.bin[k];
					filled = 0;
				}
				const a = x_of(bin * slice), b = x_of((bin + 1) * slice), h = (BODY - 9) * Math.min(bins.ns[k] / slice, 1);
				if (b < GUTTER || a > width())
					continue;
				g.fillStyle = hue(bins.place[k]);
				g.fillRect(Math.max(a, GUTTER), r.y + BODY - 4 - filled - h, Math.max(b - Math.max(a, GUTTER), 0.6), h);
				filled += h;
			}
		}
		const whole_end = () => whole.to;
		const windowed = () => doc.trace && doc.trace.windows.some(w => w.begin <= view.from && w.end >= view.to);

		function draw_waits(g, r) {
			let last = -1;
			each(waits.get(r.thread) || nothing, view.from, view.to, k => {
				const a = Math.max(x_of(events.begin[k]), GUTTER), b = Math.min(x_of(events.begin[k] + events.ns[k]), width());
				if (b < last + 0.4)
					return;
				last = b;
				g.fillStyle = palette.wait;
				g.fillRect(a, r.y + 3, Math.max(b - a, 0.6), BODY - 7);
				if (b - a < 6)
					return;
				g.strokeStyle = palette.paper;
				g.beginPath();
				for (let x = a + 4; x < b; x += 7) {
					g.moveTo(x, r.y + 3);
					g.lineTo(Math.max(x - 4, a), r.y + BODY - 4);
				}
				g.stroke();
				label(g, wait_words(k).slice(9), a, b, r.y + 14, '#000000', palette.wait);
			});
		}

		/* A dashed line over calls that the plan wants to flush to zero, with all that they call. */
		function draw_flushes(g, r) {
			let last = -1;
			const one = windowed() && single.has(r.thread), list = one ? single.get(r.thread) : !binned.has(r.thread) && logged.get(r.thread) || nothing;
			const line = (from, to) => {
				const a = Math.max(x_of(from), GUTTER), b = Math.min(x_of(to), width());
				if (b < last + 0.4)
					return;
				last = b;
				g.moveTo(a, r.y + 1.5);
				g.lineTo(Math.max(b, a + 1), r.y + 1.5);
			};
			g.beginPath();
			each(list, view.from, view.to, k => flushed.has(list.table.place[k]) && line(list.table.begin[k], list.table.begin[k] + list.table.ns[k]));
			if (!one && binned.has(r.thread))
				for (const k of binned.get(r.thread))
					if (flushed.has(bins.place[k]))
						line(bins.bin[k] * whole_end() / slices, (bins.bin[k] + 1) * whole_end() / slices);
			g.strokeStyle = palette.ink;
			g.lineWidth = 3;
			g.setLineDash([4, 2]);
			g.stroke();
			g.setLineDash([]);
			g.lineWidth = 1;
		}

		/* Below a thread a ribbon of cores; where it is open, with their numbers. */
		function draw_cores(g, r, list, lane, at, word) {
			const open = r.thread === view.open, y = open ? r.y + ROW + LEVEL * (LEVELS + lane) : r.y + at, h = open ? LEVEL - 1 : 3, t = list.table;
			each(list, view.from, view.to, k => {
				const a = Math.max(x_of(t.begin[k]), GUTTER), b = Math.min(x_of(t.begin[k] + t.ns[k]), width());
				g.fillStyle = of_core(t.core[k]);
				g.fillRect(a, y, Math.max(b - a, 1), h);
				if (open)
					label(g, `${word}core ${t.core[k]}`, a, b, y + 10, perseus.ink_on(of_core(t.core[k])));
			});
		}

		/* How fast the core was, as height; where the thread is open, in figures. */
		function draw_speeds(g, r) {
			const open = r.thread === view.open, bottom = open ? r.y + ROW + LEVEL * (LEVELS + LANES) - 2 : r.y + ROW - 1, high = open ? 2 * LEVEL - 2 : fast - 2;
			g.fillStyle = palette.dim;
			each(speed_of.get(r.thread) || nothing, view.from, view.to, k => {
				const a = Math.max(x_of(speeds.begin[k]), GUTTER), b = Math.min(x_of(speeds.begin[k] + speeds.ns[k]), width()), h = high * speeds.khz[k] / fastest;
				g.fillStyle = palette.dim;
				g.fillRect(a, bottom - h, Math.max(b - a, 0.6), h);
				if (open)
					label(g, gigahertz(speeds.khz[k]), a, b, bottom - 4, perseus.ink_on(palette.dim));
			});
		}

		/* The phases above all threads, every other one shaded, each from its line on. */
		function draw_phases(g) {
			each({...phase_list, table: phase_spans}, view.from, view.to, (k, i) => {
				const a = Math.max(x_of(phase_spans.begin[k]), GUTTER), b = Math.min(x_of(phase_spans.begin[k] + phase_spans.ns[k]), width());
				g.fillStyle = i % 2 ? palette.line : palette.shade;
				g.fillRect(a, RULER, b - a, PHASES - 2);
				g.fillStyle = palette.dim;
				if (x_of(phase_spans.begin[k]) >= GUTTER)
					g.fillRect(a, RULER, 1, high);
				label(g, phases.phases[phase_spans.phase[k]].name, a, b, RULER + 10, palette.ink);
			});
		}

		function draw_row(g, r) {
			const a = Math.max(x_of(lives.begin[r.thread]), GUTTER), b = Math.min(x_of(lives.end[r.thread]), width());
			g.fillStyle = palette.dim;
			g.fillText(names[r.thread].slice(0, 26), 4, r.y + 15);
			g.strokeStyle = palette.line;
			g.strokeRect(0, r.y + r.h - 0.5, width(), 0.01);
			if (b <= GUTTER || a >= width())
				return;
			g.fillStyle = palette.shade;
			g.fillRect(a, r.y + 2, Math.max(b - a, 1), BODY - 5);
			g.fillStyle = palette.ink;
			if (a > GUTTER)
				g.fillRect(a, r.y + 2, 1, BODY - 5);
			if (!lives.alive[r.thread] && b < width())
				g.fillRect(b - 1, r.y + 2, 1, BODY - 5);
			draw_bins(g, r);
			if (windowed() && single.has(r.thread))
				draw_calls(g, single.get(r.thread), r);
			else if (logged.has(r.thread) && !binned.has(r.thread))
				draw_calls(g, logged.get(r.thread), r);
			else if (r.thread === view.open)
				draw_calls(g, single.get(r.thread) || logged.get(r.thread) || {...nothing, table: long, depth: []}, r);
			draw_waits(g, r);
			if (flushed.size)
				draw_flushes(g, r);
			if (planned)
				draw_cores(g, r, wanted_on.get(r.thread) || nothing, 0, BODY - 4, 'planned ');
			draw_cores(g, r, seen_on.get(r.thread) || nothing, planned ? 1 : 0, BODY - 4 + planned, planned ? 'seen ' : '');
			if (fast)
				draw_speeds(g, r);
		}

		function draw_axis(g) {
			const step = 10 ** Math.floor(Math.log10((view.to - view.from) / 4));
			const every = (view.to - view.from) / step > 16 ? step * 5 : (view.to - view.from) / step > 8 ? step * 2 : step;
			g.strokeStyle = palette.line;
			for (let t = Math.ceil(view.from / every) * every; t <= view.to; t += every) {
				g.fillStyle = palette.dim;
				if (x_of(t) + 6 + g.measureText(time(t)).width < width())
					g.fillText(time(t), x_of(t) + 3, 14);
				g.strokeRect(x_of(t), 0, 0.01, high);
			}
			if (PHASES)
				draw_phases(g);
			g.fillStyle = palette.bad;
			for (const w of doc.trace ? doc.trace.windows : []) {
				const a = Math.max(x_of(w.begin), GUTTER), b = Math.min(x_of(w.end), width());
				if (b > a)
					g.fillRect(a, RULER - 3, b - a, 2);
			}
		}

		/* From the end of a wait to the thread that ended it. */
		function arrow(g, k, seen) {
			const a = seen.find(r => r.thread === events.thread[k]), b = seen.find(r => r.thread === events.other[k]);
			const x = x_of(events.begin[k] + events.ns[k]);
			if (!a || !b || a === b || x < GUTTER || x > width())
				return;
			const up = b.y > a.y ? 1 : -1, tip = a.y + BODY / 2 + up * (BODY / 2 - 3);
			g.beginPath();
			g.moveTo(x, b.y + BODY / 2);
			g.lineTo(x, tip);
			g.moveTo(x - 3, tip + up * 5);
			g.lineTo(x, tip);
			g.lineTo(x + 3, tip + up * 5);
			g.stroke();
		}

		function draw_arrows(g, seen) {
			const list = [];
			for (const r of seen)
				each(waits.get(r.thread) || nothing, view.from, view.to, k => {
					if (events.other[k] >= 0 && list.length < 2000 && events.ns[k] * scale() > 3)
						list.push(k);
				});
			g.strokeStyle = palette.bad;
			if (list.length <= 300)
				list.forEach(k => arrow(g, k, seen));
			if (view.chosen !== null) {
				g.lineWidth = 3;
				arrow(g, view.chosen, seen);
				g.lineWidth = 1;
			}
		}

		/* The critical path: where it runs in a thread, and where it goes over. */
		const path = perseus.data('critical'), number = new Map(names.map((n, i) => [n, i]).filter(x => lives.process[x[1]] === 0));
		const steps = path && path.steps ? path.steps.map(s => ({...s, row: number.get(s.thread)})) : [];

		function draw_path(g, seen) {
			const y = new Map(seen.map(r => [r.thread, r.y + BODY - 2]));
			let last = -1, low = 0, high = steps.length;
			while (low < high) {
				const mid = (low + high) >> 1;
				if (steps[mid].end < view.from)
					low = mid + 1;
				else
					high = mid;
			}
			g.strokeStyle = palette.ink;
			g.lineWidth = 2;
			g.beginPath();
			for (let i = low; i < steps.length && steps[i].begin <= view.to; i++) {
				const a = Math.max(x_of(steps[i].begin), GUTTER), b = Math.min(x_of(steps[i].end), width()), at = y.get(steps[i].row);
				if (at === undefined || b < last + 0.3)
					continue;
				const before = i ? y.get(steps[i - 1].row) : undefined;
				if (before !== undefined && before !== at && x_of(steps[i].begin) >= GUTTER) {
					g.moveTo(a, before);
					g.lineTo(a, at);
				}
				g.moveTo(a, at);
				g.lineTo(b, at);
				last = b;
			}
			g.stroke();
			g.lineWidth = 1;
		}

		let listing = 0;
		function draw() {
			const g = canvas.getContext('2d'), ratio = window.devicePixelRatio || 1;
			canvas.width = Math.round(width() * ratio);
			high = fit();
			canvas.style.height = `${high}px`;
			canvas.height = high * ratio;
			g.setTransform(ratio, 0, 0, ratio, 0, 0);
			g.font = '12px system-ui, sans-serif';
			g.fillStyle = palette.paper;
			g.fillRect(0, 0, width(), high);
			draw_axis(g);
			const seen = visible();
			seen.forEach(r => draw_row(g, r));
			draw_arrows(g, seen);
			if (view.path)
				draw_path(g, seen);
			shown_of.textContent = `${time(view.from)} to ${time(view.to)} (${time(view.to - view.from)}); threads ${rows.length ? view.top + 1 : 0} to ${view.top + seen.length} of ${group(rows.length)}`;
			canvas.dataset.from = view.from;
			canvas.dataset.to = view.to;
			clearTimeout(listing);
			listing = setTimeout(fill, 60);
		}

		function show(from, to) {
			const least = 50, span = Math.min(Math.max(to - from, least), whole.to);
			view.from = Math.min(Math.max((from + to - span) / 2, 0), whole.to - span);
			view.to = view.from + span;
			draw();
		}

		function zoom(factor, x) {
			const t = x === undefined ? (view.from + view.to) / 2 : t_of(x);
			show(t - (t - view.from) * factor, t + (view.to - t) * factor);
		}

		function scroll(n) {
			view.top = Math.min(Math.max(view.top + n, 0), Math.max(rows.length - 1, 0));
			draw();
		}

		const pan = part => show(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));

		/* ---- what is in view -------------------------------------------------------------- */

		const part = (a, ns) => Math.min(a + ns, view.to) - Math.max(a, view.from);
		const grid = perseus.grid([
			{name: 'what', key: r => r.what, text: r => r.what},
			{name: 'thread', key: r => names[r.thread], text: r => names[r.thread]},
			{name: 'place', place: true, key: r => r.place, text: r => r.place},
			{name: 'began', key: r => r.begin, text: r => time(r.begin), number: true},
			{name: 'took', key: r => r.ns, text: r => time(r.ns), number: true},
			{name: 'in view', key: r => r.part, text: r => time(r.part), number: true, first: true},
			{name: 'ended by', key: r => r.by, text: r => r.by},
		], [], r => {
			view.chosen = r.event === undefined ? null : r.event;
			show(r.begin - 0.3 * r.ns, r.begin + 1.3 * r.ns);
			say(r);
		}, LISTED);
		let listed = [];

		function fill() {
			const calls = windowed() && traced ? single : logged;
			listed = [];
			for (const r of rows) {
				each(waits.get(r) || nothing, view.from, view.to, k => listed.push({what: wait_words(k), thread: r, place: where(events.place[k]), begin: events.begin[k],
					ns: events.ns[k], part: part(events.begin[k], events.ns[k]), by: events.other[k] < 0 ? '' : who(events.other[k]), event: k}));
				const list = calls.get(r) || nothing;
				each(list, view.from, view.to, k => listed.push({what: callee(list.table.place[k]), thread: r, place: where(list.table.place[k]), begin: list.table.begin[k],
					ns: list.table.ns[k], part: part(list.table.begin[k], list.table.ns[k]), by: ''}));
			}
			grid.refill(listed);
		}

		/* The core that @thread was seen on last before @t. */
		function core_at(thread, t) {
			let last = null;
			each(seen_on.get(thread) || nothing, t, t, k => { last = k; });
			let words = last === null ? '' : `, on ${core_name(last)}`;
			each(wanted_on.get(thread) || nothing, t, t, k => { words += `, planned: core ${wanted.core[k]}`; });
			each(speed_of.get(thread) || nothing, t, t, k => { words += `, ${gigahertz(speeds.khz[k])}`; });
			return words;
		}

		function say(r) {
			hover.textContent = `${names[r.thread]}: ${r.what}${r.place ? ' at ' + r.place : ''}, ${time(r.ns)} from ${time(r.begin)}${r.by ? ', ended by ' + r.by : ''}${r.flush || ''}`;
		}

		/* The phase at @t. */
		function phase_at(t) {
			let words = '';
			each({...phase_list, table: phase_spans}, t, t, k => { words = `, ${phases.phases[phase_spans.phase[k]].name}`; });
			return words;
		}

		/* What is under the mouse: a wait, the innermost call, or the bin. */
		function under(x, y) {
			const r = visible().find(v => y >= v.y && y < v.y + v.h), t = t_of(x), near = 1.5 / scale();
			let found = null;
			if (!r || x < GUTTER)
				return r ? {thread: r.thread} : null;
			each(waits.get(r.thread) || nothing, t - near, t + near, k => {
				found = {thread: r.thread, what: wait_words(k), place: where(events.place[k]), begin: events.begin[k], ns: events.ns[k],
					by: events.other[k] < 0 ? '' : who(events.other[k]), event: k};
			});
			const list = (windowed() && single.get(r.thread)) || logged.get(r.thread) || nothing;
			if (!found)
				each(list, t - near, t + near, k => {
					found = {thread: r.thread, what: callee(list.table.place[k]), place: where(list.table.place[k]), begin: list.table.begin[k], ns: list.table.ns[k], by: '',
						flush: flushed.get(list.table.place[k])};
				});
			if (!found && binned.has(r.thread)) {
				const slice = whole_end() / slices, bin = Math.floor(t / slice);
				const most = binned.get(r.thread).filter(k => bins.bin[k] === bin);
				if (most.length)
					found = {thread: r.thread, what: most.map(k => `${callee(bins.place[k])} ${percent(bins.ns[k] / slice)}`).join(', '), place: '', begin: bin * slice, ns: slice, by: ''};
			}
			return found || {thread: r.thread};
		}

		/* ---- mouse and keys ------------------------------------------------------------------ */

		let drag = null;
		canvas.addEventListener('pointerdown', e => {
			drag = {x: e.offsetX, from: view.from, to: view.to, moved: false};
			canvas.setPointerCapture(e.pointerId);
		});
		canvas.addEventListener('pointermove', e => {
			if (drag) {
				const d = (drag.x - e.offsetX) / scale();
				drag.moved = drag.moved || Math.abs(drag.x - e.offsetX) > 3;
				if (drag.moved)
					show(drag.from + d, drag.to + d);
				return;
			}
			const found = under(e.offsetX, e.offsetY);
			if (found && found.what)
				say(found);
			else
				hover.textContent = found ? `${names[found.thread]}: ${time(t_of(e.offsetX))}` : '\u00a0';
			if (found && e.offsetX >= GUTTER)
				hover.textContent += core_at(found.thread, t_of(e.offsetX)) + (phases ? phase_at(t_of(e.offsetX)) : '');
		});
		canvas.addEventListener('pointerup', e => {
			const click = drag && !drag.moved, found = under(e.offsetX, e.offsetY);
			drag = null;
			if (!click || !found)
				return;
			if (e.offsetX < GUTTER)
				view.open = view.open === found.thread ? -1 : found.thread;
			view.chosen = found.event === undefined ? null : found.event;
			if (found.what)
				say(found);
			draw();
		});
		canvas.addEventListener('dblclick', e => zoom(0.25, e.offsetX));
		canvas.addEventListener('wheel', e => {
			if (e.shiftKey)
				scroll(Math.sign(e.deltaY || e.deltaX) * 3);
			else if (e.ctrlKey || document.activeElement === canvas)
				zoom(e.deltaY > 0 ? 1.25 : 0.8, e.offsetX);
			else
				return;
			e.preventDefault();
		}, {passive: false});
		canvas.addEventListener('keydown', e => {
			const act = {ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), ArrowUp: () => scroll(-1), ArrowDown: () => scroll(1),
				PageUp: () => scroll(-20), PageDown: () => scroll(20), '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2),
				Home: () => show(0, whole.to), Enter: () => {
					view.open = view.open === rows[view.top] ? -1 : rows[view.top];
					draw();
				}}[e.key];
			if (!act)
				return;
			e.preventDefault();
			act();
		});

		/* Go where the address says: at=NS, with span=NS round it, and a thread. */
		function follow() {
			const {id, values} = perseus.address(), at = Number(values.get('at')), span = Number(values.get('span')) || 1e6;
			if (id !== 'timeline' || !values.has('at') || !Number.isFinite(at))
				return;
			if (values.has('thread')) {
				view.open = Number(values.get('thread'));
				view.top = Math.max(rows.indexOf(view.open), 0);
			}
			show(at - span * 0.5, at + span * 1.5);
		}
		window.addEventListener('hashchange', follow);
		window.addEventListener('resize', draw);

		/* Which color is which core; with many, several share one. */
		function core_key() {
			const of = SERIES.map(() => new Set());
			for (const t of [spans, wanted])
				for (let k = 0; t && k < t.rows; k++)
					of[t.core[k] % SERIES.length].add(t.core[k]);
			const keys = SERIES.map((name, i) => ({name, cores: [...of[i]].sort((a, b) => a - b)})).filter(x => x.cores.length);
			return keys.length ? el('p', {class: 'core-key'}, 'Ribbon below a thread: ', ...keys.map(x => el('span', {}, perseus.svg('svg', {class: 'key', viewBox: '0 0 10 10', 'aria-hidden': 'true'},
				perseus.svg('rect', {class: x.name, width: 10, height: 10})), ` core ${x.cores.length > 8 ? `${x.cores.slice(0, 8).join(', ')}, ..` : x.cores.join(', ')} `))) : null;
		}

		/* ---- the panel --------------------------------------------------------------------------- */

		const order = el('select', {onchange: e => {
			view.order = e.target.value;
			choose();
			draw();
		}}, el('option', {value: 'begin'}, 'by their start'), el('option', {value: 'life'}, 'by their length'), el('option', {value: 'wait'}, 'by their waiting'));
		panel.append(el('div', {class: 'tools'},
			el('button', {onclick: () => zoom(0.5)}, 'Zoom in'), el('button', {onclick: () => zoom(2)}, 'Zoom out'), el('button', {onclick: () => show(0, whole.to)}, 'Whole run'),
			el('button', {onclick: () => scroll(-10)}, 'Up'), el('button', {onclick: () => scroll(10)}, 'Down'),
			el('label', {}, 'Threads ', order), el('input', {type: 'search', placeholder: 'thread contains', 'aria-label': 'threads that contain', oninput: e => {
				view.text = e.target.value.trim().toLowerCase();
				choose();
				draw();
			}}), steps.length ? el('label', {}, el('input', {type: 'checkbox', class: 'path', onchange: e => {
				view.path = e.target.checked;
				draw();
			}}), ' critical path') : null, shown_of), canvas, hover,
		core_key(),
		el('p', {}, 'Striped: waiting; an arrow comes from who ended the wait. Other colors: calls, the inner ones in front; a click on a name opens the thread. ',
			'Drag moves, Ctrl and wheel zoom (without Ctrl once the picture was clicked), Shift and wheel scroll.'),
		el('h2', {}, 'What is in view'), grid,
		perseus.copiers(() => [['what', 'thread', 'place', 'begin_ns', 'ns', 'ended_by'], ...listed.map(r => [r.what, names[r.thread], r.place, r.begin, r.ns, r.by])],
			() => doc.trace ? `perseus report ${perseus.path()} --timeline 200` : `perseus waits ${perseus.path()} --all`,
			'Times are read from the clock of the processor where a thread enters and leaves a wait or a long call, as time since the run began. Who ended a wait is the thread ' +
			'whose call the record has at that object just before the wait was over.'));
		/* Threads and the cores that they were seen on; a move is a look on another core than the one before. */
		function core_table() {
			const by = new Map();
			for (let k = 0; k < spans.rows; k++) {
				const t = by.get(spans.thread[k]) || {thread: spans.thread[k], looks: 0, moves: -1, of: new Map()};
				t.looks += spans.looks[k];
				t.moves++;
				t.of.set(spans.core[k], (t.of.get(spans.core[k]) || 0) + spans.looks[k]);
				by.set(t.thread, t);
			}
			const list = [...by.values()], share = t => [...t.of].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([c, n]) => `core ${c} ${percent(n / t.looks)}`).join(', ');
			return el('section', {id: 'cores-seen'}, el('h2', {}, 'Cores'), perseus.grid([
				{name: 'thread', key: t => names[t.thread], text: t => names[t.thread]},
				{name: 'seen on', key: share, text: share},
				{name: 'looks', key: t => t.looks, text: t => group(t.looks), number: true, first: true},
				{name: 'moves', key: t => t.moves, text: t => group(t.moves), number: true},
			], list), perseus.copiers(() => [['thread', 'core', 'begin_ns', 'ns', 'looks'], ...Array.from({length: spans.rows}, (_, k) =>
				[names[spans.thread[k]], spans.core[k], spans.begin[k], spans.ns[k], spans.looks[k]])], () => `cat ${perseus.path()}/cores`,
			'The recorder looked at the program once a millisecond of its processor time, at first twice as often, and noted which thread was on which core. ' +
			'A thread that moved and came back between two looks was not seen to move.'));
		}
		if (spans && spans.rows)
			panel.append(core_table());

		/* Of the looks at a thread while the plan wants it somewhere: how many, and how many found it there. */
		function agreement(thread) {
			let looks = 0, there = 0;
			const list = wanted_on.get(thread) || nothing;
			each(seen_on.get(thread) || nothing, 0, whole.to, k => {
				const at = spans.begin[k] + spans.ns[k] / 2;
				each(list, at, at, w => {
					looks += spans.looks[k];
					there += wanted.core[w] === spans.core[k] ? spans.looks[k] : 0;
				});
			});
			return {looks, there};
		}

		function plan_table() {
			const list = plan.threads.map(t => {
				const on = t.thread < 0 ? [] : (wanted_on.get(t.thread) || nothing).order.map(k => wanted.core[k]), seen = t.thread < 0 ? {looks: 0, there: 0} : agreement(t.thread);
				return {...t, ...seen, on: t.thread < 0 ? 'not in this run' : on.length ? [...new Set(on)].map(c => `core ${c}`).join(', ') : 'as it is'};
			});
			const all = list.reduce((s, t) => ({looks: s.looks + t.looks, there: s.there + t.there}), {looks: 0, there: 0});
			const share = t => t.looks ? percent(t.there / t.looks) : '-';
			const fired = t => t.told ? group(t.fired) : 'not known';
			return el('section', {id: 'plan-seen'}, el('h2', {}, 'The plan against what happened'),
				el('p', {}, all.looks ? `Of ${group(all.looks)} looks at threads that the plan places, ${share(all)} found them on the core that it wants. ` :
					wanted.rows ? 'No look at a thread fell into a time for which the plan has a core. ' : 'The plan places no thread of this run. ',
					plan.without_triggers ? 'This run is of the build that the plan was made from: nothing of it was set.' : 'This run is of another build than the plan was made from.'),
				perseus.grid([
					{name: 'thread', key: t => t.name, text: t => t.name},
					{name: 'planned on', key: t => t.on, text: t => t.on},
					{name: 'looks', key: t => t.looks, text: t => group(t.looks), number: true, first: true},
					{name: 'there', key: t => t.looks ? t.there / t.looks : -1, text: share, number: true},
					{name: 'because', key: t => t.reason || '', text: t => t.reason || ''},
				], list), plan.triggers.length ? perseus.grid([
					{name: 'trigger', key: t => t.number, text: t => String(t.number), number: true},
					{name: 'thread', key: t => plan.threads[t.thread].name, text: t => plan.threads[t.thread].name},
					{name: 'at', key: t => t.at, text: t => t.at === 'call' ? `${t.after ? 'behind' : 'before'} ${t.callee}` : t.at},
					{name: 'place', place: true, key: t => t.line, text: t => perseus.place(t.file, t.line)},
					{name: 'sets', key: t => t.sets.join(), text: t => t.sets.join(', ')},
					{name: 'times in this run', key: t => t.told ? t.fired : -1, text: fired, number: true},
				], plan.triggers.slice()) : null,
				perseus.copiers(() => [['thread', 'planned_core', 'begin_ns', 'ns'], ...Array.from({length: wanted.rows}, (_, k) =>
					[names[wanted.thread[k]], wanted.core[k], wanted.begin[k], wanted.ns[k]])], () => `cat ${perseus.word(plan.path)}`,
				'Threads are those of the plan by who created them, where, and as which one. A thread is wanted on a core from its start, or from the visit of a call on which a trigger stands. ' +
				'Visits are known of calls that create threads or wait; when others fired is not in the record. A look counts where it fell into such a time.'));
		}
		const NOT_TOLD = 'not told', told = x => x ? group(x) : NOT_TOLD;
		function flush_table() {
			return el('section', {id: 'plan-flushes'}, el('h2', {}, 'Functions that the plan runs with flush-to-zero'),
				el('p', {}, 'From entry to return, with all that they call, results, operands or both that are denormal count as zero. ',
					flushed.size ? 'A dashed line over a call marks it in the picture. ' : 'The picture has no single call of them. ',
					'Whether the processor was set so in this run is not in the record.'),
				perseus.grid([
					{name: 'flush', key: f => f.number, text: f => String(f.number), number: true},
					{name: 'function', key: f => f.function, text: f => short(f.function)},
					{name: 'place', place: true, key: f => f.line, text: f => perseus.place(f.file, f.line)},
					{name: 'sets', key: f => f.set, text: f => f.set},
					{name: 'calls in this run', key: f => f.calls, text: f => !f.in_run ? 'not in this run' : f.starts ? 'starts a thread' : group(f.calls), number: true, first: true},
					{name: 'self', key: f => f.self_ns, text: f => f.in_run ? time(f.self_ns) : '', number: true},
					{name: 'denormals born', key: f => f.births, text: f => told(f.births), number: true},
					{name: 'their cost', key: f => f.cost_ns, text: f => f.cost_ns ? time(f.cost_ns) : NOT_TOLD, number: true},
					{name: 'change of the output', key: f => f.change || '', text: f => f.change || 'not tried'},
					{name: 'because', key: f => f.reason || '', text: f => f.reason || ''},
				], flushes.slice()), perseus.copiers(() => [['flush', 'function', 'file', 'line', 'set', 'in_run', 'calls', 'self_ns', 'births', 'cost_ns', 'change', 'because'],
					...flushes.map(f => [f.number, f.function, f.file, f.line, f.set, f.in_run, f.calls, f.self_ns, f.births, f.cost_ns, f.change, f.reason])], () => `cat ${perseus.word(plan.path)}`,
				'Births, cost and change are of the runs that the plan rests on, as it tells them; calls and self time are of this run, by the name of the function.'));
		}
		if (plan)
			panel.append(plan_table());
		if (flushes.length)
			panel.append(flush_table());

		function phase_table() {
			const list = phases.phases.map((p, i) => ({...p, i, ns: 0, first: -1}));
			for (let k = 0; k < phase_spans.rows; k++) {
				const p = list[phase_spans.phase[k]];
				if (!p)
					continue;
				p.ns += phase_spans.ns[k];
				if (p.first < 0)
					p.first = k;
			}
			return el('section', {id: 'phases-seen'}, el('h2', {}, 'Phases'), perseus.grid([
				{name: 'phase', key: p => p.name, text: p => p.name},
				{name: 'begins', key: p => p.opening, text: p => p.opening.replace(/^\(|\)$/g, '')},
				{name: 'times', key: p => p.repeats, text: p => group(p.repeats), number: true},
				{name: 'all of them', key: p => p.ns, text: p => time(p.ns), number: true, first: true},
				{name: 'share', key: p => p.ns, text: p => percent(p.ns / whole.to), number: true},
				{name: 'calls', key: p => p.i, text: p => el('button', {onclick: e => {
					e.stopPropagation();
					perseus.go('calls', {phase: p.name});
				}}, 'in Calls')},
			], list, p => p.first >= 0 && show(phase_spans.begin[p.first], phase_spans.begin[p.first] + phase_spans.ns[p.first])),
			el('p', {}, 'A click on a row shows the first one.'), perseus.copiers(() => [['phase', 'begin_ns', 'ns'], ...Array.from({length: phase_spans.rows}, (_, k) =>
				[phases.phases[phase_spans.phase[k]].name, phase_spans.begin[k], phase_spans.ns[k]])], () => perseus.data('page').runs.some(r => r.purpose === 'timing') ? `perseus analyze ${perseus.path('timing')} --partial -o -` : `perseus waits ${perseus.path()}`,
			'A phase lies between two events that all threads take part in: threads that are created or joined, and barriers. Phases that begin alike and have the same work are one, ' +
			'with as many times as they occur; the ids are those of the model. Of several processes the first has phases.'));
		}
		if (PHASES)
			panel.append(phase_table());

		function speed_table() {
			const by = new Map();
			for (let k = 0; k < speeds.rows; k++) {
				const t = by.get(speeds.thread[k]) || {thread: speeds.thread[k], on: 0, cycles: 0, low: Infinity, high: 0};
				t.on += speeds.on_ns[k];
				t.cycles += speeds.khz[k] * speeds.on_ns[k] / 1e6;
				t.low = Math.min(t.low, speeds.khz[k]);
				t.high = Math.max(t.high, speeds.khz[k]);
				by.set(t.thread, t);
			}
			const mean = t => t.on ? 1e6 * t.cycles / t.on : 0, least = perseus.data('speeds').user_only ? 'at least ' : '';
			return el('section', {id: 'speeds-seen'}, el('h2', {}, 'Speed of the cores'), perseus.grid([
				{name: 'thread', key: t => names[t.thread], text: t => names[t.thread]},
				{name: 'on a core', key: t => t.on, text: t => time(t.on), number: true, first: true},
				{name: 'cycles', key: t => t.cycles, text: t => group(t.cycles), number: true},
				{name: 'mean', key: mean, text: t => least + gigahertz(mean(t)), number: true},
				{name: 'slowest', key: t => t.low, text: t => least + gigahertz(t.low), number: true},
				{name: 'fastest', key: t => t.high, text: t => least + gigahertz(t.high), number: true},
			], [...by.values()]), perseus.copiers(() => [['thread', 'begin_ns', 'ns', 'on_core_ns', 'khz'], ...Array.from({length: speeds.rows}, (_, k) =>
				[names[speeds.thread[k]], speeds.begin[k], speeds.ns[k], speeds.on_ns[k], speeds.khz[k]])], () => `perseus report ${perseus.path()} --threads`,
			'Cycles that the processor counted while the thread was on a core, by that time, between two readings of the counter or over several of them.' +
			(least ? ' Only user mode was counted, so cores were at least that fast.' : '')));
		}
		if (fast)
			panel.append(speed_table());
		const limits = [spans && spans.rows ? `The ribbon below a thread has the cores that it was seen on, at ${group(cores.looks - cores.elsewhere)} looks.` :
			cores && cores.damage ? `On which cores threads were is not known: ${cores.damage}.` : 'On which cores threads were is not in this record: the recorder could not look, or was not there from the start.',
		fast ? 'The grey ribbon has how fast the core was, as height.' : 'How fast the cores were is not in this record: perseus record --events=cycles PROGRAM counts it, where the processor lets it.',
		PHASES ? 'Above the threads: the phases.' : 'The run is one phase.',
		planned ? 'The upper one of the two ribbons of cores is the plan.' : plan ? 'The plan wants no thread of this run on a core.' : 'What a plan wants is shown by: perseus report --html FILE --plan plan.yaml.'];
		if (!doc.trace)
			limits.push('Of calls only the long ones are here (the block log). Every call: perseus record --trace PROGRAM.');
		else
			limits.push(doc.trace.calls > doc.trace.calls_in_windows ? `The trace has ${group(doc.trace.calls)} calls: in bins of ${time(whole.to / slices)} for the whole run, one by one where the axis has a red line.` :
				`All ${group(doc.trace.calls)} calls of the trace are here.`);
		if (doc.trace && !doc.trace.whole)
			limits.push('The trace is not whole.');
		if (doc.trace && doc.trace.threads_left_out)
			limits.push(`${group(doc.trace.threads_left_out)} threads have no bins.`);
		if (doc.events_left_out + doc.events_lost)
			limits.push(`${group(doc.events_left_out + doc.events_lost)} events are not here, ${group(doc.events_lost)} of them not in the record.`);
		if (doc.calls_left_out)
			limits.push(`${group(doc.calls_left_out)} shorter calls of the block log are not here.`);
		panel.append(el('ul', {class: 'limits'}, ...limits.map(x => el('li', {}, x))));
		this.redraw = () => {
			colors();
			draw();
		};
		colors();
		choose();
		draw();
		follow();
	},
});
