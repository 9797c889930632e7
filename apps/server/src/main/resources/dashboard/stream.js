// SPDX-License-Identifier: Apache-2.0
// Event streams. A browser opens at most six connections to one server. A stream takes one of them as long as it is open, so a
// page has one stream, and a page in the background has none.

import { get, sessionEnd } from './api.js';

const RETRY_MILLIS = 5_000;

/** The browser does not tell why a stream was refused. */
async function checkSession() {
    const session = await get('/session').catch(() => ({ open: true }));
    if (!session.open) {
        sessionEnd.dispatchEvent(new Event('end'));
    }
}

/**
 * Listens to a stream while the page is visible. `events` has a listener for the data of each name, and `state` is told
 * whether the stream is open. The returned function ends the stream.
 */
export function listen(path, events, state = () => {}) {
    let source = null;
    let retry = 0;

    function close() {
        clearTimeout(retry);
        source?.close();
        source = null;
    }

    function open() {
        close();
        source = new EventSource(path);
        source.onopen = () => state(true);
        source.onerror = () => {
            state(false);
            if (source?.readyState === EventSource.CLOSED) {
                retry = setTimeout(open, RETRY_MILLIS);
                checkSession();
            }
        };
        for (const [name, listener] of Object.entries(events)) {
            source.addEventListener(name, event => listener(JSON.parse(event.data)));
        }
    }

    function changed() {
        if (document.hidden) {
            close();
            state(false);
        } else if (!source || source.readyState === EventSource.CLOSED) {
            open();
        }
    }

    document.addEventListener('visibilitychange', changed);
    // A page that is left frees its connection at once.
    addEventListener('pagehide', close);
    changed();
    return () => {
        document.removeEventListener('visibilitychange', changed);
        removeEventListener('pagehide', close);
        close();
    };
}
