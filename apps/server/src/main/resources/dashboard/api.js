// SPDX-License-Identifier: Apache-2.0
// Requests to the server. Errors are problems (RFC 9457), whose texts are shown to the user.

/** A request that the server has refused or did not answer. */
export class Failure extends Error {
    constructor(status, title, detail) {
        super(detail);
        this.status = status;
        this.title = title;
    }
}

/** Told when a session has ended, so that the page asks for the token. */
export const sessionEnd = new EventTarget();

async function request(method, path, headers, body) {
    let response;
    try {
        response = await fetch(path, { method, headers, body });
    } catch {
        throw new Failure(0, 'The server does not answer.', 'It has stopped, or the network is down.');
    }
    if (!response.ok) {
        if (response.status === 401 && path !== '/session') {
            sessionEnd.dispatchEvent(new Event('end'));
        }
        const problem = await response.json().catch(() => ({}));
        throw new Failure(response.status, problem.title ?? `Status ${response.status}.`, problem.detail ?? '');
    }
    return response;
}

export async function get(path) {
    return (await request('GET', path, { Accept: 'application/json' })).json();
}

/** Lines of JSON as a list. */
export async function getLines(path) {
    const text = await (await request('GET', path, { Accept: 'application/x-ndjson' })).text();
    return text.split('\n').filter(line => line !== '').map(line => JSON.parse(line));
}

export async function post(path, body) {
    const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
    return (await request('POST', path, headers, JSON.stringify(body))).json();
}

export async function remove(path) {
    await request('DELETE', path, {});
}

/** Trades the token for a cookie. */
export async function signIn(token) {
    await request('POST', '/session', { Authorization: `Bearer ${token}` });
}

/** A segment of a path. */
export const segment = text => encodeURIComponent(text);
