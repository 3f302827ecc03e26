/* SPDX-License-Identifier: MIT */
/* The tree of calls, drawn as icicles and as a list: the document `paths`. */
'use strict';
perseus.flame = panel => {
	const {el, svg, time, group, percent, place} = perseus;
	const WIDTH = 1200, ROW = 20, LEAST = 1.5, ROWS = 60;
	const doc = perseus.data('paths');
	if (!doc || !doc.nodes.length) {
		panel.append(el('p', {}, 'The run holds no paths of calls.'));
		return;
	}
	const all = {name: 'all threads', total_ns: 0, self_ns: 0, calls: null, children: [], depth: 0, node: null};
	const byNumber = new Map();
	for (const n of doc.nodes) {
		const up = n.parent === null ? all : byNumber.get(n.parent);
		const node = {...n, up, children: [], depth: up.depth + 1, wait_ns: n.wait_ns || 0};
		byNumber.set(n.node, node);
		up.children.push(node);
		if (up === all)
			all.total_ns += n.total_ns;
	}
	let zoomed = all, wanted = '', focus = null, shown = [];
	const hover = el('p', {class: 'hover', 'aria-live': 'polite'}, '\u00a0');
	const picture = svg('svg', {class: 'flame', viewBox: `0 0 ${WIDTH} ${ROW}`, role: 'tree', 'aria-label': 'tree of calls, the width is time'});
	const found = el('span', {'aria-live': 'polite'});

	const matches = n => wanted && n.name.toLowerCase().includes(wanted);
	const share = n => all.total_ns ? n.total_ns / all.total_ns : 0;
	const words = n => `${n.name}: ${time(n.total_ns)} (${percent(share(n))}), self ${time(n.self_ns)}` +
		(n.wait_ns ? `, waiting ${time(n.wait_ns)}` : '') + (n.calls === null ? '' : `, ${group(n.calls)} calls`) +
		(n.file ? `, ${place(n.file, n.line)}` : '');

	function sort_of(n) {
		return matches(n) ? 'hit' : n.wait_ns > n.total_ns / 2 ? 'wait' : n.assembler_name ? 'own' : 'unknown';
	}

	function say(n) {
		hover.textContent = words(n);
	}

	function move(n) {
		if (!n || !n.g)
			return;
		if (focus && focus.g)
			focus.g.setAttribute('tabindex', '-1');
		focus = n;
		n.g.setAttribute('tabindex', '0');
		n.g.focus();
		say(n);
	}

	function beside(n, step) {
		const row = shown.filter(x => x.depth === n.depth);
		return row[row.indexOf(n) + step];
	}

	function keys(e, n) {
		const to = {ArrowUp: () => n.up, ArrowDown: () => n.children.find(c => c.g), ArrowLeft: () => beside(n, -1),
			ArrowRight: () => beside(n, 1)}[e.key];
		if (to)
			move(to());
		else if (e.key === 'Enter' || e.key === ' ')
			zoom(n);
		else if (e.key === 'Escape')
			zoom(zoomed.up || all);
		else
			return;
		e.preventDefault();
	}

	/* One box; names that do not fit are cut. */
	function box(n, x, width, depth) {
		const room = Math.floor((width - 6) / 7), name = perseus.short(n.name, room);
		n.g = svg('g', {role: 'treeitem', tabindex: '-1', 'aria-label': words(n), class: 'node ' + sort_of(n)},
			svg('rect', {x, y: depth * ROW, width: Math.max(width - 0.5, 0.5), height: ROW - 1}),
			room > 2 ? svg('text', {x: x + 3, y: depth * ROW + 14}, name.length > room ? name.slice(0, room - 1) + '\u2026' : name) : null);
		n.g.addEventListener('click', () => zoom(n));
		n.g.addEventListener('mouseenter', () => say(n));
		n.g.addEventListener('keydown', e => keys(e, n));
		shown.push(n);
		return n.g;
	}

	function put(n, x, width, depth, out) {
		out.push(box(n, x, width, depth));
		if (depth + 1 >= ROWS)
			return depth;
		let deepest = depth;
		for (const c of n.children) {
			const w = n.total_ns ? width * c.total_ns / n.total_ns : 0;
			if (w >= LEAST)
				deepest = Math.max(deepest, put(c, x, w, depth + 1, out));
			x += w;
		}
		return deepest;
	}

	function draw() {
		const out = [], above = [];
		for (const n of shown)
			n.g = null;
		shown = [];
		for (let n = zoomed.up; n; n = n.up)
			above.unshift(n);
		above.forEach((n, i) => out.push(box(n, 0, WIDTH, i)));
		const deepest = put(zoomed, 0, WIDTH, above.length, out);
		picture.setAttribute('viewBox', `0 0 ${WIDTH} ${(deepest + 1) * ROW}`);
		picture.replaceChildren(...out);
		focus = zoomed;
		zoomed.g.setAttribute('tabindex', '0');
	}

	function zoom(n) {
		zoomed = n;
		draw();
		move(n);
	}

	/* Time in functions of that name, each nanosecond once. */
	function sum(n) {
		return matches(n) ? n.total_ns : n.children.reduce((s, c) => s + sum(c), 0);
	}

	function search(text) {
		wanted = text.trim().toLowerCase();
		const ns = wanted ? sum(all) : 0;
		found.textContent = wanted ? `${[...byNumber.values()].filter(matches).length} boxes, ${time(ns)}, ${percent(all.total_ns ? ns / all.total_ns : 0)}` : '';
		draw();
	}

	/* The same as a table whose rows open. */
	function line(n) {
		const more = n.children.length ? el('button', {'aria-expanded': 'false', 'aria-label': 'callees of ' + n.name}, '+') : el('span', {class: 'leaf'}, '\u00b7');
		const tr = el('tr', {'aria-level': n.depth, class: 'depth' + Math.min(n.depth, 12)},
			el('td', {class: 'name'}, more, ' ' + n.name), el('td', {class: 'n'}, percent(share(n))), el('td', {class: 'n'}, time(n.total_ns)),
			el('td', {class: 'n'}, time(n.self_ns)), el('td', {class: 'n'}, n.calls === null ? '' : group(n.calls)), el('td', {class: 'place'}, place(n.file, n.line)));
		let below = null;
		tr.close = () => {
			if (!below)
				return;
			below.forEach(x => { x.close(); x.remove(); });
			below = null;
			more.setAttribute('aria-expanded', 'false');
			more.textContent = '+';
		};
		more.addEventListener('click', () => {
			if (below) {
				tr.close();
				return;
			}
			below = n.children.slice(0, 200).map(line);
			tr.after(...below);
			more.setAttribute('aria-expanded', 'true');
			more.textContent = '\u2212';
		});
		return tr;
	}

	panel.append(el('h2', {}, 'Tree of calls'),
		el('p', {}, 'The width of a box is the time in it and below it. Click or Enter goes into a box, Escape goes out, arrows move.'),
		el('div', {class: 'tools'}, el('label', {}, 'Search ', el('input', {type: 'search', class: 'flame-search', oninput: e => search(e.target.value)})), found,
			el('button', {onclick: () => zoom(all)}, 'Whole tree')),
		picture, hover,
		el('details', {class: 'tree'}, el('summary', {}, 'As a table'),
			el('div', {class: 'scroll'}, el('table', {}, el('thead', {}, el('tr', {}, ...['function', 'share', 'total', 'self', 'calls', 'place'].map((x, i) =>
				el('th', {scope: 'col', class: i > 0 && i < 5 ? 'n' : ''}, x)))), el('tbody', {}, ...all.children.slice(0, 500).map(line))))),
		perseus.copiers(() => [['node', 'parent', 'name', 'file', 'line', 'total_ns', 'self_ns', 'wait_ns', 'calls'],
			...doc.nodes.map(n => [n.node, n.parent, n.name, n.file, n.line, n.total_ns, n.self_ns, n.wait_ns, n.calls])],
		() => `perseus report ${perseus.path()} --paths --calls 20000`,
		'A node is a callee at one place of its caller; its width is the time in it and below it, as a share of all threads. What a sampled call does is put below ' +
		'the function that its call site lies in; a call inside a call of the same site is charged to that one.'));
	if (doc.nodes_in_all > doc.nodes.length)
		panel.append(el('p', {}, `${group(doc.nodes_in_all - doc.nodes.length)} nodes of little time are not in this page.`));
	draw();
};
