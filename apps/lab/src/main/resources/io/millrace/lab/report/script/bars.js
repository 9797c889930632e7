// SPDX-License-Identifier: Apache-2.0
// Bars of rates or times, with the spread over the rounds as whiskers and the ideal as a mark.
'use strict';

const ROW_PIXELS = 24;
const AXIS_PIXELS = 34;

/** What bars are as long as: the figure of a result, its spread and its ideal, and how it is written. */
const RATES = {
    words: 'operations per second',
    figures: result => ({value: result.rate, low: result.lowestRate, high: result.highestRate, ideal: result.idealRate}),
    text: result => figure(result.rate),
    note: ratio => `Logarithmic scale: the highest rate is ${whole(ratio)} times the lowest.`,
};

/** How bars are grouped, and what each is called. */
const BY_VARIANT = {group: result => result.variant, label: result => result.contender};

/** Bars of `results`. */
function barPlot(results, paletteName, title, measure = RATES, names = BY_VARIANT) {
    const rows = [...groupedBy(results, names.group)].flatMap(([group, members]) => {
        const winners = (measure.winners ?? fastest)(members);
        return [{group}, ...members.map(result => ({
            result, wins: winners.includes(result), label: names.label(result), text: measure.text(result), ...measure.figures(result),
        }))];
    });
    const scale = rateScale(rows.flatMap(row => row.result ? [row.value, row.low, row.high, row.ideal] : []));
    const box = plot('bars', title + ': ' + measure.words, rows.length * ROW_PIXELS + AXIS_PIXELS,
        width => barOptions(rows, scale, paletteName, width));
    return [box, scale.logarithmic ? paragraph('caption', measure.note(scale.ratio)) : null];
}

function barOptions(rows, scale, paletteName, width) {
    const gutter = gutterWidth(rows, width);
    const labels = Math.ceil(greatest(rows.filter(row => hasBar(row)).map(row => textWidth(barLabel(row), 'bold'))) ?? 60);
    const series = barSeries(rows, paletteName);
    return {
        data: [rows.map((_, index) => index), ...series.map(one => one.data)],
        options: {
            padding: [0, labels + 14, 0, 0],
            cursor: {show: false},
            scales: {
                x: {time: false, ori: 1, dir: -1, range: [-0.5, rows.length - 0.5]},
                y: {...scale.scale, ori: 0, dir: 1},
            },
            axes: [
                axis({
                    side: 3, size: gutter, gap: 8,
                    splits: () => rows.map((_, index) => index),
                    values: (chart, splits) => splits.map(index => gutterText(rows[index], gutter)),
                    filter: (chart, splits) => splits,
                    grid: {show: false}, ticks: {show: false},
                }),
                axis({side: 2, size: AXIS_PIXELS, space: scale.logarithmic ? 44 : 72, values: (chart, splits) => splits.map(axisValue)}),
            ],
            series: [{}, ...series.map(one => one.options)],
            hooks: {draw: [chart => annotate(chart, rows)]},
        },
    };
}

function axisValue(value) {
    return value === null ? '' : compact(value);
}

function gutterWidth(rows, width) {
    const names = rows.filter(row => row.result).map(row => textWidth(row.label) + 14);
    return Math.ceil(Math.min(greatest(names) ?? 60, width * 0.34));
}

function gutterText(row, gutter) {
    return row.result ? fitted(row.label, gutter - 12) : '';
}

function hasBar(row) {
    return row.result !== undefined && row.value !== null && row.value > 0;
}

/** A series for each contender, and one for those that failed. */
function barSeries(rows, paletteName) {
    const sound = groupedBy(rows.filter(row => hasBar(row) && !row.result.failed), row => row.result.contender);
    const series = [...sound.keys()].map(contender => {
        const fill = () => colour(paletteName(contender));
        return {
            data: rows.map(row => hasBar(row) && !row.result.failed && row.result.contender === contender ? row.value : null),
            options: barStyle(fill, 0, fill),
        };
    });
    series.push({
        data: rows.map(row => hasBar(row) && row.result.failed ? row.value : null),
        options: barStyle(() => colour('failed'), 1, chart => hatching(chart.ctx)),
    });
    return series;
}

function barStyle(stroke, width, fill) {
    return {
        stroke, width, fill,
        fillTo: chart => chart.scales.y.min,
        paths: uPlot.paths.bars({size: [0.66, 16], align: 0}),
        points: {show: false},
    };
}

function hatching(context) {
    const step = 6 * uPlot.pxRatio;
    const tile = document.createElement('canvas');
    tile.width = tile.height = step;
    const brush = tile.getContext('2d');
    brush.strokeStyle = colour('failed');
    brush.lineWidth = uPlot.pxRatio;
    for (const shift of [-step, 0, step]) {
        brush.moveTo(shift, step);
        brush.lineTo(shift + step, 0);
    }
    brush.stroke();
    return context.createPattern(tile, 'repeat');
}

