// SPDX-License-Identifier: Apache-2.0
// The counters of the last ten minutes. The server sends its history first, so a reload loses nothing.

import { listen } from './stream.js';

const KEPT = 600;

/** The counts of the lookups of a cache that had an answer. */
export const HITS = ['hits', 'negativeHits', 'nearHits', 'staleServes'];

/** The sum of some counts of a cache. */
export const sumOf = (counts, names) => names.reduce((all, name) => all + counts[name], 0);

class Samples extends EventTarget {
    /** Oldest first. */
    list = [];

    /** Whether the stream is open. */
    open = false;

    /** When the newest sample arrived, in milliseconds of the page. */
    changed = 0;

    start() {
        this.end?.();
        this.end = listen('/events', {
            history: samples => this.#set(samples),
            sample: sample => this.#set([...this.list.slice(-KEPT + 1), sample]),
        }, open => {
            this.open = open;
            this.changed = performance.now();
            this.dispatchEvent(new Event('change'));
        });
    }

    stop() {
        this.end?.();
        this.open = false;
        this.#set([]);
    }

    get newest() {
        return this.list.at(-1);
    }

    /** Times in seconds, as the charts need them. */
    times() {
        return this.list.map(sample => sample.time / 1000);
    }

    values(of) {
        return this.list.map(sample => of(sample) ?? null);
    }

    /** The change of a counter per second. Empty for the first sample, and after a restart of the server. */
    rates(of) {
        return this.list.map((sample, i) => {
            const before = this.list[i - 1];
            const change = before === undefined ? NaN : of(sample) - of(before);
            return change >= 0 ? change / Math.max(0.001, (sample.time - before.time) / 1000) : null;
        });
    }

    #set(list) {
        this.list = list;
        this.changed = performance.now();
        this.dispatchEvent(new Event('change'));
    }
}

export const samples = new Samples();

/** Calls `update` now and at each change. The returned function ends this. */
export function onSamples(update) {
    samples.addEventListener('change', update);
    update();
    return () => samples.removeEventListener('change', update);
}
