// SPDX-License-Identifier: Apache-2.0
/* global uPlot */
// Charts over time and bars, drawn by uPlot. Each chart has a table with the same numbers behind it. Series differ in their
// dashes as well as in their colours.

import { el, svg, table } from './dom.js';
import * as format from './format.js';

const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2]];
const TABLE_ROWS = 30;
const TABLE_PAUSE_MILLIS = 5_000;
const HEIGHT = 200;
const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

const colour = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const ratio = () => devicePixelRatio || 1;

/** A figure with a plot of uPlot. Draws again if the size or the theme changes. */
class Chart {
    #observer = new ResizeObserver(() => this.#resize());
    #theme = matchMedia('(prefers-color-scheme: dark)');
    #redraw = () => this.plot?.redraw();
    #tableTime = -Infinity;

    constructor(title, description, ...legend) {
        this.title = title;
        this.place = el('div', { class: 'plot', role: 'img', 'aria-label': `${title}. ${description} The table has the numbers.` });
        this.tablePlace = el('div');
        this.details = el('details', { ontoggle: () => this.#showTable(true) },
            el('summary', {}, 'Table', el('span', { class: 'hidden' }, ` of ${title}`)), this.tablePlace);
        this.element = el('figure', {}, el('figcaption', {}, title), ...legend, this.place, this.details);
        this.#observer.observe(this.place);
        this.#theme.addEventListener('change', this.#redraw);
    }

    /** Shows new data, and later the table if it is open: a table that changes every second cannot be read. */
    show(data) {
        this.data = data;
        if (!this.plot) {
            this.#resize();
        } else {
            this.plot.setData(data);
        }
        this.#showTable(false);
    }

    close() {
        this.#observer.disconnect();
        this.#theme.removeEventListener('change', this.#redraw);
        this.plot?.destroy();
    }

    #resize() {
        const width = this.place.clientWidth;
        if (width === 0 || !this.data) {
            return;
        }
        const height = this.place.clientHeight || HEIGHT;
        if (this.plot) {
            this.plot.setSize({ width, height });
        } else {
            this.plot = new uPlot({ width, height, ...this.options() }, this.data, this.place);
        }
    }

    #showTable(now) {
        if (this.details.open && this.data && (now || performance.now() - this.#tableTime >= TABLE_PAUSE_MILLIS)) {
            this.#tableTime = performance.now();
            this.tablePlace.replaceChildren(this.table());
        }
    }
}

/** Steps of an axis of time, in seconds. */
const TIMES = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600];

/** Steps of an axis of bytes. */
export const BYTES = Array.from({ length: 40 }, (unused, power) => 2 ** power);

/** Steps of an axis of whole numbers. */
export const WHOLE = Array.from({ length: 10 }, (unused, power) => [1, 2, 5].map(digit => digit * 10 ** power)).flat();

/** Steps of an axis of rates. */
const RATES = [0.1, 0.2, 0.5, ...WHOLE];

/** Steps of an axis of spans. */
const DAYS = [1, 2, 7, 14, 28, 56, 112];

function axes(xValues, yValues, side, xSteps, ySteps) {
    const line = { stroke: () => colour('line'), width: 1 / ratio() };
    const common = { font: FONT, stroke: () => colour('muted'), ticks: { ...line, size: 4 } };
    return [
        { ...common, grid: { show: false }, values: xValues, space: 70, size: 30, incrs: xSteps },
        { ...common, grid: line, values: yValues, size: side, space: 34, ...(ySteps ? { incrs: ySteps } : {}) },
    ];
}

/** Lines over the last ten minutes, or over the time since `from`. */
export class LineChart extends Chart {
    #values;

