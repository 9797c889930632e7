// SPDX-License-Identifier: Apache-2.0
// Requests to the server. Errors are problems (RFC 9457), whose texts are shown to the user.

/** A query of 400 spans takes seconds on a busy server. */
const ANSWER_MILLIS = 60_000;

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

function unanswered(failure, millis) {
    const detail = failure.name === 'TimeoutError'
        ? `No answer within ${millis / 1_000} s. A browser opens only six connections to one server: close other windows of this page.`
        : 'The server has stopped, or the network is down.';
    return new Failure(0, 'The server does not answer.', detail);
}

/** Sends a request, and returns the status and the body that `read` reads. */
async function request(method, path, { headers = {}, body, read = () => null, millis = ANSWER_MILLIS } = {}) {
    let response;
    let content;
    try {
        response = await fetch(path, { method, headers, body, signal: AbortSignal.timeout(millis) });
        content = response.ok ? await read(response) : await response.json().catch(() => ({}));
    } catch (failure) {
        throw unanswered(failure, millis);
    }
    if (response.ok) {
        return { status: response.status, content };
    }
    if (response.status === 401 && path !== '/session') {
        sessionEnd.dispatchEvent(new Event('end'));
    }
    throw new Failure(response.status, content.title ?? `Status ${response.status}.`, content.detail ?? '');
}

export async function get(path) {
    return (await request('GET', path, { headers: { Accept: 'application/json' }, read: response => response.json() })).content;
}

/** Lines of JSON as a list. */
export async function getLines(path) {
    const { content } = await request('GET', path, { headers: { Accept: 'application/x-ndjson' }, read: response => response.text() });
    return content.split('\n').filter(line => line !== '').map(line => JSON.parse(line));
}

/** Sends a text of JSON. Returns the status and the object that the server answers. */
export function postText(path, body, millis = ANSWER_MILLIS) {
    const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
    return request('POST', path, { headers, body, read: response => response.json(), millis });
}

export async function post(path, body) {
    return (await postText(path, JSON.stringify(body))).content;
}

export async function remove(path) {
    await request('DELETE', path);
}

/** Trades the token for a cookie. */
export async function signIn(token) {
    await request('POST', '/session', { headers: { Authorization: `Bearer ${token}` } });
}

/** A segment of a path. */
export const segment = text => encodeURIComponent(text);
