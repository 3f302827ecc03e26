/* SPDX-License-Identifier: MIT */
/*
 * How a line of memory is drawn in the tab "Memory".  A thousand lines change with each step;
 * as elements with styles of their own that took ten milliseconds, as images of a canvas seven:
 * the forms are copied as pixels, and a picture is handed to its canvas once.
 */
'use strict';
perseus.cells = (() => {
	const SIDE = 24, END = SIDE - 2; /* CSS pixels of a square, and where its inside ends */
	const STATES = ['none', 'block', 'used1', 'used2', 'used3', 'fought'];
	const FORMS = STATES.flatMap(s => [s, s + ' was']);
	const scale = Math.max(1, Math.ceil(window.devicePixelRatio || 1));

	function stripes(c, color, wide, every, upright) {
		c.fillStyle = color;
		for (let at = 2; at < END; at += every)
			c.fillRect(upright ? at : 2, upright ? 2 : at, upright ? Math.min(wide, END - at) : END - 2, upright ? END - 2 : Math.min(wide, END - at));
	}

	function dot(c, color, radius) {
		c.fillStyle = color;
		c.beginPath();
		c.arc(SIDE / 2, SIDE / 2, radius, 0, 2 * Math.PI);
		c.fill();
	}

	function edge(c, color, wide, dashes) {
		c.strokeStyle = color;
		c.lineWidth = wide;
		c.setLineDash(dashes);
		c.strokeRect(1 + wide / 2, 1 + wide / 2, SIDE - 2 - wide, SIDE - 2 - wide);
	}

	function cross(c) {
		c.strokeStyle = '#000';
		c.lineWidth = 3;
		c.setLineDash([]);
		c.beginPath();
		c.moveTo(4, 4);
		c.lineTo(SIDE - 4, SIDE - 4);
		c.moveTo(SIDE - 4, 4);
		c.lineTo(4, SIDE - 4);
		c.stroke();
	}

	const INSIDE = {
		none: () => {},
		block(c, k) {
			c.fillStyle = k.good;
			c.fillRect(SIDE / 2 - 3, SIDE / 2 - 3, 6, 6);
		},
		used1(c, k) {
			stripes(c, k.wait, 1, 5);
			dot(c, k.ink, 2);
		},
		used2(c, k) {
			stripes(c, k.wait, 3, 4);
			dot(c, k.ink, 3);
		},
		used3(c, k) {
			stripes(c, k.wait, 4, 4);
			dot(c, '#000', 4);
		},
		fought(c, k) {
			stripes(c, '#fff', 4, 4);
			stripes(c, k.bad, 4, 6, true);
			cross(c);
		},
	};

	/* The rows of pixels of each form, in the colours of now. */
	function sheet() {
		const out = document.createElement('canvas'), c = out.getContext('2d', {willReadFrequently: true});
		const k = Object.fromEntries(['shade', 'line', 'good', 'wait', 'bad', 'ink'].map(name => [name, perseus.color(name)]));
		out.width = FORMS.length * SIDE * scale;
		out.height = SIDE * scale;
		FORMS.forEach((form, i) => {
			const [state, was] = form.split(' ');
			c.setTransform(scale, 0, 0, scale, i * SIDE * scale, 0);
			c.fillStyle = k.shade;
			c.fillRect(1, 1, SIDE - 2, SIDE - 2);
			INSIDE[state](c, k);
			if (state === 'fought')
				edge(c, k.bad, 2, []);
			else if (was)
				edge(c, k.bad, 2, [2, 2]);
			else
				edge(c, state === 'block' ? k.good : k.line, 1, []);
		});
		const pixels = new Uint32Array(c.getImageData(0, 0, out.width, out.height).data.buffer), size = SIDE * scale;
		return FORMS.map((_, i) => Array.from({length: size}, (_, y) => pixels.subarray(y * out.width + i * size, y * out.width + (i + 1) * size)));
	}

	/* A picture of @columns x @rows lines. */
	function picture(columns, rows) {
		const out = perseus.el('canvas', {width: columns * SIDE * scale, height: rows * SIDE * scale, 'aria-hidden': 'true'});
		out.style.width = `${columns * SIDE}px`;
		out.style.height = `${rows * SIDE}px`;
		out.columns = columns;
		out.planned = new Int8Array(columns * rows).fill(-1); /* the form that each line shall have */
		out.drawn = new Int8Array(columns * rows).fill(-1);
		return out;
	}

	/* Line @i of @to shall have form number @form. */
	function plan(to, i, form) {
		to.planned[i] = form;
		to.changed = true;
	}

	/* Draw what was planned, copying the rows of the forms of @from; seen at once. */
	function paint(to, from) {
		if (!to.changed)
			return;
		if (!to.image) {
			to.image = new ImageData(to.width, to.height);
			to.pixels = new Uint32Array(to.image.data.buffer);
		}
		const size = SIDE * scale, afresh = to.from !== from;
		for (let i = 0; i < to.planned.length; i++) {
			const form = to.planned[i];
			if (form < 0 || form === to.drawn[i] && !afresh)
				continue;
			let target = Math.floor(i / to.columns) * size * to.width + i % to.columns * size;
			for (const row of from[form]) {
				to.pixels.set(row, target);
				target += to.width;
			}
			to.drawn[i] = form;
		}
		to.getContext('2d').putImageData(to.image, 0, 0);
		to.from = from;
		to.changed = false;
	}

	return {FORMS, picture, plan, paint, sheet};
})();
