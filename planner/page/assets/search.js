/* SPDX-License-Identifier: MIT */
/* The page of a search for a plan, while it goes on and when it has ended. */
'use strict';
perseus.follow('search', state => perseus.search(document.getElementById('search-view'), state));
