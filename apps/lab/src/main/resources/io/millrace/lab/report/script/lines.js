// SPDX-License-Identifier: Apache-2.0
// Lines: what happened in each second, and rates over the round trip.
'use strict';

const TIME_HEIGHT = 260;
const RTT_HEIGHT = 230;

/** From back to front: a wide pale line under those that run along it when all is well. */
const FLOWS = [
    {field: 'iterations', label: 'issued', colour: 'issued', width: 5},
    {field: 'ok', label: 'ok', colour: 'ok', width: 2},
    {field: 'timedOut', label: 'timed out', colour: 'timed-out', width: 2},
    {field: 'refused', label: 'refused', colour: 'refused', width: 2, rare: true},
    {field: 'error', label: 'error replies', colour: 'error', width: 2, rare: true},
    {field: 'lost', label: 'lost', colour: 'lost', width: 2, rare: true},
    {field: 'serverCommands', label: 'executed, as the server counts', colour: 'server', width: 1.5, dash: [5, 4]},
];
const PENDING = {field: 'pending', label: 'pending (right axis)', colour: 'pending', width: 1.25};

/** Neither seconds nor commands come in parts. */
const WHOLE_STEPS = Array.from({length: 10}, (_, power) => [1, 2, 5].map(step => step * 10 ** power)).flat();

/** One plot for each contender of a variant, all to the same scales. */
function timePlots(variant, results, paletteName) {
    const seconds = results.flatMap(result => result.seconds);
    const flows = [PENDING, ...FLOWS.filter(flow => !flow.rare || seconds.some(second => second[flow.field] > 0))];
    const rate = greatest(FLOWS.flatMap(flow => positive(seconds.map(second => second[flow.field])))) ?? 1;
    // What is pending fills the plot only if it is more than a second's work: a few commands in flight are no backlog.
    const reach = {rate, pending: Math.max(rate, greatest(positive(seconds.map(second => second.pending))) ?? 1)};
    return element('div', {class: 'variant'},
        element('h4', {}, variant),
        legend(flows.map(flow => [flow.colour, flow.label, flow === PENDING ? 'area' : flow.dash ? 'dashed' : 'line'])),
        element('div', {class: 'side-by-side'}, results.map(result => timeFigure(result, flows, reach, paletteName))));
}

function timeFigure(result, flows, reach, paletteName) {
    const heading = element('h5', {}, swatch(paletteName(result.contender)), result.contender);
    const drawing = result.seconds.length > 0
        ? plot('time', `${result.contender}, ${result.variant}: what happened in each second`, TIME_HEIGHT,
            () => timeOptions(result.seconds, flows, reach))
        : paragraph('absent', result.failure === null ? 'No seconds were recorded.' : '');
    return element('div', {}, heading, paragraph(result.failed ? 'caption failed' : 'caption', outcomeText(result)), drawing);
}

function outcomeText(result) {
    const said = result.outcomes.filter(([name, count]) => count > 0 || name === 'ok').map(([name, count]) => whole(count) + ' ' + name);
    if (result.failure !== null) {
        said.unshift('failed: ' + result.failure);
    } else if (result.failed) {
        said.unshift('not verified');
    }
    return said.join(', ');
}

/** The last second ends with the round: what happened in a part of it is no rate. The server is asked at the end of whole ones. */
function isPart(second, index, seconds) {
    return index > 0 && index === seconds.length - 1 && second.serverCommands === null && seconds[0].serverCommands !== null;
}

