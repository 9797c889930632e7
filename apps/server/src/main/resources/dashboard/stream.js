// SPDX-License-Identifier: Apache-2.0
// Event streams. A browser opens at most six connections to one server. A stream takes one of them until it ends. So the visible
// windows of a browser share one stream. The window with the lock reads the stream and sends each event to the other windows:
//
//     server --stream--> window with the lock --BroadcastChannel--> other visible windows
//
// Only the first event of a stream has the history. So each window opens the stream at its beginning, and a window without the lock
// closes the stream after the first event. If the window with the lock is closed or hidden, the browser gives the lock to the next
// window. A browser has locks only for https, localhost and 127.0.0.1. Otherwise each window has a stream of its own.

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
    const others = navigator.locks ? new BroadcastChannel(`millrace ${path}`) : null;
    let source = null;
    let retry = 0;
    let newest = Infinity; // the id of the newest event
    let reads = false; // whether this window reads the stream for all windows
    let turn = null; // ends the wait for the lock, or gives the lock away; null while the page is hidden

    function close() {
        clearTimeout(retry);
        source?.close();
        source = null;
    }

    /** An event may come twice: from the stream of this window, and from the window with the lock. */
    function take({ open: isOpen, name, id, first, data }) {
        if (name === undefined) {
            state(isOpen);
        } else if (first || id > newest) {
            newest = id;
            events[name]?.(JSON.parse(data));
        }
    }

    function tell(message) {
        if (reads) {
            others?.postMessage(message);
        }
        take(message);
    }

    function open() {
        close();
        let first = true;
        source = new EventSource(path);
        source.onopen = () => {
            first = true;
            tell({ open: true });
        };
        source.onerror = () => {
            tell({ open: false });
            if (source?.readyState === EventSource.CLOSED) {
                retry = setTimeout(open, RETRY_MILLIS);
                checkSession();
            }
        };
        for (const name of Object.keys(events)) {
            source.addEventListener(name, event => {
                tell({ name, id: Number(event.lastEventId), first, data: event.data });
                first = false;
                if (!reads) {
                    close();
                }
            });
        }
    }

    /** The window has the lock until the returned promise ends. */
    function read(signal) {
        if (signal.aborted) {
            return null;
        }
        reads = true;
        if (!source) {
            open();
        }
        return new Promise(end => signal.addEventListener('abort', end));
    }

    function leave() {
        turn?.abort();
        turn = null;
        reads = false;
        close();
    }

    function changed() {
        if (document.hidden) {
            leave();
            state(false);
        } else if (!turn) {
            turn = new AbortController();
            const { signal } = turn;
            reads = !others;
            newest = Infinity; // events of other windows count after the history
            open();
            navigator.locks?.request(`millrace ${path}`, { signal }, () => read(signal))
                .catch(failure => signal.aborted || Promise.reject(failure));
        }
    }

    others?.addEventListener('message', ({ data }) => turn && take(data));
    document.addEventListener('visibilitychange', changed);
    // A page that is left frees its connection at once.
    addEventListener('pagehide', leave);
    changed();
    return () => {
        document.removeEventListener('visibilitychange', changed);
        removeEventListener('pagehide', leave);
        leave();
        others?.close();
    };
}
