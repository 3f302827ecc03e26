/* SPDX-License-Identifier: MIT */
/* Arrays: what each is to denormal numbers, where these are born, and maps of arrays where a run has some. */
'use strict';
perseus.tab({
	id: 'arrays', title: 'Arrays', needs: ['denormals'], without: 'No run that counted denormal numbers was given.',
	make: 'perseus build --probe=denormal:full -- make && perseus record --purpose=denormal PROGRAM',
	async draw(panel) {
		const {el, time, group, place, svg} = perseus;
		const doc = perseus.data('denormals'), run = perseus.path('denormal'), priced = doc.prices !== null;
		const command = () => `perseus denormals ${run} --all`;
		const cost = x => !priced ? 'not priced' : x.cost_ns_high > x.cost_ns_low ? `${time(x.cost_ns_low)} to ${time(x.cost_ns_high)}` : time(x.cost_ns_high);
		const least = x => (x.at_least ? '\u2265 ' : '');

		/* ---- one array -------------------------------------------------------------------- */

		const detail = el('div', {class: 'detail', 'aria-live': 'polite'});
		function show(a) {
			detail.replaceChildren(el('h3', {}, a.name), el('p', {}, `${a.where}${a.made_by ? `, made by ${a.made_by}` : ''}; ${group(a.bytes)} bytes${a.blocks > 1 ? ` in ${group(a.blocks)} blocks` : ''}.`),
				perseus.grid([
					{name: 'operation', key: r => r.operation, text: r => r.operation},
					{name: 'function', key: r => r.function || '', text: r => perseus.short(r.function || 'not known')},
					{name: 'place', place: true, key: r => r.line, text: r => place(r.file, r.line)},
					{name: 'denormals', key: r => r.count, text: r => group(r.count), number: true, first: true},
				], a.by.slice()));
		}

		/* Loads to the left, stores to the right: what comes in and what goes out. */
		function balance(a) {
			const most = Math.max(1, ...doc.arrays.map(x => Math.max(x.loads, x.stores)));
			return svg('svg', {class: 'balance', viewBox: '-50 0 100 8', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${group(a.loads)} loads, ${group(a.stores)} stores`},
				svg('rect', {class: 'lib', x: -50 * a.loads / most, width: 50 * a.loads / most, height: 8}), svg('rect', {class: 'own', x: 0, width: 50 * a.stores / most, height: 8}),
				svg('rect', {class: 'zero', x: -0.2, width: 0.4, height: 8}));
		}

		const of_array = a => [a.name, a.where, a.made_by, a.part, a.bytes, a.blocks, a.loads, a.stores];
		const arrays = perseus.grid([
			{name: 'array', key: a => a.name, text: a => a.name},
			{name: 'is', key: a => a.part, text: a => a.part},
			{name: 'lies', key: a => a.where, text: a => a.where},
			{name: 'bytes', key: a => a.bytes, text: a => group(a.bytes), number: true},
			{name: 'denormals loaded', key: a => a.loads, text: a => group(a.loads), number: true},
			{name: 'loads | stores', key: a => a.loads - a.stores, text: balance},
			{name: 'denormals stored', key: a => a.stores, text: a => group(a.stores), number: true},
			{name: 'both', key: a => a.loads + a.stores, text: a => group(a.loads + a.stores), number: true, first: true},
		], doc.arrays.slice(), show);

		/* ---- lines ------------------------------------------------------------------------ */

		const lines = (list, by) => perseus.grid([
			{name: 'function', key: l => l.function || '', text: l => perseus.short(l.function || 'not known')},
			{name: 'place', place: true, key: l => l.line, text: l => place(l.file, l.line)},
			{name: 'born', key: l => l.births, text: l => least(l) + group(l.births), number: true, first: by === 'births'},
			{name: 'results', key: l => l.results, text: l => least(l) + group(l.results), number: true, first: by === 'results'},
			{name: 'loaded', key: l => l.loads, text: l => least(l) + group(l.loads), number: true},
			{name: 'stored', key: l => l.stores, text: l => least(l) + group(l.stores), number: true},
			{name: 'cost', key: l => l.cost_ns_high || 0, text: cost, number: true},
		], list.slice());
		const of_line = l => [l.function, l.file, l.line, l.births, l.results, l.loads, l.stores, l.deaths, l.cost_ns_low, l.cost_ns_high];
		const heads = ['function', 'file', 'line', 'births', 'results', 'loads', 'stores', 'deaths', 'cost_ns_low', 'cost_ns_high'];

		/* ---- maps of mode origin ----------------------------------------------------------- */

		/* Tiles of an epoch: docs/denormal.md. */
		const tiles = text => text.split(' ').filter(x => x).map(x => x.split(':').map(Number));

		function map_of(m) {
			const canvas = el('canvas', {class: 'map', width: m.columns, height: m.rows, role: 'img', 'aria-label': `denormals stored to ${m.array}; the figures are in the copy as CSV`});
			const clock = el('span', {class: 'clock'}), hover = el('p', {class: 'hover'}, '\u00a0'), epochs = m.epochs.map(tiles);
			const most = Math.max(1, ...epochs.flatMap(e => e.map(x => x[1])));
			let values = null;
			function draw(epoch) {
				const g = canvas.getContext('2d'), image = g.createImageData(m.columns, m.rows);
				values = new Float64Array(m.rows * m.columns);
				for (const [tile, count] of epochs[epoch] || [])
					values[tile] = count;
				values.forEach((v, k) => {
					const heat = v ? 0.25 + 0.75 * Math.log1p(v) / Math.log1p(most) : 0;
					image.data.set([230 - 205 * heat, 230 - 160 * heat, 235 - 80 * heat, 255], 4 * k);
				});
				g.putImageData(image, 0, 0);
				clock.textContent = `${time(epoch * m.epoch_ns)} to ${time((epoch + 1) * m.epoch_ns)}: ${group(values.reduce((a, b) => a + b, 0))} in all`;
			}
			canvas.addEventListener('pointermove', e => {
				const x = Math.floor(e.offsetX / canvas.clientWidth * m.columns), y = Math.floor(e.offsetY / canvas.clientHeight * m.rows);
				hover.textContent = `tile ${y}, ${x}: ${group(values[y * m.columns + x] || 0)}`;
			});
			draw(Math.max(epochs.length - 1, 0));
			return el('figure', {}, el('figcaption', {}, `${m.array}: denormals stored`), el('div', {class: 'tools'}, el('input', {type: 'range', min: 0, max: Math.max(epochs.length - 1, 0), value: epochs.length - 1,
				'aria-label': 'moment', oninput: e => draw(Number(e.target.value))}), clock), canvas, hover,
			m.outside ? el('p', {}, `${group(m.outside)} more lie in no tile.`) : null,
			perseus.copiers(() => [['array', 'epoch', 'begin_ns', 'row', 'column', 'count'], ...epochs.flatMap((e, k) => e.map(([t, n]) => [m.array, k, k * m.epoch_ns, Math.floor(t / m.columns), t % m.columns, n]))],
				command, `Each tile stands for some elements. The darker, the more; the scale is logarithmic and the same for all moments.`));
		}

		/* Which way denormals went, from array to array, and which births explain which stores. */
		function origins_of(o) {
			return [el('section', {id: 'array-origins'}, el('h2', {}, 'Where they come from'), perseus.grid([
				{name: 'born in', key: x => x.function || '', text: x => perseus.short(x.function || 'not known')},
				{name: 'place', place: true, key: x => x.line, text: x => place(x.file, x.line)},
				{name: 'array', key: x => x.array || '', text: x => x.array || ''},
				{name: 'stores that they explain', key: x => x.stores, text: x => group(x.stores), number: true, first: true},
			], o.births.slice()), o.edges && o.edges.length ? perseus.grid([
				{name: 'from', key: x => x.from || '', text: x => x.from || 'not known'}, {name: 'to', key: x => x.to || '', text: x => x.to || 'not known'},
				{name: 'loads', key: x => x.loads, text: x => group(x.loads), number: true, first: true},
			], o.edges.slice()) : null)];
		}

		/* ---- the panel -------------------------------------------------------------------- */

		panel.append(el('h2', {}, 'May the counts be believed? ', el('strong', {class: `word ${doc.trust === 'good' ? 'good' : doc.trust === 'limited' ? 'limited' : 'none'}`}, doc.trust)),
			...doc.doubts.map(x => el('p', {}, x)),
			...doc.incomplete_why ? [el('p', {}, doc.incomplete_why)] : [],
			el('p', {class: 'totals'}, `${doc.births_counted ? group(doc.total.births) : 'Not counted how many'} born, ${group(doc.total.results)} denormal results, ${group(doc.total.loads)} loaded, ${group(doc.total.stores)} stored; ` +
				`cost: ${cost(doc.total)}.`),
			el('h2', {}, 'Arrays'), doc.arrays.length ? arrays : el('p', {}, 'No array held a denormal number.'), detail,
			perseus.copiers(() => [['array', 'where', 'made_by', 'part', 'bytes', 'blocks', 'loads', 'stores'], ...doc.arrays.map(of_array)], command,
				'Denormal values that operations of the program loaded and stored, by the array that they lie in. An array is a source if ten times as many are loaded as stored, a sink the other way round, ' +
				'and passes on what lies between; brought in: none of what was loaded was stored by code that is counted.'),
			el('h2', {}, 'Where they are born'), doc.births.length ? lines(doc.births, 'births') : el('p', {}, doc.births_counted ? 'None was born in the code that was counted.' :
				'Births are counted by: perseus build --probe=denormal:full'),
			el('h2', {}, 'Lines that they go through'), doc.lines.length ? lines(doc.lines, 'results') : el('p', {}, 'No line met a denormal number.'),
			perseus.copiers(() => [heads, ...doc.lines.map(of_line)], command, 'A denormal number is born where no operand was one. The cost lies between that of operations beside other work and that of a chain in which each waits for the one before.'),
			...(doc.origins ? origins_of(doc.origins) : []), ...(doc.maps && doc.maps.length ? [el('section', {id: 'array-maps'}, el('h2', {}, 'Maps'), ...doc.maps.map(map_of))] :
				[el('p', {class: 'no-maps'}, 'Maps of single arrays are not in this run: its counters keep sums for each array.')]));

	},
});