function timeOptions(seconds, flows, reach) {
    const times = seconds.map(second => second.second);
    return {
        data: [times, ...flows.map(flow => seconds.map((second, index) =>
            flow !== PENDING && isPart(second, index, seconds) ? null : second[flow.field]))],
        options: {
            cursor: POINTER,
            padding: [10, 0, 0, 0],
            scales: {
                x: {time: false, range: [least(times) - 0.2, greatest(times) + 0.2]},
                y: {range: [0, reach.rate * 1.05]},
                pending: {range: [0, reach.pending * 1.05]},
            },
            axes: [
                axis({label: 'second', labelSize: 20, size: 28, incrs: WHOLE_STEPS, space: 40}),
                axis({size: 48, values: (chart, splits) => splits.map(axisValue), label: 'per second', labelSize: 20}),
                axis({scale: 'pending', side: 1, size: 48, incrs: WHOLE_STEPS, values: (chart, splits) => splits.map(axisValue),
                    label: 'pending', labelSize: 20, grid: {show: false}}),
            ],
            series: [{}, ...flows.map(timeSeries)],
            plugins: [readout(index => [
                'second ' + seconds[index].second + (isPart(seconds[index], index, seconds) ? ', in part' : ''),
                ...flows.map(flow => `${flow.label.replace(' (right axis)', '')}: ${whole(seconds[index][flow.field])}`),
            ])],
        },
    };
}

function timeSeries(flow) {
    return {
        scale: flow === PENDING ? 'pending' : 'y',
        stroke: () => colour(flow.colour),
        width: flow.width,
        dash: flow.dash,
        fill: flow === PENDING ? () => colour('pending-area') : undefined,
        points: {show: false},
    };
}

function isOverRoundTrip(result) {
    return !result.failed && result.rttMillis > 0 && result.rate !== null && result.rate > 0;
}

/** Rates over the round trip, one plot for each variant that has several; empty if none has. */
function roundTripPlots(results, paletteName) {
    const usable = results.filter(isOverRoundTrip);
    const variants = [...groupedBy(usable, result => result.variant)]
        .filter(([, members]) => new Set(members.map(member => member.rttMillis)).size > 1);
    const rates = positive(variants.flatMap(([, members]) => members.map(member => member.rate)));
    const reach = [decadeBelow(least(rates) ?? 1), (greatest(rates) ?? 1) * 1.6];
    return variants.map(([variant, members]) => element('div', {},
        element('h5', {}, variant),
        plot('round-trip', variant + ': operations per second over the round trip', RTT_HEIGHT,
            width => roundTripOptions(members, reach, paletteName, width))));
}

function roundTripOptions(members, reach, paletteName, width) {
    const trips = [...new Set(members.map(member => member.rttMillis))].sort((a, b) => a - b);
    const contenders = [...groupedBy(members, member => member.contender)];
    const rates = contenders.map(([, own]) => trips.map(trip => own.find(member => member.rttMillis === trip)?.rate ?? null));
    return {
        data: [trips, ...rates],
        options: {
            cursor: POINTER,
            padding: [10, 16, 0, 0],
            scales: {
                x: {time: false, distr: 3, range: [trips[0] * 0.8, trips.at(-1) * 1.25]},
                y: {distr: 3, range: reach},
            },
            axes: [
                axis({label: 'round trip, ms', labelSize: 20, size: 28, splits: () => trips, grid: {show: false}, filter: thinned(trips, width, 44),
                    values: (chart, splits) => splits.map(axisValue)}),
                axis({size: 48, values: (chart, splits) => splits.map(axisValue), label: 'per second', labelSize: 20}),
            ],
            series: [{}, ...contenders.map(([name]) => ({
                stroke: () => colour(paletteName(name)),
                width: isOurs(name) ? 2.5 : 1.75,
                spanGaps: true,
                points: {show: true, size: 6, fill: () => colour(paletteName(name))},
            }))],
            plugins: [readout(index => [
                'round trip ' + milliseconds(trips[index]),
                ...contenders.map(([name], series) => `${name}: ${figure(rates[series][index])} per second`),
            ])],
        },
    };
}

/** Leaves out labels of a logarithmic axis that would stand closer than `space` pixels to the one before. */
function thinned(values, width, space) {
    return (chart, splits) => {
        const all = Math.log(values.at(-1) / values[0]) || 1;
        let last = -Infinity;
        return splits.map(value => {
            const place = Math.log(value / values[0]) / all * (width - 120);
            if (place - last < space) {
                return null;
            }
            last = place;
            return value;
        });
    };
}
