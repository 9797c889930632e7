// SPDX-License-Identifier: Apache-2.0
// The caches: settings, counts, lookups over time, one entry, and clearing.

import { get, remove, segment } from './api.js';
import { LineChart } from './chart.js';
import { confirmed, el, facts, field, showProblem, submission, table } from './dom.js';
import * as format from './format.js';
import { announce } from './live.js';
import { HITS, onSamples, samples, sumOf } from './samples.js';

const SHOWN = { Hits: 'hits', 'Near hits': 'nearHits', 'Stale values': 'staleServes', Misses: 'misses', 'Computations': 'loads', 'Failed computations': 'loadFailures', 'Waits for a computation': 'waits', 'Errors of Redis': 'errors' };
const SETTINGS = { 'Time to live': 'timeToLive', 'Stale for': 'staleFor', Lease: 'lease', Deadline: 'deadline', 'Redis timeout': 'redisTimeout' };

export function caches(main, heading) {
    heading.textContent = 'Caches';
    const content = el('div');
    main.append(content);
    const views = [];
    let closed = false;
    get('/caches').then(({ caches: all }) => {
        if (!closed) {
            views.push(...all.map((cache, index) => new CacheView(cache, index)));
            content.replaceChildren(...views.map(view => view.element));
        }
    }).catch(failure => closed || showProblem(content, failure));
    return () => {
        closed = true;
        views.forEach(view => view.close());
    };
}

class CacheView {
    /** `index` makes the ids of elements, because a name may have a blank. */
    constructor(cache, index) {
        this.name = cache.name;
        const id = `cache-${index}`;
        this.tiles = facts(['Hit rate', ...Object.keys(SHOWN)], 'tiles');
        this.chart = new LineChart(`Lookups of ${cache.name}`, 'Hits and misses per second in the last ten minutes.', ['Hits', 'Misses'], format.rate);
        this.key = el('input', { required: true, maxlength: '512', id: `key-${index}`, autocomplete: 'off', spellcheck: 'false' });
        this.entry = el('div');
        this.problem = el('div');
        const settings = table(`Settings of ${cache.name}`, ['Setting', 'Value'], [
            ...Object.entries(SETTINGS).map(([title, name]) => [title, cache.settings[name] === 0 ? 'none' : format.seconds(cache.settings[name])]),
            ['Jitter', format.percent(cache.settings.jitter)],
            ['Computations at once', format.count(cache.settings.concurrentLoads)],
        ], { class: 'narrow' });
        this.element = el('section', { class: 'card', 'aria-labelledby': id },
            el('h2', { id }, cache.name),
            this.tiles.element, this.chart.element,
            el('h3', {}, 'Entry'),
            el('form', { class: 'row', 'aria-label': `Find an entry of ${cache.name}`, onsubmit: submission(() => this.#find()) },
                field('Key', this.key), el('button', {}, 'Find')),
            this.entry,
            el('details', {}, el('summary', {}, 'Settings', el('span', { class: 'hidden' }, ` of ${cache.name}`)), settings),
            el('div', { class: 'buttons' }, el('button', { class: 'danger', onclick: () => this.#clear() }, 'Clear', el('span', { class: 'hidden' }, ` ${cache.name}`), ' …')),
            this.problem);
        this.end = onSamples(() => this.#show());
    }

    close() {
        this.end();
        this.chart.close();
    }

    #show() {
        const stats = samples.newest?.caches[this.name];
        if (!stats) {
            return;
        }
        const of = names => sample => (sample.caches[this.name] ? sumOf(sample.caches[this.name], names) : NaN);
        this.chart.show([samples.times(), samples.rates(of(HITS)), samples.rates(of(['misses']))]);
        const hits = sumOf(stats, HITS);
        this.tiles.set('Hit rate', hits + stats.misses === 0 ? '–' : format.percent(hits / (hits + stats.misses)));
        Object.entries(SHOWN).forEach(([title, name]) => this.tiles.set(title, format.count(stats[name])));
    }

    get #path() {
        return `/caches/${segment(this.name)}`;
    }

    /** The key is a parameter, because a path cannot have each key. */
    #entryPath(key) {
        return `${this.#path}/entries?key=${encodeURIComponent(key)}`;
    }

    async #find() {
        const key = this.key.value;
        showProblem(this.entry, null);
        try {
            this.#showEntry(key, await get(this.#entryPath(key)));
        } catch (failure) {
            showProblem(this.entry, failure);
        }
    }

    #showEntry(key, entry) {
        const about = facts(['Key', 'State', 'Age at most', 'Time left', 'Size']);
        about.set('Key', key);
        about.set('State', entry.state);
        about.set('Age at most', entry.age === null ? '–' : format.seconds(entry.age));
        about.set('Time left', entry.timeLeft === null ? '–' : entry.timeLeft < 0 ? 'ended' : format.seconds(entry.timeLeft));
        about.set('Size', format.bytes(entry.bytes));
        this.entry.replaceChildren(about.element,
            entry.value === null ? '' : el('pre', { tabindex: '0' }, typeof entry.value === 'string' ? entry.value : JSON.stringify(entry.value, null, 2)),
            el('div', { class: 'buttons' }, el('button', { class: 'plain', onclick: () => this.#remove(key) }, 'Remove the entry')));
        announce(`The entry is ${entry.state}.`);
    }

    async #remove(key) {
        try {
            await remove(this.#entryPath(key));
            this.entry.replaceChildren(el('p', {}, 'The entry is removed.'));
            announce('The entry is removed.');
            this.key.focus();
        } catch (failure) {
            showProblem(this.entry, failure);
        }
    }

    async #clear() {
        if (!await confirmed(`All entries of the cache ${this.name} are removed, for all servers. Their values are computed again.`, 'Clear the cache')) {
            return;
        }
        try {
            await remove(this.#path);
            this.problem.replaceChildren(el('p', {}, 'The cache is being cleared.'));
            announce('The cache is being cleared.');
        } catch (failure) {
            showProblem(this.problem, failure);
        }
    }
}
