/* SPDX-License-Identifier: MIT */
/* The tab "Memory": the objects in conflict, the pages that they lie in, and a player of what happened there. */
'use strict';
(() => {
	const {el, told, renew, group, percent, time, place} = perseus;
	const {FORMS, picture, plan, paint, sheet} = perseus.cells;
	const {load, accesses, parts, sum_level, thread, site, name_at, address, at_or_before} = perseus.replay;
	const RECENT = 2000;
	const KIND_READ = 0, KIND_WRITE = 1;
	const BLOCK = 1, FOUGHT = 5; /* of the states of a line: memory-cells.js */

	/* ---- pictures --------------------------------------------------------------------------- */

	/* @text, or the last part of a name, or its beginning. */
	function text_in(x, y, wide, text) {
		const fits = Math.floor((wide - 3) / 6.6);
		if (text.length > fits)
			text = text.split('.').pop();
		return fits > 1 ? told('text', {x: x + 3, y}, text.length > fits ? text.slice(0, fits - 1) + '…' : text) : null;
	}

	const B = 8, LEFT = 90; /* a byte; names of threads */

	function box(cls, at, bytes, y, high, text, title, scale = [B, LEFT]) {
		const [b, left] = scale;
		return told('g', {class: cls}, told('title', {}, title || text),
			told('rect', {x: left + at * b, y, width: bytes * b - 1, height: high}),
			text_in(left + at * b, y + high - 6, bytes * b, text));
	}

	/* Bits of two halves as runs [from, bytes]. */
	function runs(low, high) {
		const out = [];
		for (let b = 0; b < 64; b++) {
			if (!((b < 32 ? low : high) >>> (b & 31) & 1))
				continue;
			const end = out[out.length - 1];
			if (end && end[0] + end[1] === b)
				end[1]++;
			else
				out.push([b, 1]);
		}
		return out;
	}

	/* Who used which bytes of @line in the whole run. */
	function users(m, line) {
		const by = new Map(), t = m.bytes;
		for (let i = 0; i < t.rows; i++) {
			if (t.line[i] !== line)
				continue;
			const u = by.get(t.thread[i]) || [0, 0, 0, 0];
			['read_low', 'read_high', 'write_low', 'write_high'].forEach((k, n) => { u[n] |= t[k][i]; });
			by.set(t.thread[i], u);
		}
		return by;
	}

	/* The 64 bytes of a line: fields, and who reads (r) and writes (w) them. */
	function zoom(m, line, access) {
		const by = users(m, line), spans = m.spans[line];
		const picture = told('svg', {class: 'zoom', viewBox: `0 0 ${LEFT + 64 * B} ${44 + 22 * by.size}`, role: 'img',
			'aria-label': `the 64 bytes of line ${address(m, line)}: the table below has the same`});
		for (let b = 0; b < 64; b += 8)
			picture.children.push(told('text', {x: LEFT + b * B, y: 11, class: 'ruler'}, String(b)));
		spans.forEach(s => picture.children.push(box('field', s.at, s.bytes, 16, 20, s.name)));
		let y = 40;
		const rows = [];
		for (const [t, u] of by) {
			const name = thread(m, t);
			picture.children.push(told('text', {x: 0, y: y + 14}, name.length > 13 ? name.slice(0, 12) + '…' : name));
			const reads = runs(u[0], u[1]), writes = runs(u[2], u[3]);
			reads.forEach(([at, n]) => picture.children.push(box('read', at, n, y, 9, '', `${name} reads bytes ${at} to ${at + n - 1}`)));
			writes.forEach(([at, n]) => picture.children.push(box('written', at, n, y + 10, 9, '', `${name} writes bytes ${at} to ${at + n - 1}`)));
			const words = list => list.map(([at, n]) => `${at}${n > 1 ? '–' + (at + n - 1) : ''} ${[...new Set(
				spans.filter(s => s.at < at + n && at < s.at + s.bytes).map(s => s.name))].join(', ')}`).join('; ');
			rows.push([name, words(reads), words(writes)]);
			y += 22;
		}
		if (access)
			picture.children.push(told('rect', {class: 'now', x: LEFT + access.at * B, y: 15, width: access.bytes * B - 1, height: y - 16}));
		return told('div', {class: 'zoomed'}, picture, small_table(['thread', 'reads bytes', 'writes bytes'], rows,
			'Bytes that were seen to be used, in the whole run'));
	}

	function small_table(heads, rows, caption) {
		return told('table', {}, caption ? told('caption', {}, caption) : null,
			told('thead', {}, told('tr', {}, ...heads.map(h => told('th', {scope: 'col'}, h)))),
			told('tbody', {}, ...rows.map(r => told('tr', {}, ...r.map(c => told('td', {class: typeof c === 'number' ? 'n' : ''},
				typeof c === 'number' ? group(c) : c))))));
	}

	/* A struct in lines of 64 bytes; @offset: of a member now or then. */
	function layout_picture(l, offset, bytes, label) {
		const lines = Math.min(16, Math.max(1, Math.ceil(bytes / 64))), b = 5, left = 45;
		const picture = told('svg', {class: 'zoom', viewBox: `0 0 ${left + 64 * b} ${lines * 26 + 4}`, role: 'img', 'aria-label': label});
		for (let i = 0; i < lines; i++)
			picture.children.push(told('text', {x: 0, y: i * 26 + 17}, `line ${i}`),
				told('rect', {class: 'empty', x: left, y: i * 26, width: Math.min(64, bytes - i * 64) * b, height: 24}));
		for (const m of l.members) {
			for (let at = m[offset], rest = m.bytes; rest > 0 && at >> 6 < lines;) {
				const part = Math.min(rest, 64 - (at & 63));
				picture.children.push(box(m.group < 0 ? 'free' : 'group' + m.group % 4, at & 63, part, (at >> 6) * 26, 23, m.name,
					`${m.name}, ${m.bytes} bytes at offset ${m[offset]}`, [b, left]));
				at += part;
				rest -= part;
			}
		}
		return picture;
	}

	function drawn(picture) {
		const out = el('div', {});
		renew(out, [picture]);
		return out;
	}

	/* The remedies, with the layout before and after. */
	function remedies(x) {
		const out = el('section', {class: 'layouts', 'aria-label': 'suggested layout'}, el('h3', {}, 'Suggested layout'));
		const pad = x.f.remedies.find(r => r.layouts.length);
		for (const l of pad ? pad.layouts : [])
			out.append(el('p', {}, `${l.type}: ${pad.text}. ${pad.abi || ''}`),
				el('h4', {}, `Now, ${group(l.bytes_now)} bytes`), drawn(layout_picture(l, 'offset_now', l.bytes_now, `${l.type} now`)),
				el('h4', {}, `Then, ${group(l.bytes_then)} bytes`), drawn(layout_picture(l, 'offset_then', l.bytes_then, `${l.type} then`)),
				el('details', {}, el('summary', {}, 'As a table'), drawn(small_table(['member', 'bytes', 'offset now', 'offset then'],
					l.members.map(m => [m.name, m.bytes, m.offset_now, m.offset_then])))));
		if (!pad)
			out.append(el('p', {}, x.f.no_layout || 'No change of a struct parts these threads.'),
				el('ul', {}, ...x.f.remedies.map(r => el('li', {}, r.text))));
		const patch = x.f.remedies.find(r => r.patch);
		if (patch)
			out.append(el('p', {}, el('code', {}, `perseus conflicts --patch ${x.f.id}`)));
		if (x.f.remedies.find(r => r.plan))
			out.append(el('p', {}, 'By the compiler, sources as they are: ', el('code', {}, `perseus conflicts --plan=plan.yaml ${x.f.id}`)));
		for (const r of x.f.remedies.flatMap(y => y.not_patched || []))
			out.append(el('p', {}, `No patch: ${r.why}. ${r.by_hand ? 'By hand: ' + r.by_hand : ''}`));
		return out;
	}

	/* ---- the tab ---------------------------------------------------------------------------- */

	function cost(f) {
		return f.cost_percent === undefined ? 'not priced' :
			`${f.cost_percent.toFixed(1)} % (${f.cost_percent_low.toFixed(1)} to ${f.cost_percent_high.toFixed(1)} %)`;
	}

	function object_list(m, pick) {
		return el('div', {class: 'objects', role: 'radiogroup', 'aria-label': 'objects in conflict'}, ...m.findings.map(x => {
			x.button = el('button', {role: 'radio', 'aria-checked': 'false', 'data-id': x.f.id, onclick: () => pick(x.number)},
				el('strong', {}, x.f.subject), el('span', {class: 'about'}, x.f.object),
				x.f.fields ? el('span', {}, 'fields ' + x.f.fields) : null,
				el('span', {}, `${x.f.kind.replace('-', ' ')}${x.f.significant || x.f.candidate ? '' : ', small'}`),
				el('span', {}, `cost ${cost(x.f)}`),
				el('span', {}, `${group(x.f.transfers_per_s)} transfers/s, ${percent(x.share)} of all`));
			return x.button;
		}));
	}

	function what_is_there(m) {
		const d = m.doc, out = [];
		if (d.traced) {
			out.push(`From the trace: ${group(d.events)} accesses to these pages` + (d.events_kept < d.events ?
				`, of which this page has ${group(d.events_kept)} one by one (the first ones, those round conflicts, and some at even distances) and all of them as sums over ${d.bins} parts of the run.` : ', all of them.'));
			if (d.lost)
				out.push(`${group(d.lost)} accesses and calls of the run are not in the trace (--trace-buffer, --trace-full).`);
		} else {
			out.push(`From the bounded record: sums over ${d.bins} parts of the run, dealt evenly between the first and the last time a thread was seen at a line. For every single access: perseus record --purpose=sharing --trace PROGRAM`);
		}
		if (d.damage)
			out.push(`Not all of the trace could be read: ${d.damage}.`);
		for (const [key, words] of [['findings', 'objects'], ['pages', 'pages of memory'], ['blocks', 'heap blocks']])
			if (d.left_out[key])
				out.push(`${group(d.left_out[key])} ${words} are not in this page.`);
		return el('p', {class: 'source'}, out.join(' '));
	}

	const STATES = {none: 'nothing', block: 'allocated', used: 'accessed', fought: 'in conflict'};

	/* What the forms mean; their pictures are drawn with the others. */
	const LEGEND = [['none', STATES.none], ['block', STATES.block], ['used3', STATES.used], ['fought', STATES.fought], ['block was', 'was in conflict before']];

	function legend(v) {
		v.legend = LEGEND.map(() => picture(1, 1));
		return el('p', {class: 'legend'}, ...LEGEND.flatMap(([, words], i) => [v.legend[i], ` ${words} `]));
	}

	async function draw(panel) {
		const m = await load();
		const p = m.doc.traced ? accesses(m) : parts(m);
		const view = make_view(m, p);
		panel.append(view.root);
		view.from_address();
		window.addEventListener('hashchange', view.from_address);
		perseus.memory = view.state; /* for tests */
		this.redraw = view.redraw;
		requestAnimationFrame(() => { panel.dataset.drawn = performance.now(); });
	}

	function make_view(m, p) {
		const v = {chosen: 0, line: -1, i: 0, t: 0, exact: true, playing: false, seen: new Set(), speed: p.speed, cells: new Map(), pictures: [], scrolled: 0, wide: -1};
		const status = el('p', {class: 'status', role: 'status', 'aria-live': 'polite'});
		const clock = el('output', {class: 'clock', 'aria-label': 'position'});
		const link = el('a', {href: '#'}, 'Link to this moment');
		const slider = el('input', {type: 'range', min: 0, max: Math.max(1, m.doc.span_ns), step: 'any', value: 0, 'aria-label': 'time in the run',
			oninput: () => scrub(Number(slider.value))});
		const play = el('button', {class: 'play', 'aria-pressed': 'false', onclick: () => toggle()}, '▶ Play');
		const speed = el('select', {'aria-label': 'speed', onchange: () => { v.speed = Number(speed.value); }},
			...p.speeds.map(s => el('option', {value: s, selected: s === p.speed}, `${group(s)} ${p.unit === 'part' ? 'parts' : 'accesses'}/s`)));
		const stop = el('input', {type: 'checkbox', checked: true, id: 'memory-stop'});
		const canvas = el('canvas', {width: 1200, height: 64, 'aria-hidden': 'true', onclick: e => {
			const box = canvas.getBoundingClientRect();
			scrub((e.clientX - box.left) / box.width * m.doc.span_ns);
		}});
		const player = el('div', {class: 'player', role: 'group', tabindex: 0, onkeydown: keys,
			'aria-label': 'player: space plays and pauses, arrows step, home and end go to the ends'},
			el('div', {class: 'tools'},
				el('button', {onclick: () => step(-Infinity), 'aria-label': 'to the start', title: 'Home'}, '|◀'),
				el('button', {class: 'back', onclick: () => step(-1), 'aria-label': 'step back', title: '←'}, '◂'),
				play,
				el('button', {class: 'forward', onclick: () => step(1), 'aria-label': 'step forward', title: '→'}, '▸'),
				el('button', {onclick: () => step(Infinity), 'aria-label': 'to the end', title: 'End'}, '▶|'),
				el('button', {class: 'next', onclick: () => conflict()}, 'Next conflict'),
				speed, el('label', {for: 'memory-stop'}, stop, ' pause at each new conflict'), clock, link),
			canvas, slider);
		const pages = el('div', {class: 'pages', role: 'grid', onscroll: () => { v.scrolled = pages.scrollTop; }, onclick: pick_line, 'aria-label': 'lines of the pages of this object', onkeydown: walk});
		const bytes = el('div', {}), beside = el('div', {});
		const allocations = el('div', {}), readers = el('div', {}), writers = el('div', {}), conflicts = el('div', {class: 'scroll conflicts'});
		const objects = object_list(m, choose);
		const root = el('div', {class: 'memory'}, what_is_there(m),
			el('div', {class: 'columns'}, objects,
				el('div', {class: 'middle'}, player, status, legend(v), pages, el('h3', {}, 'Bytes of the chosen line'), bytes,
					el('div', {class: 'panes'}, pane('Allocations', allocations), pane('Readers', readers), pane('Writers', writers)),
					pane('Conflicts so far', conflicts),
					perseus.copiers(csv_rows, () => `perseus conflicts ${perseus.path('sharing')} ${m.findings[v.chosen].f.id}`,
						'An access is a conflict if its line comes from the cache of another thread, which wrote it last, or takes the copies of readers away, and both threads are ' +
						'a pair of this finding. Without a trace, what was seen of a line is dealt evenly between the first and the last time that a thread was seen there.')),
				beside));

		function pane(title, body) {
			return el('section', {'aria-label': title}, el('h3', {}, title), body);
		}

		/* -- what is shown -- */

		function choose(number, line) {
			const x = m.findings[number];
			v.chosen = number;
			v.line = line === undefined ? (x.lines.length ? x.lines[0] : -1) : line;
			for (const y of m.findings)
				y.button.setAttribute('aria-checked', String(y === x));
			v.cells.clear();
			sight.disconnect();
			v.pictures = [];
			pages.replaceChildren(...x.pages.map(page_picture));
			if (!x.pages.length)
				pages.replaceChildren(el('p', {}, 'Where this object lies is not known.'));
			beside.replaceChildren(remedies(x));
			v.bars = bars(x);
			v.wide = -1;
			show();
			reveal();
		}

		/* A page with nothing in it yet, of which all others are copies: that is faster than to make each line. */
		const blank = el('div', {class: 'mpage', role: 'rowgroup'}, el('h4', {}), ...Array.from({length: 4}, () => el('div', {class: 'mrow', role: 'row'},
			...Array.from({length: 16}, () => el('button', {class: 'mline', role: 'gridcell', tabindex: -1})))));

		function page_picture(page) {
			const out = blank.cloneNode(true), canvas = picture(16, 4);
			out.firstChild.textContent = `page ${m.doc.pages[page]}`;
			out.insertBefore(canvas, out.childNodes[1]);
			out.querySelectorAll('.mline').forEach((button, i) => {
				const line = page * 64 + i;
				button.dataset.line = line;
				Object.assign(button, {line, canvas, shows: -1, chosen: null, fixed: m.spans[line].length > 0, blocks: block_at(line)});
				v.cells.set(line, button);
			});
			out.canvas = canvas;
			v.pictures.push(canvas);
			sight.observe(out);
			return out;
		}

		function pick_line(e) {
			const button = e.target.closest('.mline');
			if (button)
				select(button.line);
		}

		function select(line) {
			v.line = line;
			show();
		}

		function block_at(line) {
			const from = BigInt(m.doc.pages[line >> 6]) + BigInt((line & 63) * 64);
			return m.blocks.filter(b => b.start < from + 64n && b.start + BigInt(b.bytes) > from);
		}

		function paint_cells() {
			const bin = Math.min(m.doc.bins - 1, Math.floor(v.t / m.doc.span_ns * m.doc.bins)), afresh = !v.sheet;
			if (afresh) {
				v.sheet = sheet();
				LEGEND.forEach(([form], i) => {
					plan(v.legend[i], 0, FORMS.indexOf(form));
					paint(v.legend[i], v.sheet);
				});
			}
			for (const button of v.cells.values()) {
				const {line, shows} = button, l = v.exact ? p.level(line, v.i) : sum_level(m, line, bin);
				const there = button.fixed || button.blocks.some(b => b.born_ns <= v.t && !(b.freed_ns <= v.t));
				const now = 2 * (l.fought ? FOUGHT : l.fresh ? BLOCK + l.fresh : there ? BLOCK : 0) + l.was;
				if (shows !== now || afresh) {
					button.shows = now;
					button.dataset.state = FORMS[now];
					plan(button.canvas, line & 63, now);
				}
				const chosen = line === v.line;
				if (button.chosen !== chosen) {
					button.chosen = chosen;
					button.setAttribute('aria-selected', String(chosen));
					button.tabIndex = chosen ? 0 : -1;
				}
			}
			v.pictures.forEach(paint_seen);
			clearTimeout(v.naming);
			if (!v.playing)
				v.naming = setTimeout(name_cells, 30);
		}

		/* Most pages are out of sight: their pictures wait until somebody scrolls to them. */
		function paint_seen(canvas) {
			if (canvas.seen && v.sheet)
				paint(canvas, v.sheet);
		}

		const sight = new IntersectionObserver(list => list.forEach(x => {
			x.target.canvas.seen = x.isIntersecting;
			paint_seen(x.target.canvas);
		}), {root: pages, rootMargin: '120px'});

		/* What a screen reader says of each line; a while after it has stopped. */
		function name_cells() {
			for (const [line, button] of v.cells) {
				if (button.named === button.shows)
					continue;
				button.named = button.shows;
				button.names = button.names || [...new Set(m.spans[line].map(s => s.name))].slice(0, 6).join(', ');
				const words = FORMS[button.shows].split(' ');
				button.setAttribute('aria-label', `line ${address(m, line)}, ${STATES[words[0].replace(/\d/, '')]}${words[1] ? ', was in conflict' : ''}${button.names ? ': ' + button.names : ''}`);
				button.title = button.getAttribute('aria-label');
			}
		}

		/* Sums of the object's lines by part of the run. */
		function bars(x) {
			const used = new Float64Array(m.doc.bins), moved = new Float64Array(m.doc.bins);
			for (const line of x.lines)
				for (let r = m.rows[line]; r < m.rows[line + 1]; r++) {
					used[m.bins.bin[r]] += m.bins.reads[r] + m.bins.writes[r];
					moved[m.bins.bin[r]] += m.bins.transfers[r];
				}
			return {used, moved};
		}

		function paint_time() {
			v.colors = v.colors || Object.fromEntries(['shade', 'wait', 'bad', 'own', 'ink'].map(k => [k, perseus.color(k)]));
			const c = canvas.getContext('2d'), wide = canvas.width, n = m.doc.bins, one = wide / n;
			const x = t => t / m.doc.span_ns * wide, top = a => Math.max(1, a.reduce((y, z) => Math.max(y, z), 0));
			const most = top(v.bars.used), moves = top(v.bars.moved);
			c.fillStyle = v.colors.shade;
			c.fillRect(0, 0, wide, 64);
			for (let b = 0; b < n; b++) {
				const high = 26 * v.bars.used[b] / most, red = 22 * v.bars.moved[b] / moves;
				c.fillStyle = v.colors.wait;
				c.fillRect(b * one, 28 - high, Math.max(1, one - 1), high);
				c.fillStyle = v.colors.bad;
				c.fillRect(b * one, 54 - red, Math.max(1, one - 1), red);
			}
			c.fillStyle = v.colors.own;
			for (let k = 0; k < p.starts.length; k++) {
				const from = p.starts[k], to = k + 1 < p.starts.length ? p.starts[k + 1] - 1 : p.n - 1;
				c.fillRect(x(p.time(from)), 58, Math.max(1, x(p.time(to)) - x(p.time(from))), 6);
			}
			c.fillStyle = v.colors.ink;
			c.fillRect(Math.min(wide - 2, x(v.t)), 0, 2, 64);
		}

		function near(line) {
			const from = Math.max(0, v.i - RECENT + 1), by = new Map(), e = m.events;
			for (let i = v.i; i >= from; i--) {
				if (e.line[i] !== line)
					continue;
				const key = `${e.thread[i]},${e.site[i]},${e.kind[i]}`;
				const x = by.get(key) || {thread: e.thread[i], site: e.site[i], kind: e.kind[i], n: 0, last: e.time[i], byte: e.byte[i]};
				x.n++;
				by.set(key, x);
			}
			return [...by.values()];
		}

		function people(list, how, line) {
			const rows = list.filter(how).map(x => [thread(m, x.thread), name_at(m, line, x.byte), site(m, x.site), x.n, time(v.t - x.last) + ' ago']);
			return rows.length ? small_table(['thread', 'what', 'place', 'times', 'last'], rows) : told('p', {}, 'none lately');
		}

		/* The same of a part of the run, which has no places. */
		function people_of_part(key) {
			const bin = Math.min(m.doc.bins - 1, Math.floor(v.t / m.doc.span_ns * m.doc.bins)), rows = [];
			for (let r = m.rows[v.line]; r < m.rows[v.line + 1]; r++)
				if (m.bins.bin[r] === bin && m.bins[key][r])
					rows.push([thread(m, m.bins.thread[r]), m.bins[key][r]]);
			return rows.length ? small_table(['thread', 'times in this part'], rows) : told('p', {}, 'none in this part');
		}

		function paint_panes() {
			const line = v.line, single = m.doc.traced && v.exact;
			const here = single && p.line(v.i) === line;
			renew(bytes, [line < 0 ? told('p', {}, 'none') : zoom(m, line, here ? {at: m.events.byte[v.i], bytes: m.events.bytes[v.i]} : null)]);
			const blocks = line < 0 ? [] : block_at(line).filter(b => b.born_ns <= v.t && !(b.freed_ns <= v.t));
			const still = line >= 0 && m.spans[line].length && !block_at(line).length;
			renew(allocations, [blocks.length ? small_table(['address', 'bytes', 'thread', 'place', 'at'],
				blocks.map(b => [b.address, b.bytes, thread(m, b.thread), place(b.file, b.line), time(b.born_ns)])) :
				told('p', {}, still ? `no heap block: ${[...new Set(m.spans[line].map(s => s.name))].slice(0, 8).join(', ')}` : 'none')]);
			const list = line >= 0 && single ? near(line) : [];
			renew(readers, [line < 0 ? '' : single ? people(list, x => x.kind !== KIND_WRITE, line) : people_of_part('reads')]);
			renew(writers, [line < 0 ? '' : single ? people(list, x => x.kind !== KIND_READ, line) : people_of_part('writes')]);
			const rows = conflict_rows();
			renew(conflicts, [rows.length ? small_table(HEADS, rows) : told('p', {}, 'none yet')]);
		}

		const HEADS = ['fields', 'one side', 'other side', 'so far', 'whole run', 'a second'];

		/* Pairs of the chosen object that were met up to now, with the places inside. */
		function conflict_rows() {
			const x = m.findings[v.chosen];
			if (!m.doc.traced)
				return p.stops.filter(s => s.finding === v.chosen && s.bin <= v.i).map(s => [`${s.pair.a.what} and ${s.pair.b.what}`,
					side(s.pair.a), side(s.pair.b), '', '', group(s.pair.transfers_per_s)]);
			return p.tuples.map((t, k) => ({t, n: p.state.counts[k], pair: m.doc.pairs[t.pair]})).filter(r => r.n && m.findings[r.pair.finding] === x)
				.sort((a, b) => b.n - a.n).slice(0, 200).map(r => [fields(r.pair), `${thread(m, r.t.thread)}, ${site(m, r.t.site)}`,
					`${thread(m, r.t.rival)}, ${site(m, r.t.rival_site)}`, r.n, r.pair.conflicts, group(r.pair.conflicts / (m.doc.span_ns / 1e9))]);
		}

		function side(s) {
			return `${s.thread}, ${s.function || 'not known'} ${place(s.file, s.line)}`;
		}

		function fields(pair) {
			return `${m.doc.names[pair.a] || 'not known'} and ${m.doc.names[pair.b] || 'not known'}`;
		}

		function csv_rows() {
			return [HEADS, ...conflict_rows()];
		}

		function show(quick) {
			paint_cells();
			paint_time();
			clock.textContent = `${time(v.t)} of ${time(m.doc.span_ns)}, ${p.unit} ${group(p.number(v.i))}`;
			slider.value = v.t;
			slider.setAttribute('aria-valuetext', clock.textContent);
			link.setAttribute('href', `#event=${p.number(v.i)}`);
			if (quick)
				return;
			paint_panes();
		}

		/* -- going to and fro -- */

		function go(i, t) {
			v.i = Math.max(0, Math.min(p.n - 1, i));
			v.t = t === undefined ? p.time(v.i) : t;
			v.exact = t === undefined || p.exact(v.t, v.i);
			if (p.n)
				p.seek(v.i);
			if (p.line(v.i) >= 0 && v.cells.has(p.line(v.i)) && v.exact && p.pair(v.i) >= 0)
				v.line = p.line(v.i);
		}

		function says() {
			status.textContent = v.exact ? p.says(v.i) : 'Single accesses of this moment are not in the page; what is shown is the sum of this part of the run.';
		}

		function land(i, t) {
			pause();
			go(i, t);
			says();
			show();
			reveal();
		}

		/* Where the pictures are in their frame: to ask for it after each step would lay out the tab each time. */
		function look_where() {
			v.high = pages.clientHeight; /* 0: the tab is not shown */
			v.wide = v.high ? window.innerWidth : -1;
			v.tops = new Map(v.pictures.map(c => [c, [c.parentNode.offsetTop - pages.offsetTop, c.parentNode.offsetHeight]]));
		}

		/* Bring the chosen line into sight, of many pages. */
		function reveal() {
			const at = v.cells.get(v.line);
			if (!at)
				return;
			if (v.wide !== window.innerWidth)
				look_where();
			if (!v.high)
				return;
			const [top, high] = v.tops.get(at.canvas);
			if (top < v.scrolled || top + high > v.scrolled + v.high)
				pages.scrollTop = v.scrolled = top;
		}

		function scrub(t) {
			land(p.at_time(t), t);
		}

		function step(by) {
			land(v.i + by);
		}

		function conflict() {
			const list = m.findings[v.chosen].stops, next = list[at_or_before(list, v.i) + 1];
			if (next === undefined) {
				status.textContent = 'No later conflict of this object.';
				return;
			}
			land(next);
		}

		/* What is new about position @i: words for it, once; or null. */
		function news(i) {
			if (m.doc.traced) {
				const k = p.pair(i);
				if (k < 0 || v.seen.has(k) || m.doc.pairs[k].finding !== v.chosen)
					return null;
				v.seen.add(k);
				return `Paused at the first conflict of ${fields(m.doc.pairs[k])}: ${p.says(i)}`;
			}
			const list = p.stops.filter(x => x.finding === v.chosen && x.bin === i && !v.seen.has(x));
			list.forEach(x => v.seen.add(x));
			return list.length ? list.map(s => `Paused at the first conflict of ${s.pair.a.what} and ${s.pair.b.what}: ${side(s.pair.a)}; ${side(s.pair.b)}`).join('. ') : null;
		}

		function pause() {
			v.playing = false;
			play.setAttribute('aria-pressed', 'false');
			play.textContent = '▶ Play';
		}

		function toggle() {
			if (v.playing) {
				pause();
				says();
				show();
				return;
			}
			if (v.i >= p.n - 1)
				go(0);
			const at_once = v.i === 0 && p.n > 1 && stop.checked ? news(0) : null;
			if (at_once) {
				status.textContent = at_once;
				show();
				return;
			}
			v.playing = true;
			v.owed = 0;
			v.then = v.slow = performance.now();
			play.setAttribute('aria-pressed', 'true');
			play.textContent = '⏸ Pause';
			status.textContent = '';
			requestAnimationFrame(frame);
		}

		function frame(now) {
			if (!v.playing)
				return;
			v.owed += Math.max(0, Math.min(100, now - v.then)) / 1000 * v.speed;
			v.then = now;
			const to = Math.min(p.n - 1, v.i + Math.floor(v.owed));
			v.owed -= Math.floor(v.owed);
			for (let i = v.i + 1; i <= to; i++) {
				const word = stop.checked ? news(i) : null;
				if (!word)
					continue;
				pause();
				go(i);
				status.textContent = word;
				show();
				reveal();
				return;
			}
			if (to !== v.i)
				go(to);
			if (v.i >= p.n - 1) {
				pause();
				status.textContent = 'The end.';
				show();
				return;
			}
			show(now - v.slow < 250);
			if (now - v.slow >= 250)
				v.slow = now;
			requestAnimationFrame(frame);
		}

		function keys(e) {
			const at = e.target.tagName;
			const to = {ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity}[e.key];
			if (at === 'SELECT' || (e.key === ' ' && (at === 'BUTTON' || e.target.type === 'checkbox')))
				return;
			if (e.key === ' ')
				toggle();
			else if (to)
				step(to);
			else
				return;
			e.preventDefault();
		}

		/* Arrows among the lines. */
		function walk(e) {
			const by = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: 16, ArrowUp: -16}[e.key];
			const list = [...v.cells.keys()], next = list[list.indexOf(Number(e.target.dataset.line)) + by];
			if (!by || next === undefined)
				return;
			e.preventDefault();
			select(next);
			v.cells.get(next).focus();
		}

		function from_address() {
			const {id, values} = perseus.address();
			if (id !== 'memory')
				return;
			const object = m.findings.findIndex(x => x.f.id === values.get('object'));
			const number = Number(values.get('event'));
			if (!values.has('event') || !Number.isFinite(number) || !p.n) {
				choose(Math.max(0, object));
				if (!status.textContent)
					land(0);
				return;
			}
			const i = p.find(number), f = p.finding(i);
			go(i);
			choose(object >= 0 ? object : f >= 0 ? f : v.chosen, p.line(i) >= 0 && f >= 0 ? p.line(i) : undefined);
			land(i);
		}

		return {root, from_address, redraw: () => {
			v.colors = v.sheet = null;
			show();
		}, state: {v, p, m, land, scrub, choose}};
	}

	perseus.tab({
		id: 'memory', title: 'Memory', needs: ['conflicts', 'memory'], draw,
		get without() {
			const conflicts = perseus.data('conflicts');
			return !conflicts ? 'There is no sharing run in this page: perseus record --purpose=sharing looks for conflicts, and with --trace this tab plays every access.' :
				conflicts.findings.length ? 'The conflicts of this run are between processes; this tab plays what happens in one.' :
				'The run has no conflict of memory: there is nothing to play.';
		},
	});
})();
