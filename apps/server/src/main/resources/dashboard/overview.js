// SPDX-License-Identifier: Apache-2.0
// The overview: commands by outcome, commands in flight, and memory.

import { BYTES, LineChart, WHOLE } from './chart.js';
import { el, facts } from './dom.js';
import * as format from './format.js';
import { announce } from './live.js';
import { HITS, onSamples, samples, sumOf } from './samples.js';

const FAILURES = { 'Error replies': 'error', 'Timed out': 'timedOut', Refused: 'refused', Lost: 'lost' };

const sum = (caches, names) => Object.values(caches).reduce((all, counts) => all + sumOf(counts, names), 0);

export function overview(main, heading) {
    heading.textContent = 'Overview';
    const tiles = facts(['Redis', 'Commands per second', 'In flight', 'Failed in 10 min', 'Cache hit rate', 'Heap'], 'tiles');
    const ok = new LineChart('Commands without an error', 'Commands per second in the last ten minutes.', ['Ok'], format.rate);
    const failed = new LineChart('Failed commands', 'Commands per second by outcome in the last ten minutes.', Object.keys(FAILURES), format.rate);
    const inFlight = new LineChart('Commands in flight', 'The last ten minutes.', ['In flight'], format.compact, { most: 4, steps: WHOLE });
    const memory = new LineChart('Memory of the server', 'Heap in the last ten minutes.', ['Used', 'Limit'], format.bytes, { most: 1 << 20, steps: BYTES });
    const charts = [ok, failed, inFlight, memory];
    main.append(tiles.element, el('div', { class: 'charts' }, charts.map(chart => chart.element)));
    let wasConnected = true;

    const end = onSamples(() => {
        const newest = samples.newest;
        if (!newest) {
            return;
        }
        const times = samples.times();
        const rates = samples.rates(sample => sample.commands.ok);
        ok.show([times, rates]);
        failed.show([times, ...Object.values(FAILURES).map(name => samples.rates(sample => sample.commands[name]))]);
        inFlight.show([times, samples.values(sample => sample.commands.pending)]);
        memory.show([times, samples.values(sample => sample.heapUsed), samples.values(sample => sample.heapMax)]);
        showTiles(tiles, newest, rates.at(-1));
        if (newest.connected !== wasConnected) {
            wasConnected = newest.connected;
            announce(wasConnected ? 'Redis is connected again.' : 'Redis is away.');
        }
    });
    return () => {
        end();
        charts.forEach(chart => chart.close());
    };
}

function showTiles(tiles, newest, rate) {
    const first = samples.list[0];
    const failures = Object.values(FAILURES).reduce((all, name) => all + newest.commands[name] - first.commands[name], 0);
    const answered = sum(newest.caches, HITS);
    const lookups = answered + sum(newest.caches, ['misses']);
    tiles.set('Redis', newest.connected ? 'Connected' : 'Away');
    tiles.set('Commands per second', rate == null ? '–' : format.rate(rate));
    tiles.set('In flight', format.count(newest.commands.pending));
    tiles.set('Failed in 10 min', failures < 0 ? '–' : format.count(failures));
    tiles.set('Cache hit rate', lookups === 0 ? '–' : format.percent(answered / lookups));
    tiles.set('Heap', `${format.bytes(newest.heapUsed)} of ${format.bytes(newest.heapMax)}`);
}
