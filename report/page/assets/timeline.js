/* SPDX-License-Identifier: MIT */
/* Timeline: threads over time, with their waits, who ended these, and their calls. */
'use strict';
perseus.tab({
	id: 'timeline', title: 'Timeline', needs: ['timeline'], without: 'The run holds no times.',
	async draw(panel) {
		const {el, time, group, percent, color, short} = perseus;
		const GUTTER = 170, AXIS = 22, ROW = 22, LEVEL = 13, LEVELS = 14, HEIGHT = 560, LEAST = 120, LISTED = 100;
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
			palette = {series: ['own', 'good', 'probe', 'lib', 'bad'].map(color)};
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
		const height_of = thread => thread === view.open ? ROW + LEVEL * (LEVELS + 1) : ROW;

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

		const hue = place => palette.series[((place * 7919) >>> 3) % palette.series.length];

		function draw_calls(g, list, r) {
			const last = new Float64Array(LEVELS + 1).fill(-1), open = r.thread === view.open;
			each(list, view.from, view.to, (k, i) => {
				const d = Math.min(list.depth[i], open ? LEVELS - 1 : 3), a = Math.max(x_of(list.table.begin[k]), GUTTER);
				const b = Math.min(x_of(list.table.begin[k] + list.table.ns[k]), width());
				if (b < last[d] + 0.4)
					return;
				last[d] = b;
				const y = open ? r.y + ROW + d * LEVEL : r.y + 5 + d * 3, h = open ? LEVEL - 1 : ROW - 9 - d * 3;
				g.fillStyle = hue(list.table.place[k]);
				g.fillRect(a, y, Math.max(b - a, 0.6), h);
				if (b - a > 30) {
					g.strokeStyle = palette.paper;
					g.strokeRect(a + 0.5, y + 0.5, b - a - 1, h - 1);
					if (open || (d === list.depth[i] && d < 2))
						label(g, callee(list.table.place[k]), a, b, y + (open ? 10 : 9 - d), palette.paper);
				}
			});
		}

		function label(g, text, a, b, y, ink) {
			const room = Math.floor((b - a - 6) / 6.2);
			if (room < 3)
				return;
			g.fillStyle = ink;
			g.fillText(text.length > room ? text.slice(0, room - 1) + '\u2026' : text, a + 3, y);
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
				const a = x_of(bin * slice), b = x_of((bin + 1) * slice), h = (ROW - 9) * Math.min(bins.ns[k] / slice, 1);
				if (b < GUTTER || a > width())
					continue;
				g.fillStyle = hue(bins.place[k]);
				g.fillRect(Math.max(a, GUTTER), r.y + ROW - 4 - filled - h, Math.max(b - Math.max(a, GUTTER), 0.6), h);
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
				g.fillRect(a, r.y + 3, Math.max(b - a, 0.6), ROW - 7);
				if (b - a < 6)
					return;
				g.strokeStyle = palette.paper;
				g.beginPath();
				for (let x = a + 4; x < b; x += 7) {
					g.moveTo(x, r.y + 3);
					g.lineTo(Math.max(x - 4, a), r.y + ROW - 4);
				}
				g.stroke();
				label(g, wait_words(k).slice(9), a, b, r.y + 14, '#000000');
			});
		}

		/* Below a thread a ribbon of the cores that it was seen on; where it is open, with their numbers. */
		function draw_cores(g, r) {
			const open = r.thread === view.open, y = open ? r.y + ROW + LEVEL * LEVELS : r.y + ROW - 4, h = open ? LEVEL - 1 : 3;
			each(seen_on.get(r.thread) || nothing, view.from, view.to, k => {
				const a = Math.max(x_of(spans.begin[k]), GUTTER), b = Math.min(x_of(spans.begin[k] + spans.ns[k]), width());
				g.fillStyle = palette.series[spans.core[k] % palette.series.length];
				g.fillRect(a, y, Math.max(b - a, 1), h);
				if (open)
					label(g, core_name(k), a, b, y + 10, palette.paper);
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
			g.fillRect(a, r.y + 2, Math.max(b - a, 1), ROW - 5);
			g.fillStyle = palette.ink;
			if (a > GUTTER)
				g.fillRect(a, r.y + 2, 1, ROW - 5);
			if (!lives.alive[r.thread] && b < width())
				g.fillRect(b - 1, r.y + 2, 1, ROW - 5);
			draw_bins(g, r);
			if (windowed() && single.has(r.thread))
				draw_calls(g, single.get(r.thread), r);
			else if (logged.has(r.thread) && !binned.has(r.thread))
				draw_calls(g, logged.get(r.thread), r);
			else if (r.thread === view.open)
				draw_calls(g, single.get(r.thread) || logged.get(r.thread) || {...nothing, table: long, depth: []}, r);
			draw_waits(g, r);
			draw_cores(g, r);
		}

		function draw_axis(g) {
			const step = 10 ** Math.floor(Math.log10((view.to - view.from) / 4));
			const every = (view.to - view.from) / step > 16 ? step * 5 : (view.to - view.from) / step > 8 ? step * 2 : step;
			g.strokeStyle = palette.line;
			for (let t = Math.ceil(view.from / every) * every; t <= view.to; t += every) {
				g.fillStyle = palette.dim;
				g.fillText(time(t), x_of(t) + 3, 14);
				g.strokeRect(x_of(t), 0, 0.01, high);
			}
			g.fillStyle = palette.bad;
			for (const w of doc.trace ? doc.trace.windows : []) {
				const a = Math.max(x_of(w.begin), GUTTER), b = Math.min(x_of(w.end), width());
				if (b > a)
					g.fillRect(a, AXIS - 3, b - a, 2);
			}
		}

		/* From the end of a wait to the thread that ended it. */
		function arrow(g, k, seen) {
			const a = seen.find(r => r.thread === events.thread[k]), b = seen.find(r => r.thread === events.other[k]);
			const x = x_of(events.begin[k] + events.ns[k]);
			if (!a || !b || a === b || x < GUTTER || x > width())
				return;
			const up = b.y > a.y ? 1 : -1, tip = a.y + ROW / 2 + up * (ROW / 2 - 3);
			g.beginPath();
			g.moveTo(x, b.y + ROW / 2);
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
			const y = new Map(seen.map(r => [r.thread, r.y + ROW - 2]));
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
			return last === null ? '' : `, on ${core_name(last)}`;
		}

		function say(r) {
			hover.textContent = `${names[r.thread]}: ${r.what}${r.place ? ' at ' + r.place : ''}, ${time(r.ns)} from ${time(r.begin)}${r.by ? ', ended by ' + r.by : ''}`;
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
					found = {thread: r.thread, what: callee(list.table.place[k]), place: where(list.table.place[k]), begin: list.table.begin[k], ns: list.table.ns[k], by: ''};
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
				hover.textContent += core_at(found.thread, t_of(e.offsetX));
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
		const limits = [spans && spans.rows ? `The ribbon below a thread has the cores that it was seen on, at ${group(cores.looks - cores.elsewhere)} looks.` :
			cores && cores.damage ? `On which cores threads were is not known: ${cores.damage}.` : 'On which cores threads were is not in this record: the recorder could not look, or was not there from the start.',
		'How fast the cores were is not in the record.'];
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
