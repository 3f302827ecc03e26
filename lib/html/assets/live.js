/* SPDX-License-Identifier: MIT */
/*
 * A page of work that goes on: a script file beside it is read again and again, which calls
 * perseus.live() with the new state.
 */
'use strict';
/* @id: the document with the first state; @draw(state): shows one. */
perseus.follow = (id, draw) => {
	let state = null, reads = 0, pending = null;

	/* Read the file again, a second after the last time it was read. */
	function read() {
		const script = perseus.el('script', {src: `${state.live}?${reads++}`});
		const next = () => {
			script.remove();
			if (state.live && state.state === 'searching')
				pending = setTimeout(read, 1000);
		};
		script.addEventListener('load', next);
		script.addEventListener('error', () => {
			next();
			if (reads > 5 && state.state === 'searching')
				document.getElementById('state').textContent = 'no news: load the page again';
		});
		document.head.append(script);
	}

	perseus.live = s => {
		state = s;
		document.getElementById('state').textContent = state.state;
		draw(state);
	};

	window.addEventListener('DOMContentLoaded', () => {
		perseus.live(perseus.data(id));
		if (state.live)
			pending = setTimeout(read, 200);
	});
	window.addEventListener('pagehide', () => clearTimeout(pending));
};
