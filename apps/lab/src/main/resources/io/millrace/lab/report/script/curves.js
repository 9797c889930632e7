// SPDX-License-Identifier: Apache-2.0
// Curves: the rate over a setting, where it bends, and what to set.
'use strict';

const CURVE_HEIGHT = 340;
const MARK_PIXELS = 17;

function curveBlock(curve) {
    const rates = rateScale(curve.points.flatMap(point => [point.low, point.high]));
    const fixedText = curve.fixed.map(([name, value]) => `${name} ${value}`).join(', ');
    return element('section', {class: 'block curve'},
        element('h3', {}, curve.title),
        paragraph('caption', [roundTrip(curve.rttMillis), fixedText === '' ? null : 'with ' + fixedText].filter(part => part !== null).join(', ') + '.'),
        curve.points.length < 2
            ? paragraph('absent', 'Too few points for a curve.')
            : [
                legend([['millrace', 'median', 'line'], ['band', 'lowest to highest round'], ['mark', 'best, knee, recommended', 'dashed']]),
                plot('curve', `${curve.title}: operations per second over ${curve.parameter}`,
                    CURVE_HEIGHT + marksOf(curve).length * MARK_PIXELS, width => curveOptions(curve, rates, width)),
                logarithmicNote(rates),
            ],
        bottleneckText(curve),
        curveTable(curve));
}

function bottleneckText({bottleneck, why}) {
    if (bottleneck === null && why === null) {
        return null;
    }
    return paragraph('bottleneck',
        bottleneck === null ? null : element('strong', {}, 'Bottleneck: ' + bottleneck + '. '),
        why === null ? null : sentence(why));
}

/** What is marked, from left to right: marks of one value are one. */
function marksOf(curve) {
    const named = [['knee', curve.knee], ['recommended', curve.recommended], ['best', curve.best]]
        .filter(([, value]) => value !== null);
    return [...groupedBy(named, ([, value]) => value)]
        .map(([value, members]) => ({value, label: members.map(([name]) => name).join(', ') + ' ' + figure(value)}))
        .sort((a, b) => a.value - b.value);
}

function curveOptions(curve, rates, width) {
    const values = curve.points.map(point => point.value);
    const logarithmic = values[0] > 0;
    const marks = marksOf(curve).filter(mark => !logarithmic || mark.value > 0);
    const line = () => colour('millrace');
    const edge = {stroke: 'transparent', width: 0, points: {show: false}};
    return {
        data: [values, ...['median', 'high', 'low'].map(field => curve.points.map(point => point[field]))],
        options: {
            cursor: POINTER,
            padding: [marks.length * MARK_PIXELS + 6, 18, 0, 0],
            scales: {
                x: {time: false, distr: logarithmic ? 3 : 1, range: valueRange(values, logarithmic)},
                y: rates.scale,
            },
            axes: [
                axis({label: curve.parameter, labelSize: 22, size: 28, splits: () => values, grid: {show: false},
                    filter: logarithmic ? thinned(values, width, 52) : (chart, splits) => splits,
                    values: (chart, splits) => splits.map(value => value === null ? '' : figure(value))}),
                axis({size: 48, values: (chart, splits) => splits.map(axisValue), label: 'operations per second', labelSize: 20}),
            ],
            series: [{}, {stroke: line, width: 2, points: {show: true, size: 6, fill: line}}, edge, edge],
            bands: [{series: [2, 3], fill: () => colour('band')}],
            hooks: {draw: [chart => drawMarks(chart, marks)]},
            plugins: [readout(index => describePoint(curve, index))],
        },
    };
}

function valueRange(values, logarithmic) {
    const [low, high] = [values[0], values.at(-1)];
    const room = logarithmic ? (high / low) ** 0.04 : (high - low) * 0.04;
    return logarithmic ? [low / room, high * room] : [low - room, high + room];
}

function describePoint(curve, index) {
    const point = curve.points[index];
    return [
        `${figure(point.value)} ${curve.parameter}`,
        `median: ${figure(point.median)} per second`,
        `rounds: ${fromTo(point.low, point.high, figure)}`,
        ...(point.limit === null ? [] : ['limit: ' + point.limit]),
    ];
}

/** Each label on a line of its own, so that marks that are close do not write over each other. */
function drawMarks(chart, marks) {
    const {ctx, bbox} = chart;
    ctx.save();
    ctx.textBaseline = 'middle';
    marks.forEach((mark, index) => {
        const x = Math.round(chart.valToPos(mark.value, 'x', true));
        const y = (index + 0.5) * MARK_PIXELS * uPlot.pxRatio;
        stroke(chart, 'mark', 1.25, [[x, y + MARK_PIXELS * uPlot.pxRatio / 2, x, bbox.top + bbox.height]], [4, 3]);
        const half = textWidth(mark.label, '600') / 2 * uPlot.pxRatio;
        const left = Math.min(Math.max(x - half, 0), chart.width * uPlot.pxRatio - 2 * half);
        ctx.textAlign = 'left';
        writeAt(chart, mark.label, left, y, '600', 'ink');
    });
    ctx.restore();
}

function curveTable(curve) {
    const marks = new Map(marksOf(curve).map(mark => [mark.value, mark.label.replace(/ [\d.,]+$/, '')]));
    const columns = [
        {head: curve.parameter, cell: point => figure(point.value)},
        {head: 'operations/s', cell: point => figure(point.median)},
        {head: 'spread', cell: point => fromTo(point.low, point.high, figure)},
        {head: 'CPU µs/op', cell: point => fixed(point.cpuMicros, 2)},
        {head: 'server busy', cell: point => fixed(point.serverBusy, 2)},
        {head: 'limited by', text: true, wanted: point => point.limit !== null, cell: point => point.limit ?? NOT_KNOWN},
        {head: '', text: true, cell: point => marks.get(point.value) ?? ''},
    ].filter(column => isWanted(column, curve.points));
    return scrolling(element('table', {class: 'points'}, headOf(columns),
        element('tbody', {}, curve.points.map(point => rowOf(columns, point)))));
}

function settingsBlock(settings) {
    return settings.length === 0 ? null : element('section', {class: 'block settings'},
        element('h3', {}, 'Settings to paste'),
        settings.map(setting => element('div', {class: 'setting'},
            words(setting.for) === null ? null : element('h4', {}, 'For ' + setting.for),
            copyable(setting.text))));
}

function copyable(text) {
    const code = element('code', {}, text);
    return element('div', {class: 'copyable'}, element('pre', {tabindex: '0'}, code), button('Copy', pressed => copy(text, code, pressed)));
}

async function copy(text, code, pressed) {
    try {
        await navigator.clipboard.writeText(text);
        pressed.textContent = 'Copied';
    } catch {
        getSelection().selectAllChildren(code); // a browser that forbids it: then the text is at least chosen
        pressed.textContent = 'Selected';
    }
}
