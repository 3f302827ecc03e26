/* SPDX-License-Identifier: MIT */
/* Waits: who waits at what for whom, locks, queues, the critical path and what would shorten it. */
'use strict';
perseus.tab({
	id: 'waits', title: 'Waits', needs: ['waits'], without: 'The run holds no waits.',
	async draw(panel) {
		const {el, svg, time, group, percent, place, short} = perseus;
		const doc = perseus.data('waits'), path = perseus.data('critical');
		const W = 1200, GAP = 26, MOST = 14, COLUMNS = [10, 480, 950], BOX = 240;
		const thing = w => `${w.kind}${w.object ? ' ' + w.object : ''}`;
		const places = x => x.file ? `${x.function ? short(x.function) + ' ' : ''}${place(x.file, x.line)}` : x.function || '';
		const command = () => `perseus waits ${perseus.path()} --all`;
		let chosen = null;

		/* ---- the picture -------------------------------------------------------------------- */

		/* Nodes of the three columns by name, and arrows between neighbours, with their time. */
		function graph() {
			const columns = [new Map(), new Map(), new Map()], arrows = new Map();
			const node = (c, name, ns) => {
				const n = columns[c].get(name) || {c, name, ns: 0, key: c + name};
				n.ns += ns;
				columns[c].set(name, n);
				return n;
			};
			const arrow = (a, b, ns, count) => {
				const key = a.key + '\n' + b.key, x = arrows.get(key) || {a, b, ns: 0, count: 0};
				x.ns += ns;
				x.count += count;
				arrows.set(key, x);
			};
			for (const w of doc.waits) {
				const at = node(1, thing(w), w.ns);
				arrow(node(0, w.who, w.ns), at, w.ns, w.count);
				let rest = w.ns;
				for (const h of w.whom) {
					arrow(at, node(2, h.name, h.ns), h.ns, h.count);
					rest -= h.ns;
				}
				if (rest > 0.01 * w.ns)
					arrow(at, node(2, w.outside ? 'outside of the program' : 'not known', rest), rest, w.count);
			}
			return {columns: columns.map(c => [...c.values()].sort((a, b) => b.ns - a.ns)), arrows: [...arrows.values()]};
		}

		/* Columns top down: the first by time, the others by where their arrows come from. */
		function layout(g) {
			const kept = g.columns.map(c => c.slice(0, MOST));
			kept.forEach((list, c) => {
				const weight = new Map();
				for (const n of list) {
					const from = g.arrows.filter(x => x.b === n && x.a.y !== undefined), sum = from.reduce((s, x) => s + x.ns, 0);
					weight.set(n, sum ? from.reduce((s, x) => s + x.a.y * x.ns, 0) / sum : 0);
				}
				if (c)
					list.sort((a, b) => weight.get(a) - weight.get(b) || b.ns - a.ns);
				list.forEach((n, i) => {
					n.x = COLUMNS[c];
					n.y = 34 + i * GAP;
				});
			});
			return kept;
		}

		const picture = svg('svg', {class: 'figure waits', role: 'group', 'aria-label': 'who waits at what for whom; the table below has the figures'});
		const hover = el('p', {class: 'hover', 'aria-live': 'polite'}, '\u00a0');

		function pick(n) {
			chosen = chosen && chosen.key === n.key ? null : n;
			show();
		}

		function draw_node(n) {
			const words = `${n.name}: ${time(n.ns)}`, room = Math.floor((BOX - 70) / 7);
			const out = svg('g', {class: 'node ' + ['own', 'wait', 'lib'][n.c] + (chosen && chosen.key === n.key ? ' chosen' : ''), tabindex: '0', role: 'button', 'aria-label': words,
				'aria-pressed': String(Boolean(chosen && chosen.key === n.key))},
			svg('rect', {x: n.x, y: n.y - 10, width: BOX, height: 20, rx: n.c === 1 ? 10 : 2}),
			svg('text', {x: n.x + 8, y: n.y + 4}, n.name.length > room ? n.name.slice(0, room - 1) + '\u2026' : n.name),
			svg('text', {class: 'axis', x: n.x + BOX - 6, y: n.y + 4, 'text-anchor': 'end'}, time(n.ns)), svg('title', {}, words));
			out.addEventListener('click', () => pick(n));
			out.addEventListener('keydown', e => {
				if (e.key !== 'Enter' && e.key !== ' ')
					return;
				e.preventDefault();
				pick(n);
				const again = picture.querySelector('.chosen');
				if (again)
					again.focus();
			});
			return out;
		}

		function draw_arrow(x, most) {
			const a = x.a.x + BOX, b = x.b.x - 8, mid = (a + b) / 2, width = 1 + 11 * x.ns / most;
			const words = `${x.a.name} \u2192 ${x.b.name}: ${time(x.ns)}, ${group(x.count)} times`;
			const on = !chosen || [x.a.key, x.b.key].includes(chosen.key);
			const out = svg('g', {class: 'arrow' + (on ? '' : ' off')}, svg('path', {d: `M${a} ${x.a.y}C${mid} ${x.a.y} ${mid} ${x.b.y} ${b} ${x.b.y}`, 'stroke-width': width.toFixed(1)}),
				svg('path', {class: 'tip', d: `M${b - 1} ${x.b.y - 5}l9 5l-9 5z`}), svg('title', {}, words));
			out.addEventListener('mouseenter', () => { hover.textContent = words; });
			return out;
		}

		/* ---- tables -------------------------------------------------------------------------- */

		const touches = w => !chosen || (chosen.c === 0 && w.who === chosen.name) || (chosen.c === 1 && thing(w) === chosen.name) ||
			(chosen.c === 2 && (w.whom.some(h => h.name === chosen.name) || (!w.whom.length && (w.outside ? 'outside of the program' : 'not known') === chosen.name)));
		const detail = el('div', {class: 'detail', 'aria-live': 'polite'});

		function tell(w) {
			detail.replaceChildren(el('h3', {}, `${w.id} ${thing(w)}`),
				el('p', {}, `${w.who} (${group(w.threads)} threads) waited ${group(w.count)} times in ${places(w) || 'unknown code'}${w.from_file ? ', called from ' + w.from_function + ' ' + place(w.from_file, w.from_line) : ''}: ` +
					`${time(w.ns)}, ${percent(w.share_of_who)} of its time, the longest ${time(w.max_ns)}` + (w.taken ? `; got it there ${group(w.taken)} times` : '') +
					(w.still_waiting ? `; ${w.still_waiting} still waited at the end` : '') + '.'),
				el('ul', {}, ...w.whom.map(h => el('li', {}, `for ${h.name}${places(h) ? ' in ' + places(h) : ''}: ${time(h.ns)} in ${group(h.count)} waits` +
					(h.holds_timed ? `; holds it for ${time(h.hold_mean_ns)} (${group(h.holds_timed)} timed)` : '')))),
				el('p', {}, el('code', {}, `perseus explain ${w.id}`)));
		}

		const waits = perseus.grid([
			{name: 'waits', key: w => w.who, text: w => w.who},
			{name: 'at', key: thing, text: thing},
			{name: 'in', key: places, text: places},
			{name: 'for', key: w => w.whom.length ? w.whom[0].name : '', text: w => w.whom.length ? w.whom[0].name + (w.whom.length > 1 ? ` +${w.whom.length - 1}` : '') : w.outside ? 'outside' : 'not known'},
			{name: 'which is in', key: w => w.whom.length ? places(w.whom[0]) : '', text: w => w.whom.length ? places(w.whom[0]) : ''},
			{name: 'count', key: w => w.count, text: w => group(w.count), number: true},
			{name: 'time', key: w => w.ns, text: w => time(w.ns), number: true, first: true},
			{name: 'of all', key: w => w.share, text: w => percent(w.share), number: true},
			{name: 'longest', key: w => w.max_ns, text: w => time(w.max_ns), number: true},
		], [], tell);
		const locks = perseus.grid([
			{name: 'lock', key: thing, text: l => thing(l) + (l.objects > 1 ? ` (${group(l.objects)})` : '')},
			{name: 'threads', key: l => l.threads, text: l => group(l.threads), number: true},
			{name: 'taken', key: l => l.taken === null ? -1 : l.taken, text: l => l.taken === null ? 'not counted' : group(l.taken), number: true},
			{name: 'with a wait', key: l => l.waits, text: l => group(l.waits), number: true},
			{name: 'waited', key: l => l.wait_ns, text: l => time(l.wait_ns), number: true, first: true},
			{name: 'held for', key: l => l.hold_mean_ns, text: l => l.holds_timed ? time(l.hold_mean_ns) : 'not timed', number: true},
			{name: 'timed', key: l => l.holds_timed, text: l => group(l.holds_timed), number: true},
		], [...doc.locks]);
		const side = s => `${s.name} (${group(s.threads)}), waits ${percent(s.share)}${s.waits_at ? ' at ' + s.waits_at : ''}`;
		const queues = perseus.grid([
			{name: 'queue', key: q => q.object || '', text: q => (q.object || 'without a name') + (q.guessed ? ' (which side is which is a guess)' : '')},
			{name: 'makes', key: q => q.producer.ns, text: q => side(q.producer)},
			{name: 'takes', key: q => q.consumer.ns, text: q => side(q.consumer), first: true},
		], [...doc.queues]);

		function show() {
			const g = graph(), kept = layout(g), shown = g.arrows.filter(x => x.a.y !== undefined && x.b.y !== undefined);
			const most = Math.max(1, ...shown.map(x => x.ns)), rows = Math.max(1, ...kept.map(c => c.length));
			if (!doc.waits.length) {
				picture.setAttribute('viewBox', `0 0 ${W} 40`);
				picture.replaceChildren(svg('text', {x: 10, y: 24}, 'No thread waited.'));
			} else {
				picture.setAttribute('viewBox', `0 0 ${W} ${rows * GAP + 34}`);
				picture.replaceChildren(...['waits', 'at', 'for'].map((name, c) => svg('text', {class: 'axis', x: COLUMNS[c], y: 14}, name)),
					...shown.map(x => draw_arrow(x, most)), ...kept.flat().map(draw_node));
			}
			const more = g.columns.reduce((s, c) => s + Math.max(c.length - MOST, 0), 0);
			hover.textContent = (chosen ? `${chosen.name} alone; a second click shows all. ` : '') + (more ? `${group(more)} with less time are in the table only.` : '') || '\u00a0';
			waits.refill(doc.waits.filter(touches));
		}

		panel.append(el('h2', {}, 'Who waits for whom'), picture, hover, detail, waits,
			perseus.copiers(() => [['id', 'who', 'kind', 'object', 'function', 'file', 'line', 'count', 'ns', 'max_ns', 'whom', 'whom_function', 'whom_file', 'whom_line', 'whom_ns'],
				...doc.waits.filter(touches).flatMap(w => (w.whom.length ? w.whom : [{}]).map(h => [w.id, w.who, w.kind, w.object, w.function, w.file, w.line, w.count, w.ns, w.max_ns,
					h.name, h.function, h.file, h.line, h.ns]))], command,
				'A wait lasts from the call that blocks until it returns; waits of one kind of thread at one place and object are one row. It is charged to who ended it. ' +
				'Shares are of thread time: the lifetimes of all threads added up.'));
		if (doc.locks.length)
			panel.append(el('h2', {}, 'Locks'), locks, perseus.copiers(() => [['kind', 'object', 'threads', 'taken', 'waits', 'wait_ns', 'holds_timed', 'hold_mean_ns'],
				...doc.locks.map(l => [l.kind, l.object, l.threads, l.taken, l.waits, l.wait_ns, l.holds_timed, l.hold_mean_ns])], command,
				'Each taking of a lock is counted. How long it was held is the mean of those that were timed from taking to release.'));
		if (doc.queues.length)
			panel.append(el('h2', {}, 'Queues'), queues, perseus.copiers(() => [['object', 'guessed', 'makes', 'makes_wait_ns', 'takes', 'takes_wait_ns'],
				...doc.queues.map(q => [q.object, q.guessed, q.producer.name, q.producer.ns, q.consumer.name, q.consumer.ns])], command,
				'A lock at which some threads wake others that wait at a condition. The side that waits more is ahead of the other one.'));

		/* ---- the critical path --------------------------------------------------------------- */

		const share = ns => path.path_ns ? ns / path.path_ns : 0;

		/* The stretches of the path in rows of threads; a click goes to the timeline. */
		function ribbon() {
			const names = path.threads.slice(0, 20).map(t => t.name), row = new Map(names.map((n, i) => [n, i]));
			const from = path.steps[0].begin, to = path.steps[path.steps.length - 1].end, x = t => 180 + (W - 190) * (t - from) / (to - from);
			const out = svg('svg', {class: 'figure path', viewBox: `0 0 ${W} ${names.length * 18 + 24}`, role: 'img', 'aria-label': 'the critical path through the threads, over time'},
				...names.map((n, i) => svg('text', {class: 'axis', x: 4, y: i * 18 + 14}, n.length > 26 ? n.slice(0, 25) + '\u2026' : n)));
			let last = -1, before = null;
			for (const s of path.steps) {
				const i = row.get(s.thread), a = x(s.begin), b = x(s.end);
				if (i === undefined)
					continue;
				if (before !== null && before !== i && a > last + 0.5) {
					out.append(svg('path', {class: 'series', d: `M${a} ${before * 18 + 10}V${i * 18 + 10}`}));
					last = a;
				}
				before = i;
				if (b - a < 0.3)
					continue;
				const box = svg('rect', {class: {work: 'own', wait: 'wait', handoff: 'unknown', start: 'line'}[s.kind], x: a, y: i * 18 + 3, width: b - a, height: 13},
					svg('title', {}, `${s.thread}: ${s.kind}${s.at ? ' at ' + s.at : ''}, ${time(s.end - s.begin)} from ${time(s.begin)}`));
				box.addEventListener('click', () => perseus.go('timeline', {at: Math.round(s.begin), span: Math.max(Math.round(s.end - s.begin), 1000)}));
				out.append(box);
			}
			out.append(svg('text', {class: 'axis', x: 180, y: names.length * 18 + 18}, time(from)), svg('text', {class: 'axis', x: W - 10, y: names.length * 18 + 18, 'text-anchor': 'end'}, time(to)));
			return out;
		}

		function parts(title, list, key) {
			const whose = p => p.name + (p.who && !p.whom ? ' of ' + p.who : '');
			return el('div', {}, el('h3', {}, title), perseus.grid([
				{name: 'what', key: whose, text: whose},
				{name: 'share', key: p => p[key], text: p => percent(share(p[key])), number: true, first: true},
				{name: 'time', key: p => p[key], text: p => time(p[key]), number: true},
				{name: 'place', place: true, key: p => place(p.file, p.line), text: p => (p.whom ? `${p.who} for ${p.whom} ` : '') + place(p.file, p.line)},
			], list.filter(p => p[key] > 0), null, 12));
		}

		/* An interval as a bar and in figures. */
		function gain(g, most) {
			const scale = 300 / Math.max(most, 0.01), [low, high] = [g.low, g.high].map(x => (100 * x).toFixed(1));
			return el('tr', {}, el('td', {class: 'name'}, g.name), el('td', {class: 'place'}, place(g.file, g.line)), el('td', {}, g.change),
				el('td', {class: 'n'}, !g.known ? 'cannot be told' : low === high ? `${low} %` : `${low} to ${high} %`),
				el('td', {}, g.known ? svg('svg', {class: 'gain', viewBox: '0 0 310 14', width: 310, height: 14}, svg('rect', {class: 'line', x: 0, y: 6, width: 300, height: 1}),
					svg('rect', {class: 'own', x: g.low * scale, y: 3, width: Math.max((g.high - g.low) * scale, 3), height: 8})) : g.why));
		}

		panel.append(el('h2', {}, 'Critical path'));
		if (!path || !path.steps || !path.steps.length) {
			panel.append(el('p', {}, 'It is not known: the run holds no waits.'));
			show();
			return;
		}
		const most = Math.max(0, ...path.what_if.map(g => g.high));
		const to_path = () => `perseus waits ${perseus.path()} --critical-path`;
		panel.append(el('p', {id: 'path-words'}, `From the end of the run back through who ended each wait: ${time(path.path_ns)}, ${percent(share(path.work_ns))} work, ` +
			`${percent(share(path.wait_ns))} waiting for nobody that is known, ${percent(share(path.handoff_ns))} from the end of a wait until the thread went on, ` +
			`${percent(share(path.start_ns))} until threads began. What is not on it could take longer without making the run longer.${path.limit ? ' Limited: ' + path.limit + '.' : ''}`),
		ribbon(), el('div', {class: 'sides wide'}, parts('Threads', path.threads, 'ns'), parts('Work', path.functions, 'ns'), parts('Waits, while the path went on elsewhere', path.waits, 'behind_ns')),
		perseus.copiers(() => [['thread', 'kind', 'at', 'begin_ns', 'end_ns'], ...path.steps.map(s => [s.thread, s.kind, s.at, s.begin, s.end])], to_path,
			'From the end of the run backwards: where the thread had waited, the path goes over to who ended the wait. The lengths of its stretches add up to the run.'),
		el('h3', {}, 'What would shorten the run'));
		if (path.what_if.length)
			panel.append(el('table', {id: 'what-if'}, el('thead', {}, el('tr', {}, ...['what', 'place', 'change', 'shorter by', ''].map(x => el('th', {scope: 'col'}, x)))),
				el('tbody', {}, ...path.what_if.map(g => gain(g, most)))),
			el('p', {}, 'Low: the recorded waits played again in their order with the shorter times. High: what comes off this path; more cannot be gained while the rest of it stays. ' +
				'Waits that a change makes are in neither.'),
			perseus.copiers(() => [['name', 'file', 'line', 'change', 'known', 'low', 'high', 'why'], ...path.what_if.map(g => [g.name, g.file, g.line, g.change, g.known, g.low, g.high, g.why])], to_path,
				'Each what-if plays the waits of this run again with the one time changed; shares are of the length of the path.'));
		else
			panel.append(el('p', {}, 'No lock and no long call has 1 % of the path.'));
		if (path.steps_in_all > path.steps.length)
			panel.append(el('p', {}, `${group(path.steps_in_all - path.steps.length)} later stretches of the path are not in this page; the sums have them.`));
		show();
	},
});
