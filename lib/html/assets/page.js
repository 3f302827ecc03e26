/* SPDX-License-Identifier: MIT */
/*
 * What all tabs share: documents, tables of integers, numbers as people read
 * them, the tabs themselves.  README.md of report/page describes the formats.
 */
'use strict';
const perseus = (() => {
	const SLOTS = 65536; /* lib/html/columns.c */
	const PIECE = 8192; /* rows */
	const tabs = [];
	const documents = new Map();
	const tables = new Map();
	let shown = null;

	/* Control characters, and those that change the order in which text is read: lib/shown.h. */
	const NOT_SHOWN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffd]/g;

	/* JSON, without what may not be shown in its strings. */
	function parse(text) {
		const any = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffd]|\\[ubfnrt]/.test(text);
		return JSON.parse(text, any ? (_, x) => typeof x === 'string' ? x.replace(NOT_SHOWN, '.') : x : undefined);
	}

	/* The document @id as an object; null: the page has none. */
	function data(id) {
		if (!documents.has(id)) {
			const at = document.getElementById(id);
			documents.set(id, at && at.type === 'application/json' ? parse(at.textContent) : null);
		}
		return documents.get(id);
	}

	function bytes_of(base64) {
		if (Uint8Array.fromBase64)
			return Uint8Array.fromBase64(base64);
		const text = atob(base64), out = new Uint8Array(text.length);
		for (let i = 0; i < text.length; i++)
			out[i] = text.charCodeAt(i);
		return out;
	}

	async function inflate(packed) {
		const source = new ReadableStream({start(to) {
			to.enqueue(packed);
			to.close();
		}});
		const stream = source.pipeThrough(new DecompressionStream('gzip'));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	}

	const array_of = (bits, rows) => new ({8: Int8Array, 16: Int16Array, 32: Int32Array}[bits] || Float64Array)(rows);

	/* Zigzag differences from @from on, integers of 32 bits, into @out: as they are, or the sums of them from @v on. */
	function unpack_short(raw, from, rows, planes, sums, v, out) {
		const keep = sums ? -1 : 0, n = out.length;
		const [a, b, c, d] = [0, 1, 2, 3].map(k => raw.subarray(from + k * rows, from + k * rows + n));
		if (planes === 1)
			for (let i = 0; i < n; i++)
				out[i] = v = (v & keep) + (a[i] >>> 1 ^ -(a[i] & 1)) | 0;
		else if (planes === 2)
			for (let i = 0; i < n; i++)
				out[i] = v = (v & keep) + ((a[i] | b[i] << 8) >>> 1 ^ -(a[i] & 1)) | 0;
		else
			for (let i = 0; i < n; i++)
				out[i] = v = (v & keep) + ((a[i] | b[i] << 8 | c[i] << 16 | d[i] << 24) >>> 1 ^ -(a[i] & 1)) | 0;
	}

	/* Add to each of @steps what the @last row with the same slot of columns @a and @b had in column @of. */
	function add_last(steps, last, a, b, of) {
		for (let i = 0; i < steps.length; i++) {
			const slot = a[i] + 257 * b[i] & SLOTS - 1;
			steps[i] += last[slot];
			last[slot] = of[i];
		}
	}

	/* The same of numbers that need more bits. */
	function unpack_long(raw, at, rows, planes, a, b, of) {
		const out = new Float64Array(rows), last = new Float64Array(SLOTS);
		for (let i = 0; i < rows; i++) {
			let v = 0;
			for (let k = planes - 1; k >= 0; k--)
				v = v * 256 + raw[at + k * rows + i];
			v = v % 2 ? -(v + 1) / 2 : v / 2;
			if (a) {
				const slot = a[i] + (b ? 257 * b[i] : 0) & SLOTS - 1;
				v += last[slot];
				last[slot] = of ? of[i] : v;
			}
			out[i] = v;
		}
		return out;
	}

	/* A column of integers of 32 bits, in pieces that the cache holds, and in arrays of one type: see unpack(). */
	function unpack_pieces(raw, at, rows, planes, a, b, of, like, out) {
		const [steps, of_a, of_b, of_c] = [0, 1, 2, 3].map(() => new Int32Array(PIECE)), last = a ? new Int32Array(SLOTS) : null;

		for (let i = 0, v = 0; i < rows; i += PIECE) {
			const n = Math.min(PIECE, rows - i), now = n < PIECE ? steps.subarray(0, n) : steps;
			const piece = (space, column) => {
				if (column)
					space.set(column.subarray(i, i + n));
				return space;
			};

			unpack_short(raw, at + i, rows, planes, !like, v, now);
			v = now[n - 1];
			if (a)
				add_last(now, last, piece(of_a, a), piece(of_b, b), of ? piece(of_c, of) : now);
			out.set(now, i);
		}
		return out;
	}

	/*
	 * One column: planes of bytes, zigzag, differences to the row above; or, with @like, to the last row with
	 * the same slot of one or two columns ("a+b"), there to this column or another ("a+b=of"); or values (".").
	 * @done: the columns that stand before it.
	 */
	function unpack(raw, at, rows, planes, bits, like, done) {
		const [slots, from] = like.split('='), [a, b] = slots.split('+').map(k => done[k]), of = done[from];
		if (bits <= 32 && planes <= 4)
			return unpack_pieces(raw, at, rows, planes, a, b, of, like, array_of(bits, rows));
		return like ? unpack_long(raw, at, rows, planes, a, b, of) : sum(unpack_long(raw, at, rows, planes));
	}

	function sum(steps) {
		for (let i = 1; i < steps.length; i++)
			steps[i] += steps[i - 1];
		return steps;
	}

	async function read_table(element) {
		const rows = Number(element.dataset.rows), out = {rows};
		const raw = await inflate(bytes_of(element.textContent));
		let at = 0;
		for (const column of element.dataset.columns.split(' ')) {
			const [name, ...rest] = column.split(':'), [planes, bits] = rest.map(Number), like = rest[2] || '';
			out[name] = planes ? unpack(raw, at, rows, planes, bits, like, out) : array_of(bits, rows).fill(Number(like));
			at += rows * planes;
		}
		if (at !== raw.length)
			throw new Error(`table ${element.id} is damaged: ${raw.length} bytes, expected ${at}`);
		return out;
	}

	/* Promise of table @id: {rows, COLUMN: array, ...}; null: the page has none. */
	function table(id) {
		const at = document.getElementById(id);
		if (!at || !at.dataset.columns)
			return Promise.resolve(null);
		if (!tables.has(id))
			tables.set(id, read_table(at));
		return tables.get(id);
	}

	/* Three digits and a unit, as the text reports have it. */
	function time(ns) {
		const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];
		for (const [size, unit] of units)
			if (Math.abs(ns) >= size || unit === 'ns')
				return three(ns / size) + ' ' + unit;
		return '0 ns';
	}

	function three(x) {
		const a = Math.abs(x);
		return a >= 99.95 || a === 0 ? x.toFixed(0) : a >= 9.995 ? x.toFixed(1) : x.toFixed(2);
	}

	function group(n) {
		return Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');
	}

	function percent(share) {
		return (100 * share).toFixed(1) + ' %';
	}

	/* An element with attributes and children, which are elements or text. */
	function el(name, attributes, ...children) {
		const out = document.createElement(name);
		for (const [key, value] of Object.entries(attributes || {})) {
			if (key.startsWith('on'))
				out.addEventListener(key.slice(2), value);
			else if (value === true)
				out.setAttribute(key, '');
			else if (value !== null && value !== undefined && value !== false)
				out.setAttribute(key, value);
		}
		out.append(...children.filter(x => x !== null && x !== undefined));
		return out;
	}

	/* The same for drawings. */
	function svg(name, attributes, ...children) {
		const out = document.createElementNS('http://www.w3.org/2000/svg', name);
		for (const [key, value] of Object.entries(attributes))
			out.setAttribute(key, value);
		out.append(...children.filter(x => x !== null && x !== undefined));
		return out;
	}

	/* What an element shall be, for renew(). */
	function told(name, attributes, ...children) {
		return {name, attributes, children: children.filter(x => x !== null && x !== undefined)};
	}

	function made(wanted, inside) {
		if (typeof wanted === 'string')
			return document.createTextNode(wanted);
		const drawing = wanted.name === 'svg' || inside instanceof SVGElement;
		const out = drawing ? document.createElementNS('http://www.w3.org/2000/svg', wanted.name) : document.createElement(wanted.name);
		for (const [key, value] of Object.entries(wanted.attributes))
			out.setAttribute(key, value);
		renew(out, wanted.children);
		return out;
	}

	/*
	 * Give @parent the children @wanted, texts and told()s, and touch only those that differ from what this
	 * function gave it before: what stays need not be laid out again.
	 */
	function renew(parent, wanted) {
		const before = parent.told || [];
		if (!parent.told)
			parent.replaceChildren();
		parent.told = wanted;
		wanted.forEach((now, i) => {
			const old = before[i], at = parent.childNodes[i];
			if (old === undefined) {
				parent.append(made(now, parent));
			} else if (typeof now === 'string' && typeof old === 'string') {
				if (now !== old)
					at.data = now;
			} else if (now.name !== old.name) {
				at.replaceWith(made(now, parent));
			} else {
				for (const key of Object.keys(old.attributes))
					if (!(key in now.attributes))
						at.removeAttribute(key);
				for (const [key, value] of Object.entries(now.attributes))
					if (old.attributes[key] !== value)
						at.setAttribute(key, value);
				renew(at, now.children);
			}
		});
		while (parent.childNodes.length > wanted.length)
			parent.lastChild.remove();
	}

	/* The run that a command of this page is about, for a shell: the first, or that of @purpose. */
	function path(purpose) {
		const {runs} = data('page');
		return word((runs.find(r => r.purpose === purpose) || runs[0]).path);
	}

	/* @text as a word for a shell. */
	function word(text) {
		return /^[\w./@+-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
	}

	function place(file, line) {
		return file ? file.split('/').pop() + (line ? ':' + line : '') : '';
	}

	/* A long name goes without what stands in its templates: text_short() of report/time/words.h. */
	function short(name, limit = 60) {
		if (name.length <= limit)
			return name;
		let out = '', depth = 0;
		for (const word of name.match(/operator[<>=!-]*|[^]/g)) {
			if (word === '<' && !depth++)
				out += '<..>';
			if (!depth)
				out += word;
			if (word === '>' && depth)
				depth--;
		}
		return out;
	}

	/* A name that may be broken behind '_' and ':', as html_name() of lib/html has it. */
	function breakable(name) {
		return name.split(/(?<=[_:])(?![_:]|$)/).flatMap((x, i) => i ? [document.createElement('wbr'), x] : [x]);
	}

	/* A color of the style sheet, for canvases. */
	function color(name) {
		return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
	}

	/* Black or white, whichever can be read on @background (#rrggbb). */
	function ink_on(background) {
		const [r, g, b] = [1, 3, 5].map(i => parseInt(background.slice(i, i + 2), 16) / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000000' : '#ffffff';
	}

	function csv_cell(x) {
		const text = String(x === null || x === undefined ? '' : x);
		return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
	}

	function csv(rows) {
		return rows.map(r => r.map(csv_cell).join(',')).join('\r\n') + '\r\n';
	}

	/* Show @text where it can be copied, and copy it where the browser lets us. */
	function copy(text, into) {
		const area = el('textarea', {class: 'copy', readonly: true, 'aria-label': 'to copy'});
		area.value = text;
		into.replaceChildren(area, el('button', {onclick: () => into.replaceChildren()}, 'close'));
		area.select();
		if (navigator.clipboard)
			navigator.clipboard.writeText(text).catch(() => {});
	}

	/* A fold that says @how figures were computed, and the command that prints them, which may depend on what is chosen. */
	function how(words, command) {
		const code = el('code', {});
		return el('details', {class: 'how', ontoggle: () => { code.textContent = command(); }}, el('summary', {}, 'How was this computed?'),
			el('p', {}, words), el('p', {}, code));
	}

	/*
	 * "copy as CSV" and "copy as command" under a chart, and the fold; @rows gives an array of rows,
	 * @command a text, @words say how the figures were computed.
	 */
	function copiers(rows, command, words) {
		const into = el('div', {});
		return el('div', {class: 'copiers'}, el('div', {class: 'tools'},
			el('button', {onclick: () => copy(csv(rows()), into)}, 'Copy as CSV'),
			el('button', {class: 'command', onclick: () => copy(command(), into)}, 'Copy as command')), into, how(words, command));
	}

	/*
	 * A table that sorts by a click on its heads.  @columns: [{name, key(row), text(row), number}],
	 * @pick(row): called for a row that is chosen by mouse or keyboard.
	 */
	function grid(columns, rows, pick, limit = 200) {
		const body = el('tbody', {});
		const more = el('p', {class: 'more'});
		let by = columns.findIndex(c => c.first), up = false;

		function fill() {
			const c = columns[by];
			if (c)
				rows.sort((a, b) => (up ? 1 : -1) * (c.key(a) < c.key(b) ? -1 : c.key(a) > c.key(b) ? 1 : 0));
			body.replaceChildren(...rows.slice(0, limit).map(row => {
				const tr = el('tr', pick ? {tabindex: 0, onclick: () => pick(row, tr), onkeydown: e => {
					if (e.key === 'Enter' || e.key === ' ') {
						e.preventDefault();
						pick(row, tr);
					}
				}} : {});
				tr.append(...columns.map(c => el('td', {class: c.number ? 'n' : c.place ? 'place' : 'name'}, ...cell(c, c.text(row)))));
				return tr;
			}));
			more.textContent = rows.length > limit ? `${group(rows.length - limit)} more rows are not shown here.` : '';
			heads.forEach((h, i) => h.setAttribute('aria-sort', i === by ? up ? 'ascending' : 'descending' : 'none'));
		}
		const cell = (c, text) => typeof text === 'string' && !c.number && !c.place && text.includes('_') ? breakable(text) : [text];
		const heads = columns.map((c, i) => el('th', {scope: 'col', class: c.number ? 'n' : ''},
			el('button', {onclick: () => {
				up = by === i ? !up : !c.number;
				by = i;
				fill();
			}}, c.name)));
		fill();
		const out = el('div', {class: 'scroll'}, el('table', {}, el('thead', {}, el('tr', {}, ...heads)), body), more);
		out.refill = list => {
			rows = list;
			fill();
		};
		return out;
	}

	/* A tab: {id, title, needs: [documents], draw(panel)}. */
	function tab(t) {
		tabs.push(t);
	}

	function missing(t) {
		return t.needs.filter(id => !document.getElementById(id));
	}

	async function open(id) {
		const t = tabs.find(x => x.id === id) || tabs[0];
		for (const x of tabs) {
			x.button.setAttribute('aria-selected', String(x === t));
			x.button.tabIndex = x === t ? 0 : -1;
			x.panel.hidden = x !== t;
		}
		shown = t;
		if (t.drawn) {
			if (t.redraw) /* the theme or the window may be another one since */
				t.redraw();
			return;
		}
		t.drawn = true;
		if (missing(t).length)
			t.panel.append(el('p', {}, t.without), ...(t.make ? [el('p', {}, 'This makes it: ', el('code', {class: 'make'}, t.make))] : []));
		else
			await t.draw(t.panel).catch(e => t.panel.append(el('p', {class: 'damage'}, `This part of the page cannot be shown: ${e.message}`)));
		t.panel.dataset.ready = '1';
	}

	/* What stands behind '#': #tab=calls&thread=3; a moment (#event=N) is one of memory. */
	function address() {
		const values = new URLSearchParams(location.hash.slice(1));
		return {id: values.get('tab') || (values.has('event') ? 'memory' : 'summary'), values};
	}

	/* Go to tab @id, with @values in the address. */
	function go(id, values = {}) {
		location.hash = new URLSearchParams({tab: id, ...values}).toString();
	}

	/* Light, dark, or none: as the system has it. */
	function wear(name) {
		const root = document.documentElement;
		if (name)
			root.dataset.theme = name;
		else
			delete root.dataset.theme;
		if (shown && shown.redraw)
			shown.redraw();
	}

	function theme() {
		const worn = document.documentElement.dataset.theme;
		wear((worn ? worn === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches) ? 'light' : 'dark');
	}

	/* Paper is white, and canvases have the colors that they were drawn with. */
	function paper() {
		let worn = null;
		window.addEventListener('beforeprint', () => {
			worn = document.documentElement.dataset.theme;
			wear('light');
		});
		window.addEventListener('afterprint', () => wear(worn));
	}

	function keys(e) {
		const step = {ArrowRight: 1, ArrowLeft: -1}[e.key];
		if (!step)
			return;
		const at = tabs.findIndex(t => t.button === document.activeElement);
		if (at < 0)
			return;
		const next = tabs[(at + step + tabs.length) % tabs.length];
		next.button.focus();
		go(next.id);
	}

	function start() {
		const first = document.getElementById('tab-summary');
		const nav = el('nav', {role: 'tablist', 'aria-label': 'views of the run', onkeydown: keys});
		tabs.unshift({id: 'summary', title: 'Summary', needs: [], async draw() {}, panel: first});
		for (const t of tabs) {
			t.panel = t.panel || el('main', {hidden: true});
			t.panel.setAttribute('role', 'tabpanel');
			t.panel.id = t.panel.id || 'tab-' + t.id;
			t.button = el('button', {role: 'tab', 'aria-controls': t.panel.id, id: 'open-' + t.id, 'data-empty': missing(t).length > 0,
				onclick: () => go(t.id)}, t.title);
			t.panel.setAttribute('aria-labelledby', t.button.id);
			nav.append(t.button);
			first.parentNode.insertBefore(t.panel, document.querySelector('body > script'));
		}
		nav.append(el('button', {class: 'theme', onclick: theme}, 'Light or dark'));
		first.parentNode.insertBefore(nav, first);
		window.addEventListener('hashchange', () => open(address().id));
		paper();
		open(address().id).then(() => { document.documentElement.dataset.ready = '1'; });
	}

	return {data, table, time, three, group, percent, el, svg, told, renew, path, word, place, short, color, ink_on, csv, copy, copiers, grid, tab, address, go, start,
		current: () => shown};
})();
