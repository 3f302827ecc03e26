/* SPDX-License-Identifier: MIT */
perseus.start();
