// SPDX-License-Identifier: Apache-2.0
// The server: its state, its addresses for programs, and the end of the session.

import { get, remove } from './api.js';
import { el, facts, showProblem, table } from './dom.js';
import * as format from './format.js';
import { onSamples, samples } from './samples.js';

const ROUTES = [
    ['/openapi.yaml', 'The description of all routes'],
    ['/actuator/prometheus', 'Meters for Prometheus'],
    ['/actuator/health/liveness', 'Whether the process lives'],
    ['/actuator/health/readiness', 'Whether the required jobs are complete'],
];

export function server(main, heading) {
    heading.textContent = 'Server';
    const tiles = facts(['Redis', 'Heap used', 'Heap limit', 'Commands since the start', 'History'], 'tiles');
    const session = el('div');
    const problem = el('div');
    main.append(tiles.element,
        el('h2', {}, 'For programs'),
        table('Addresses', ['Address', { title: 'Content', text: true }], ROUTES.map(([path, text]) => [el('a', { href: path }, path), text]), { class: 'narrow' }),
        session, problem);
    get('/session').then(({ needed }) => {
        if (needed) {
            session.append(el('h2', {}, 'Session'),
                el('p', { class: 'muted' }, 'A session ends after 12 hours, or when the server stops.'),
                el('button', { class: 'plain', onclick: () => signOut(problem) }, 'Sign out'));
        }
    }).catch(failure => showProblem(problem, failure));
    return onSamples(() => {
        const newest = samples.newest;
        if (newest) {
            tiles.set('Redis', newest.connected ? 'Connected' : 'Away');
            tiles.set('Heap used', format.bytes(newest.heapUsed));
            tiles.set('Heap limit', format.bytes(newest.heapMax));
            tiles.set('Commands since the start', format.count(newest.commands.submitted));
            tiles.set('History', format.seconds((newest.time - samples.list[0].time) / 1000));
        }
    });
}

async function signOut(problem) {
    try {
        await remove('/session');
        location.reload();
    } catch (failure) {
        showProblem(problem, failure);
    }
}
