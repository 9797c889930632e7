// SPDX-License-Identifier: Apache-2.0
// Activities: how many ids were active in each span, and how many of them came back.

import { get, segment } from './api.js';
import { BarChart } from './chart.js';
import { el, field, scrolling, showProblem } from './dom.js';
import * as format from './format.js';
import { announce } from './live.js';

const DAY_MILLIS = 86_400_000;
const SHOWN_DAYS = 14;
const HEAT_LEVELS = 5;
const REMEMBERED = 'millrace-activity';

export function bitmaps(main, heading) {
    heading.textContent = 'Bitmaps';
    const known = JSON.parse(localStorage.getItem(REMEMBERED) ?? '{}');
    const now = Date.now();
    const inputs = {
        activity: el('input', { required: true, id: 'activity', value: known.activity ?? 'demo', autocomplete: 'off', spellcheck: 'false' }),
        event: el('input', { required: true, id: 'event', value: known.event ?? 'visit', autocomplete: 'off', spellcheck: 'false' }),
        from: el('input', { required: true, type: 'date', id: 'from', value: utcDay(now - (SHOWN_DAYS - 1) * DAY_MILLIS) }),
        to: el('input', { required: true, type: 'date', id: 'to', value: utcDay(now) }),
        granularity: el('select', { id: 'granularity' }, ['day', 'week', 'month'].map(name => el('option', { value: name }, name))),
    };
    const problem = el('div');
    const results = el('div');
    let chart = null;

    async function show(event) {
        event?.preventDefault();
        const path = `/activities/${segment(inputs.activity.value)}/${segment(inputs.event.value)}`;
        const query = `?from=${inputs.from.value}&to=${inputs.to.value}&granularity=${inputs.granularity.value}`;
        try {
            const [{ counts }, { cohorts }] = await Promise.all([get(`${path}/counts${query}`), get(`${path}/retention${query}`)]);
            localStorage.setItem(REMEMBERED, JSON.stringify({ activity: inputs.activity.value, event: inputs.event.value }));
            showProblem(problem, null);
            chart?.close();
            chart = new BarChart('Active ids', `Active ids by ${inputs.granularity.value}.`, 'Span', 'Ids');
            results.replaceChildren(el('div', {}, chart.element), el('h2', {}, 'Retention'), explanation(inputs.granularity.value), heatMap(cohorts));
            chart.showBars(counts.map(each => each.span), counts.map(each => each.count));
            announce(`${counts.length} spans of ${inputs.activity.value} are shown.`);
        } catch (failure) {
            results.replaceChildren();
            showProblem(problem, failure);
        }
    }

    main.append(
        el('form', { class: 'row', 'aria-label': 'Show an activity', onsubmit: show },
            field('Activity', inputs.activity), field('Event', inputs.event), field('From', inputs.from), field('To', inputs.to),
            field('Spans', inputs.granularity), el('button', {}, 'Show')),
        problem, results);
    if (known.activity) {
        show();
    } else {
        results.append(el('p', { class: 'muted' }, 'Name an activity and an event. Marks arrive by POST /activities/{activity}/{event}/marks.'));
    }
    return () => chart?.close();
}

const utcDay = millis => new Date(millis).toISOString().slice(0, 10);

const explanation = span => el('p', { class: 'muted' },
    `Each row has the ids that were active in one ${span}. The columns tell how many of these ids were active again later. A darker cell is a larger share.`);

/** The numbers are in the cells, so the shades only help. */
function heatMap(cohorts) {
    const columns = Math.max(...cohorts.map(row => row.active.length));
    const head = el('tr', {}, el('th', { scope: 'col' }, 'Span'), el('th', { scope: 'col', class: 'number' }, 'Ids'),
        Array.from({ length: columns }, (unused, later) => el('th', { scope: 'col', class: 'number' }, later === 0 ? 'Same' : `+${later}`)));
    const rows = cohorts.map(row => el('tr', {}, el('th', { scope: 'row' }, row.span), el('td', { class: 'number' }, format.count(row.size)),
        Array.from({ length: columns }, (unused, later) => cell(row, later))));
    return scrolling('Retention', el('table', { class: 'heat' },
        el('caption', {}, 'Share of the ids of each span that were active later'), el('thead', {}, head), el('tbody', {}, rows)));
}

function cell(row, later) {
    if (later >= row.active.length || row.size === 0) {
        return el('td', {}, '');
    }
    const share = row.active[later] / row.size;
    return el('td', { class: `h${Math.ceil(share * HEAT_LEVELS)}`, title: `${format.count(row.active[later])} of ${format.count(row.size)}` }, format.percent(share));
}