function barLabel({result, text}) {
    const failed = result.failure !== null ? 'failed' : result.failed ? 'not verified' : null;
    const marks = [failed, result.unfair === null ? null : 'unfair'].filter(mark => mark !== null);
    return text + (marks.length === 0 ? '' : ' (' + marks.join(', ') + ')');
}

function annotate(chart, rows) {
    const {ctx} = chart;
    ctx.save();
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    rows.forEach((row, index) => {
        const y = chart.valToPos(index, 'x', true);
        if (row.result) {
            annotateBar(chart, row, y);
        } else {
            writeAt(chart, fitted(row.group, chart.width - 8, '600'), 0, y + 4 * uPlot.pxRatio, '600', 'ink');
        }
    });
    ctx.restore();
}

function annotateBar(chart, row, y) {
    const {result} = row;
    if (!hasBar(row)) {
        const x = chart.valToPos(chart.scales.y.min, 'y', true) + 6 * uPlot.pxRatio;
        const room = chart.width - x / uPlot.pxRatio - 4;
        const nothing = row.value === 0 ? row.text : 'not measured';
        writeAt(chart, fitted(result.failure ? 'failed: ' + result.failure : nothing, room), x, y, 'normal', result.failed ? 'failed' : 'muted');
        return;
    }
    if (!result.failed) {
        whisker(chart, row.low, row.high, y);
        idealMark(chart, row.ideal, y);
    }
    writeAt(chart, barLabel(row), labelPlace(chart, row), y, row.wins ? 'bold' : 'normal', result.failed ? 'failed' : 'ink');
}

/** Behind the bar and its whisker, and behind the mark of the ideal if that stands where the label would. */
function labelPlace(chart, row) {
    const {value, high, ideal, result: {failed}} = row;
    const gap = 8 * uPlot.pxRatio;
    const place = chart.valToPos(failed ? value : Math.max(value, high ?? value), 'y', true) + gap;
    const mark = failed || ideal === null ? -Infinity : chart.valToPos(ideal, 'y', true);
    const end = place + textWidth(barLabel(row), 'bold') * uPlot.pxRatio;
    return mark > place - gap && mark < end + gap ? mark + gap : place;
}

function writeAt(chart, text, x, y, weight, colourName) {
    chart.ctx.font = font(weight, uPlot.pxRatio);
    chart.ctx.fillStyle = colour(colourName);
    chart.ctx.fillText(text, x, y);
}

function whisker(chart, low, high, y) {
    if (low === null || high === null || low === high) {
        return;
    }
    const left = chart.valToPos(low, 'y', true);
    const right = chart.valToPos(high, 'y', true);
    const cap = 4 * uPlot.pxRatio;
    const lines = [[left, y, right, y], [left, y - cap, left, y + cap], [right, y - cap, right, y + cap]];
    stroke(chart, 'paper', 3.5, lines); // an edge, so that it is seen on any bar
    stroke(chart, 'ink', 1.25, lines);
}

function idealMark(chart, ideal, y) {
    if (ideal !== null) {
        const x = chart.valToPos(ideal, 'y', true);
        const half = 9 * uPlot.pxRatio;
        const line = [[x, y - half, x, y + half]];
        stroke(chart, 'paper', 5, line); // an edge, so that it is seen on any bar
        stroke(chart, 'muted', 2, line);
    }
}

/** Straight lines, from and to, in pixels of the canvas. */
function stroke(chart, colourName, width, lines, dash = []) {
    const {ctx} = chart;
    ctx.beginPath();
    ctx.strokeStyle = colour(colourName);
    ctx.lineWidth = width * uPlot.pxRatio;
    ctx.setLineDash(dash.map(length => length * uPlot.pxRatio));
    lines.forEach(([fromX, fromY, toX, toY]) => {
        ctx.moveTo(fromX, fromY);
        ctx.lineTo(toX, toY);
    });
    ctx.stroke();
    ctx.setLineDash([]);
}

/** What the bars of `results` are marked with, which are as long as `measure` says. */
function barLegend(results, paletteName, measure = RATES) {
    const contenders = [...new Set(results.map(result => result.contender))];
    const entries = contenders.map(name => [paletteName(name), name]);
    const figures = results.map(measure.figures);
    if (figures.some(({low, high}) => low !== high)) {
        entries.push(['ink', 'lowest to highest round', 'whisker']);
    }
    if (results.some(result => result.failed)) {
        entries.push(['failed', 'failed, or not verified', 'hatched']);
    }
    if (figures.some(({ideal}) => ideal !== null)) {
        entries.push(['muted', 'ideal', 'tick']);
    }
    return legend(entries);
}