    /** `series` is a list of labels. `text` formats a number, and `most` is the end of the scale if no number is larger. */
    constructor(title, description, series, text, options = {}) {
        const values = series.map(() => el('b', {}, '–'));
        const legend = el('ul', { class: 'legend' }, series.map((label, i) => el('li', {}, sample(i), label, values[i])));
        super(title, description, legend);
        this.#values = values;
        this.series = series;
        this.text = text;
        this.most = options.most ?? 1;
        this.steps = options.steps ?? RATES;
        this.span = options.span ?? (() => [Date.now() / 1000 - 600, Date.now() / 1000]);
    }

    show(data) {
        super.show(data);
        this.#legend(data[0].length - 1);
    }

    options() {
        return {
            legend: { show: false },
            cursor: { drag: { x: false, y: false }, points: { size: 7 } },
            hooks: { setCursor: [plot => this.#legend(plot.cursor.idx ?? this.data[0].length - 1)] },
            scales: {
                x: { time: true, range: () => this.span() },
                y: { range: (plot, low, high) => [0, Math.max(this.most, (high ?? 0) * 1.05)] },
            },
            axes: axes(
                (plot, times) => times.map(time => format.clock(new Date(time * 1000)).slice(0, 5 + 3 * (this.span()[1] - this.span()[0] < 120))),
                (plot, numbers) => numbers.map(this.text), 62, TIMES, this.steps),
            series: [{}, ...this.series.map((label, i) => ({
                label, stroke: () => colour(`series-${i}`), width: 2, dash: DASHES[i], points: { show: false }, spanGaps: false,
            }))],
        };
    }

    /** The numbers at the mouse, or the newest numbers. */
    #legend(index) {
        this.#values.forEach((value, i) => {
            const number = this.data?.[i + 1]?.[index];
            value.textContent = number == null ? '–' : this.text(number);
        });
    }

    table() {
        const [times] = this.data;
        const step = Math.max(1, Math.ceil(times.length / TABLE_ROWS));
        const rows = [];
        for (let i = times.length - 1; i >= 0; i -= step) {
            rows.push([format.clock(new Date(times[i] * 1000)),
                ...this.series.map((label, s) => (this.data[s + 1][i] == null ? '–' : this.text(this.data[s + 1][i])))]);
        }
        return table(`${this.title}, newest first`, ['Time', ...this.series.map(title => ({ title, number: true }))], rows, { tall: true });
    }
}

/** The line of a series in the legend. */
function sample(i) {
    return svg('svg', { width: 26, height: 8, 'aria-hidden': 'true' },
        svg('line', { x1: 0, y1: 4, x2: 26, y2: 4, class: `s${i}`, 'stroke-width': 2.5, 'stroke-dasharray': DASHES[i].join(' ') }));
}

/** A bar for each name. */
export class BarChart extends Chart {
    constructor(title, description, column, unit) {
        super(title, description);
        this.column = column;
        this.unit = unit;
    }

    /** Shows numbers by name. */
    showBars(names, numbers) {
        this.names = names;
        this.show([names.map((name, i) => i), numbers]);
    }

    options() {
        return {
            legend: { show: false },
            cursor: { show: false },
            scales: {
                x: { time: false, range: () => [-0.6, this.names.length - 0.4] },
                y: { range: (plot, low, high) => [0, Math.max(1, (high ?? 0) * 1.08)] },
            },
            axes: axes(
                (plot, places) => places.map(place => this.#label(this.names[place] ?? '')),
                (plot, numbers) => numbers.map(format.compact), 56, DAYS, WHOLE),
            series: [{}, {
                label: this.unit,
                stroke: () => colour('series-0'),
                fill: () => colour('series-0'),
                paths: uPlot.paths.bars({ size: [0.7, 60] }),
                points: { show: false },
            }],
        };
    }

    /** A day without its year, if all bars have the same year. */
    #label(name) {
        const year = this.names[0].slice(0, 5);
        return name.length === 10 && this.names.every(each => each.startsWith(year)) ? name.slice(5) : name;
    }

    table() {
        const rows = this.names.map((name, i) => [name, format.count(this.data[1][i])]);
        return table(this.title, [this.column, { title: this.unit, number: true }], rows, { tall: true });
    }
}
