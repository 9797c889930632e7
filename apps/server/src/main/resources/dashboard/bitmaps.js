// SPDX-License-Identifier: Apache-2.0
// Bitmaps: activities (how many ids were active in each span, and how many of them came back) and experiments.

import { get, segment } from './api.js';
import { BarChart } from './chart.js';
import { el, field, showProblem, table } from './dom.js';
import { experiments } from './experiments.js';
import * as format from './format.js';
import { announce } from './live.js';

const DAY_MILLIS = 86_400_000;
const SHOWN_DAYS = 14;
const HEAT_LEVELS = 5;
const REMEMBERED = 'millrace-activity';

/** The server answers up to 400 spans. A table of 400 times 400 cells would block the page. */
const MOST_LATER_SPANS = 30;

/** A longer table scrolls in its frame. */
const TALL_ROWS = 31;

export function bitmaps(main, heading) {
    heading.textContent = 'Bitmaps';
    const known = remembered();
    const now = Date.now();
    const inputs = {
        activity: el('input', { required: true, id: 'activity', value: known?.activity ?? 'demo', autocomplete: 'off', spellcheck: 'false' }),
        event: el('input', { required: true, id: 'event', value: known?.event ?? 'visit', autocomplete: 'off', spellcheck: 'false' }),
        from: el('input', { required: true, type: 'date', id: 'from', value: utcDay(now - (SHOWN_DAYS - 1) * DAY_MILLIS) }),
        to: el('input', { required: true, type: 'date', id: 'to', value: utcDay(now) }),
        granularity: el('select', { id: 'granularity' }, ['day', 'week', 'month', 'hour'].map(name => el('option', { value: name }, name))),
    };
    const problem = el('div');
    const results = el('div');
    let chart = null;

    /** Number of queries. Only the answer of the newest one is shown. */
    let queries = 0;

    async function show(event) {
        event?.preventDefault();
        const query = ++queries;
        const { activity, event: name, from, to, granularity } = Object.fromEntries(Object.entries(inputs).map(([key, input]) => [key, input.value]));
        const path = `/activities/${segment(activity)}/${segment(name)}`;
        const end = granularity === 'hour' ? `${to}T23:00` : to; // the last hour of the day
        const spans = `?from=${from}&to=${end}&granularity=${granularity}`;
        try {
            const [{ counts }, { cohorts }] = await Promise.all([get(`${path}/counts${spans}`), get(`${path}/retention${spans}`)]);
            if (query !== queries) {
                return;
            }
            remember(activity, name);
            showProblem(problem, null);
            chart?.close();
            chart = new BarChart('Active ids', `Active ids by ${granularity}.`, 'Span', 'Ids');
            results.replaceChildren(chart.element, el('h3', {}, 'Retention'), explanation(granularity, cohorts), heatMap(cohorts));
            chart.showBars(counts.map(each => each.span), counts.map(each => each.count));
            announce(`${counts.length} spans of ${activity} are shown.`);
        } catch (failure) {
            if (query === queries) {
                results.replaceChildren();
                showProblem(problem, failure);
            }
        }
    }

    main.append(
        el('h2', {}, 'Activity'),
        el('form', { class: 'row', 'aria-label': 'Show an activity', onsubmit: show },
            field('Activity', inputs.activity), field('Event', inputs.event), field('From', inputs.from), field('To', inputs.to),
            field('Spans', inputs.granularity), el('button', {}, 'Show')),
        problem, results);
    experiments(main);
    if (known) {
        show();
    } else {
        results.append(el('p', { class: 'muted' }, 'Name an activity and an event. Marks arrive by POST /activities/{activity}/{event}/marks.'));
    }
    return () => {
        queries++;
        chart?.close();
    };
}

/** The activity and the event that were shown last; null if there are none. */
function remembered() {
    try {
        const known = JSON.parse(localStorage.getItem(REMEMBERED));
        return typeof known?.activity === 'string' && typeof known.event === 'string' ? known : null;
    } catch {
        return null; // a damaged text, or a browser that stores nothing
    }
}

function remember(activity, event) {
    try {
        localStorage.setItem(REMEMBERED, JSON.stringify({ activity, event }));
    } catch {
        // A browser that stores nothing only forgets the names.
    }
}

const utcDay = millis => new Date(millis).toISOString().slice(0, 10);

function explanation(span, cohorts) {
    const cut = cohorts.length > MOST_LATER_SPANS + 1
        ? ` The table ends with the ${MOST_LATER_SPANS}th later ${span}; GET /activities/{activity}/{event}/retention has all.` : '';
    return el('p', { class: 'muted' },
        `Each row has the ids that were active in one ${span}. The columns tell how many of these ids were active again later. A darker cell is a larger share.${cut}`);
}

/** The numbers are in the cells, so the shades only help. */
function heatMap(cohorts) {
    const columns = Math.min(MOST_LATER_SPANS + 1, Math.max(...cohorts.map(row => row.active.length)));
    const later = Array.from({ length: columns }, (unused, spans) => spans);
    return table('Share of the ids of each span that were active later',
        ['Span', { title: 'Ids', number: true }, ...later.map(spans => ({ title: spans === 0 ? 'Same' : `+${spans}`, number: true }))],
        cohorts.map(row => [row.span, format.count(row.size), ...later.map(spans => cell(row, spans))]),
        { class: 'heat', tall: cohorts.length > TALL_ROWS });
}

function cell(row, later) {
    if (later >= row.active.length || row.size === 0) {
        return el('td');
    }
    const share = row.active[later] / row.size;
    return el('td', { class: `h${Math.ceil(share * HEAT_LEVELS)}`, title: `${format.count(row.active[later])} of ${format.count(row.size)}` }, format.percent(share));
}
