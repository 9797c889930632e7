// SPDX-License-Identifier: Apache-2.0
// What all plots share: a box that keeps its width, drawing again when colours or widths change, a readout under the pointer.
'use strict';

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const TEXT_PIXELS = 12;
const PRINT_WIDTH = 660;

const waiting = [];
const drawn = [];

function font(weight = 'normal', scale = 1) {
    return `${weight} ${TEXT_PIXELS * scale}px ${FONT}`;
}

const ruler = document.createElement('canvas').getContext('2d');

/** In CSS pixels. */
function textWidth(text, weight = 'normal') {
    ruler.font = font(weight);
    return ruler.measureText(text).width;
}

function fitted(text, width, weight = 'normal') {
    let length = text.length;
    while (length > 1 && textWidth(shortened(text, length), weight) > width) {
        length--;
    }
    return shortened(text, length);
}

/**
 * A box for a plot, which is drawn once it is in the document: only then it has a width.
 * `make` is given that width and returns options and data; `height` is in CSS pixels, axes included.
 */
function plot(kind, label, height, make) {
    const box = element('div', {class: 'plot', 'data-kind': kind, role: 'img', 'aria-label': label});
    waiting.push(() => {
        const {options, data} = make(box.clientWidth);
        const chart = new uPlot({width: box.clientWidth, height, legend: {show: false}, ...options}, data, box);
        drawn.push({box, chart});
        new ResizeObserver(() => fit(box, chart, box.clientWidth)).observe(box);
    });
    return box;
}

function fit(box, chart, width) {
    if (width > 0 && width !== chart.width) {
        chart.setSize({width, height: chart.height});
    }
}

function drawWaiting() {
    waiting.splice(0).forEach(draw => draw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAgain);
    addEventListener('beforeprint', () => inkOnPaper(true));
    addEventListener('afterprint', () => inkOnPaper(false));
}

function drawAgain() {
    drawn.forEach(({chart}) => chart.redraw());
}

/** Paper is light, and narrower than most screens. */
function inkOnPaper(printing) {
    document.documentElement.toggleAttribute('data-printing', printing);
    drawn.forEach(({box, chart}) => fit(box, chart, printing ? Math.min(PRINT_WIDTH, box.clientWidth) : box.clientWidth));
    drawAgain();
}

/** An axis in the colours of the page. */
function axis(options) {
    const line = {stroke: () => colour('grid'), width: 1};
    return {
        stroke: () => colour('muted'),
        font: font(),
        labelFont: font(),
        ...options,
        grid: {...line, filter: decades, ...options.grid},
        ticks: {...line, filter: decades, size: 4, ...options.ticks},
    };
}

/** Of a logarithmic axis only the powers of ten have lines. */
function decades(chart, splits, axisIndex) {
    const logarithmic = chart.scales[chart.axes[axisIndex].scale].distr === 3;
    return splits.map(value => !logarithmic || Number.isInteger(Math.log10(value)) ? value : null);
}

/** The reach of an axis of rates: logarithmic where a linear one would make the small ones vanish. */
function rateScale(values) {
    const reached = positive(values);
    const low = least(reached) ?? 1;
    const high = greatest(reached) ?? 1;
    const logarithmic = high / low > 30;
    return {
        logarithmic,
        ratio: high / low,
        scale: {
            time: false,
            distr: logarithmic ? 3 : 1,
            range: logarithmic ? [decadeBelow(low), high * 1.15] : [0, high * 1.05],
        },
    };
}

/** The power of ten below `value`, so far below that something at `value` can still be seen. */
function decadeBelow(value) {
    return 10 ** Math.floor(Math.log10(value * 0.8));
}

function logarithmicNote(rates) {
    return rates.logarithmic ? paragraph('caption', RATES.note(rates.ratio)) : null;
}

/** Shows, beside the pointer, what `describe` says of the point next to it: lines of text. */
function readout(describe) {
    const tip = element('div', {class: 'readout', hidden: ''});
    function place(chart) {
        const {idx, left} = chart.cursor;
        tip.hidden = idx === null || idx === undefined || left < 0;
        if (!tip.hidden) {
            tip.replaceChildren(...describe(idx).map(line => element('div', {}, line)));
            const room = chart.over.clientWidth - tip.offsetWidth;
            tip.style.left = Math.max(0, left + 12 > room ? left - tip.offsetWidth - 12 : left + 12) + 'px';
        }
    }
    return {hooks: {init: chart => chart.over.append(tip), setCursor: place}};
}

const POINTER = {y: false, drag: {x: false, y: false}, points: {size: 6}};
