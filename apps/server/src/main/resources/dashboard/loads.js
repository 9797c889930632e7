// SPDX-License-Identifier: Apache-2.0
// The loads: start a job, watch running loads, stop them, and look at earlier ones.

import { get, post } from './api.js';
import { el, field, showProblem, submission, table } from './dom.js';
import * as format from './format.js';
import { announce } from './live.js';
import { LoadCard } from './loadcard.js';
import { showLoad } from './loadpage.js';
import { repeat } from './repeat.js';

/** Loads also begin by timers and by other clients. */
const REFRESH_MILLIS = 5_000;

/** The list may have a thousand loads. The page reads the list if a job has changed, and otherwise only this often. */
const LIST_MILLIS = 30_000;

const KEPT_ROWS = 50;

export function loads(main, heading, [id]) {
    return id === undefined ? new Loads(main, heading).close : showLoad(main, heading, id);
}

class Loads {
    /** The cards of running loads by id. */
    #cards = new Map();

    /** Ids of ended loads. A list that was under way at the end of a load still shows the load as running. */
    #endedIds = new Set();

    /** The jobs at the last reading of the list, as text, and the time of the reading. */
    #listed = { jobs: '', at: -Infinity };

    #closed = false;

    constructor(main, heading) {
        heading.textContent = 'Loads';
        this.problem = el('div');
        this.unanswered = el('div');
        this.running = el('div');
        this.none = el('p', { class: 'muted' }, 'No load is running.');
        this.jobs = el('div');
        this.history = el('div');
        this.select = el('select', { required: true, id: 'job' });
        this.limit = el('input', { type: 'number', min: '1', step: '1', inputmode: 'numeric', placeholder: 'all', id: 'limit' });
        this.verify = el('select', { id: 'verify' },
            [['', 'as the job'], ['none', 'none'], ['1%', '1 %'], ['10%', '10 %'], ['full', 'all rows']].map(([value, text]) => el('option', { value }, text)));
        this.dryRun = el('input', { type: 'checkbox', id: 'dry-run' });
        this.start = el('button', {}, 'Start');
        main.append(
            el('form', { class: 'row', 'aria-label': 'Start a load', onsubmit: submission(() => this.#submit()) },
                field('Job', this.select), field('Rows at most', this.limit), field('Verify', this.verify),
                field('Dry run', this.dryRun, true), this.start),
            this.problem, this.unanswered,
            el('h2', {}, 'Running'), this.none, this.running,
            el('h2', {}, 'Jobs'), this.jobs,
            el('h2', {}, 'Earlier loads'), this.history);
        this.refreshes = repeat(() => this.#refresh(), REFRESH_MILLIS);
        this.close = () => {
            this.#closed = true;
            this.refreshes.end();
            this.#cards.forEach(card => card.close());
        };
    }

    async #submit() {
        const body = { job: this.select.value };
        if (this.limit.value !== '') {
            body.limit = Number(this.limit.value);
        }
        if (this.verify.value !== '') {
            body.verify = this.verify.value;
        }
        if (this.dryRun.checked) {
            body.dryRun = true;
        }
        showProblem(this.problem, null);
        try {
            const load = await post('/loads', body);
            announce(`Load ${load.id} of ${load.job} has started.`);
            this.#readList();
        } catch (failure) {
            showProblem(this.problem, failure);
        }
    }

    /** Reads the list without a wait. */
    #readList() {
        this.#listed.at = -Infinity;
        this.refreshes.now();
    }

    async #refresh() {
        try {
            const { jobs } = await get('/jobs');
            const text = JSON.stringify(jobs);
            const now = performance.now();
            if (text !== this.#listed.jobs || now - this.#listed.at >= LIST_MILLIS) {
                this.#listed = { jobs: text, at: now };
                this.#showLoads((await get('/loads')).loads);
            }
            this.#showJobs(jobs);
            showProblem(this.unanswered, null);
        } catch (failure) {
            this.#listed.at = -Infinity;
            showProblem(this.unanswered, failure);
        }
    }

    #showLoads(all) {
        if (this.#closed) {
            return;
        }
        const isNew = load => load.state === 'running' && !this.#cards.has(load.id) && !this.#endedIds.has(load.id);
        for (const load of all.filter(isNew)) {
            const card = new LoadCard(load, 'h3', ended => this.#ended(ended));
            this.#cards.set(load.id, card);
            this.running.prepend(card.element);
        }
        this.none.hidden = this.#cards.size > 0;
        const ended = all.filter(each => each.state !== 'running').slice(0, KEPT_ROWS);
        this.#replace(this.history, JSON.stringify(ended), () => (ended.length === 0
            ? el('p', { class: 'muted' }, 'There is no earlier load.')
            : table('Newest first', ['Load', 'Job', 'Result', 'Started', { title: 'Time', number: true }], ended.map(row))));
    }

    #showJobs(jobs) {
        const names = jobs.map(job => job.name);
        if (names.join() !== [...this.select.options].map(option => option.value).join()) {
            this.select.replaceChildren(...names.map(name => el('option', { value: name }, name)));
            this.start.disabled = names.length === 0;
        }
        this.#replace(this.jobs, JSON.stringify(jobs), () => (jobs.length === 0
            ? el('p', { class: 'muted' }, 'The configuration has no jobs. See millrace.load.jobs in the documentation.')
            : table('Jobs of the configuration', ['Job', 'At the start', 'Timer', 'State', 'Last result'],
                jobs.map(job => [job.name, job.when, job.cron ?? '–', job.running ? 'running' : 'idle', job.last ?? '–']))));
    }

    /** Leaves an unchanged table alone, so that the focus of the keyboard stays. */
    #replace(place, key, create) {
        if (place.dataset.key !== key) {
            place.dataset.key = key;
            place.replaceChildren(create());
        }
    }

    /** A card stays until its load has ended. The list then has the load. */
    #ended(load) {
        const card = this.#cards.get(load.id);
        this.#endedIds.add(load.id);
        const hadFocus = card.element.contains(document.activeElement);
        card.close();
        card.element.remove();
        this.#cards.delete(load.id);
        announce(`Load ${load.id} of ${load.job} has ended: ${load.state}.`);
        if (hadFocus) {
            document.querySelector('h1').focus();
        }
        this.#readList();
    }
}

function row(load) {
    const name = [load.id, load.dryRun ? ' (dry run)' : '', load.limit ? `, ${format.count(load.limit)} rows at most` : ''].join('');
    const time = load.ended === null ? '–' : format.seconds((Date.parse(load.ended) - Date.parse(load.started)) / 1000);
    return [
        el('a', { href: `#loads/${load.id}` }, `Load ${name}`),
        load.job,
        el('span', { class: `state ${tone(load.state)}` }, mark(load.state), load.state),
        format.moment(new Date(load.started)),
        time,
    ];
}

export const tone = state => (state === 'ok' ? 'good' : state === 'rejected' || state === 'interrupted' ? 'warn' : 'bad');

/** A sign, because a colour alone says nothing to some readers. */
export const mark = state => ({ good: '✓ ', warn: '! ', bad: '✕ ' })[tone(state)];
