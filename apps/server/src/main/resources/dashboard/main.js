// SPDX-License-Identifier: Apache-2.0
// Starts the page, and shows the page that the address names: #overview, #loads, #loads/7, #caches, #bitmaps, #server.

import { get, sessionEnd } from './api.js';
import { bitmaps } from './bitmaps.js';
import { caches } from './caches.js';
import { el, setText } from './dom.js';
import * as format from './format.js';
import { loads } from './loads.js';
import { overview } from './overview.js';
import { onSamples, samples } from './samples.js';
import { server } from './server.js';
import { signInForm } from './signin.js';

const PAGES = { overview, loads, caches, bitmaps, server };

const main = document.getElementById('main');
const nav = document.querySelector('nav');
const connection = document.getElementById('connection');

/** The server sends a sample each second. After this time without one, the page says so. */
const STALE_MILLIS = 5_000;

/** Ends the timers, the streams and the charts of the page that is shown. */
let close = () => {};

/** Whether the form of the token is shown. */
let asking = false;

function show(isFirst) {
    const [name, ...rest] = location.hash.slice(1).split('/');
    const page = PAGES[name] ? name : 'overview';
    close();
    const heading = el('h1', { tabindex: '-1' });
    main.replaceChildren(heading);
    close = PAGES[page](main, heading, rest) ?? (() => {});
    document.title = `${heading.textContent} – Millrace`;
    for (const link of nav.querySelectorAll('a')) {
        if (link.hash === `#${page}`) {
            link.setAttribute('aria-current', 'page');
        } else {
            link.removeAttribute('aria-current');
        }
    }
    if (!isFirst) {
        heading.focus();
    }
}

function connectionState() {
    const age = performance.now() - samples.changed;
    if (!samples.open) {
        return ['Connecting …', ''];
    }
    if (age > STALE_MILLIS) {
        return [`! No sample for ${format.seconds(Math.floor(age / 1_000))}`, 'warn'];
    }
    return samples.newest?.connected === false ? ['✕ Redis is away', 'bad'] : ['● Live', 'good'];
}

function showConnection() {
    const [state, tone] = connectionState();
    setText(connection, state);
    connection.className = `connection ${tone}`;
}

function start(isFirst) {
    asking = false;
    nav.hidden = false;
    samples.start();
    show(isFirst);
}

/** Several requests may find that the session has ended. The form stays, and keeps its text. */
function askForToken() {
    if (asking) {
        return;
    }
    asking = true;
    close();
    close = () => {};
    samples.stop();
    nav.hidden = true;
    signInForm(main, () => start(false)); // the button with the focus has gone
}

document.querySelector('.skip').addEventListener('click', event => {
    event.preventDefault(); // the address names a page, not an element
    main.focus();
});
addEventListener('hashchange', () => nav.hidden || show(false));
sessionEnd.addEventListener('end', askForToken);
onSamples(showConnection);
setInterval(showConnection, 1_000);

const session = await get('/session').catch(() => ({ open: true }));
if (session.open) {
    start(true);
} else {
    askForToken();
}
