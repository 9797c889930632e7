// SPDX-License-Identifier: Apache-2.0
// A running load: progress, rows per second, outcomes, and the buttons that stop the load.

import { get, remove } from './api.js';
import { LineChart } from './chart.js';
import { confirmed, el, facts, showProblem } from './dom.js';
import * as format from './format.js';
import { announce } from './live.js';
import { repeat } from './repeat.js';

/** The rate of the last two seconds. */
const RATE_SECONDS = 2;

/** A load is asked for its progress. A stream for each load would take the connections of the browser. */
const LOOK_MILLIS = 1_000;

export class LoadCard {
    #points = [];

    /** The version of the progress that is shown. */
    #version = -1;

    /** `ended` is called with the load after its end. `heading` is the tag of the heading: h2 or h3. */
    constructor(load, heading, ended) {
        this.load = load;
        this.ended = ended;
        this.bar = el('progress', { max: '1', 'aria-label': `Progress of load ${load.id}` });
        this.phase = el('p', { class: 'note' });
        this.facts = facts(['Share', 'Rows read', 'Rows per second', 'Written', 'Rejected', 'Skipped', 'Unconfirmed', 'In flight', 'Sent', 'Time']);
        this.problem = el('div');
        this.chart = new LineChart(`Rows per second of load ${load.id}`, 'Since the load was opened on this page.', ['Rows'], format.rate, { span: () => this.#span() });
        this.stop = el('button', { class: 'plain', onclick: () => this.#stop(false) }, 'Stop', el('span', { class: 'hidden' }, ` load ${load.id}`));
        this.abandon = el('button', { class: 'danger', onclick: () => this.#stop(true) }, 'Stop at once', el('span', { class: 'hidden' }, ` load ${load.id}`));
        this.element = el('section', { class: 'card', 'aria-label': `Load ${load.id} of ${load.job}` },
            el(heading, {}, el('a', { href: `#loads/${load.id}` }, `Load ${load.id}`), `: ${load.job}`, load.dryRun ? ' (dry run)' : ''),
            this.bar, this.phase, this.facts.element, this.chart.element,
            el('div', { class: 'buttons' }, this.stop, this.abandon), this.problem);
        this.looks = repeat(() => this.#look(), LOOK_MILLIS);
    }

    close() {
        this.closed = true;
        this.looks?.end();
        this.chart.close();
    }

    async #look() {
        const load = await get(`/loads/${this.load.id}`).catch(failure => this.#missing(failure));
        if (this.closed || !load) {
            return;
        }
        if (load.state !== 'running') {
            this.looks.end();
            this.ended(load);
        } else if (load.progress && load.progress.version !== this.#version) {
            this.#version = load.progress.version;
            this.#show(load.progress);
        }
    }

    /** The load log forgets the oldest loads. After any other failure the next look may succeed. */
    #missing(failure) {
        if (failure.status === 404) {
            return { ...this.load, state: 'forgotten' };
        }
        this.#version = -1;
        this.phase.textContent = failure.title;
        return null;
    }

    #show(progress) {
        const { rows } = progress;
        const point = { time: Date.now() / 1000, seconds: progress.seconds, read: rows.read };
        const before = this.#points.findLast(each => point.seconds - each.seconds >= RATE_SECONDS) ?? this.#points[0];
        const past = before && point.seconds > before.seconds;
        point.rate = past ? (point.read - before.read) / (point.seconds - before.seconds) : null;
        this.#points = [...this.#points.slice(-3_000), point];
        if (progress.share === null) {
            this.bar.removeAttribute('value');
        } else {
            this.bar.value = progress.share;
        }
        this.phase.textContent = { starting: 'Opening the source and Redis.', loading: 'Loading.', verifying: `Verifying: ${format.count(progress.verified)} rows compared, ${format.count(progress.mismatched)} differ.` }[progress.phase];
        const share = progress.share === null ? 'unknown' : format.percent(progress.share);
        this.facts.set('Share', share);
        this.facts.set('Rows read', format.count(rows.read));
        this.facts.set('Rows per second', point.rate === null ? '–' : format.rate(point.rate));
        this.facts.set('Written', format.count(rows.written));
        this.facts.set('Rejected', format.count(rows.rejected));
        this.facts.set('Skipped', format.count(rows.skipped));
        this.facts.set('Unconfirmed', format.count(rows.unconfirmed));
        this.facts.set('In flight', format.count(progress.inFlight));
        this.facts.set('Sent', format.bytes(progress.bytesSent));
        this.facts.set('Time', format.seconds(progress.seconds));
        this.chart.show([this.#points.map(each => each.time), this.#points.map(each => each.rate)]);
        announce(`Load ${this.load.id}: ${share === 'unknown' ? '' : `${share}, `}${format.count(rows.read)} rows.`);
    }

    #span() {
        const last = this.#points.at(-1)?.time ?? Date.now() / 1000;
        return [Math.min(this.#points[0]?.time ?? last, last - 10), last];
    }

    async #stop(now) {
        if (now && !await confirmed('The rows in flight stay unconfirmed: the server does not wait for their replies.', 'Stop at once')) {
            return;
        }
        try {
            await remove(`/loads/${this.load.id}${now ? '?now' : ''}`);
            this.phase.textContent = 'Stopping.';
            this.looks.now();
        } catch (failure) {
            showProblem(this.problem, failure);
        }
    }
}
