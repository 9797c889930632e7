// SPDX-License-Identifier: Apache-2.0
// Tasks: how long scenarios took beside their ideal, their rhythm, the cost of a task that does nothing, and the deadlock.
'use strict';

const RHYTHM_HEIGHT = 220;

/** The approaches whose rhythm is drawn, as far as there are any of them: one of each kind. */
const RHYTHMS = ['batch', 'blocking-queue', 'stream-ordered', 'two-producers-queue', 'unordered', 'ten-producers'];

const SECONDS = {
    words: 'seconds',
    figures: result => ({value: result.medianWall, low: result.fastestWall, high: result.slowestWall, ideal: result.idealSeconds}),
    text: result => figure(result.medianWall) + ' s' + (overIdeal(result) === null ? '' : `, ${signed(overIdeal(result))} %`),
    note: ratio => `Logarithmic scale: the longest time is ${whole(ratio)} times the shortest.`,
};

const NANOS = {
    words: 'nanoseconds per task',
    figures: result => ({value: nanosPerTask(result), low: perTask(result, result.fastestWall), high: perTask(result, result.slowestWall), ideal: null}),
    text: result => figure(nanosPerTask(result)) + ' ns',
    note: ratio => `Logarithmic scale: the highest cost is ${whole(ratio)} times the lowest.`,
};

const BY_APPROACH = {group: result => withoutFamily(result.variant), label: result => result.contender};

/** The variants are numbers of producers, and behind them what kind of machinery it is where a library has several. */
const BY_PRODUCERS = {
    group: result => /^\d+-producers?/.exec(withoutFamily(result.variant))?.[0] ?? result.variant,
    label: result => result.contender + withoutFamily(result.variant).replace(/^\d+-producers?-?/, ' '),
};

/** Percent by which a result took longer than its ideal; null where a variant goes on for a time that is given. */
function overIdeal({medianWall, idealSeconds, experiment}) {
    return experiment !== 'e4' || medianWall === null || idealSeconds === null || idealSeconds <= 0
        ? null
        : 100 * (medianWall / idealSeconds - 1);
}

function signed(value) {
    return (value > 0 ? '+' : '') + fixed(value, 1);
}

function nanosPerTask(result) {
    return perTask(result, result.medianWall);
}

function perTask({operations}, seconds) {
    return operations === null || operations <= 0 || seconds === null ? null : seconds * 1e9 / operations;
}

function isOverhead(result) {
    return result.experiment === 'e4' && familyOf(result) === 'overhead';
}

function familyOf({variant}) {
    return variant.split('/', 1)[0];
}

function withoutFamily(variant) {
    return variant.slice(variant.indexOf('/') + 1);
}

function taskBlock(results, paletteName, report) {
    return [...groupedBy(results, familyOf)].map(([family, members]) => element('div', {class: 'variant'},
        element('h4', {}, family),
        members.some(member => member.remark !== null)
            ? remarks(members, paletteName)
            : members.every(isOverhead)
                ? overheadBlock(members, paletteName, family)
                : scenarioBlock(members, paletteName, family, report.scenarios.filter(scenario => scenario.name === family))));
}

function remarks(results, paletteName) {
    return element('ul', {class: 'remarks'}, results.map(result => element('li', {},
        element('strong', {}, swatch(paletteName(result.contender)), `${withoutFamily(result.variant)}, ${result.contender}: `),
        result.remark ?? result.failure ?? 'nothing was said')));
}

function overheadBlock(results, paletteName, family) {
    return [
        paragraph('caption', 'Nanoseconds for a task that does nothing, from producers to eight consumers, the median of the rounds: shorter is '
            + 'better. The fastest, and whoever is within 1 % of it, is set in bold.'),
        barLegend(results, paletteName),
        barPlot(results, paletteName, family, NANOS, BY_PRODUCERS),
    ];
}

function scenarioBlock(results, paletteName, family, scenarios) {
    return [
        scenarios.length === 0 ? null : paragraph('caption', scenarioText(scenarios)),
        paragraph('caption', 'Seconds, the median of the rounds, and how far that is from the ideal: shorter is better. The fastest of a '
            + 'variant, and whoever is within 1 % of it, is set in bold.'),
        barLegend(results, paletteName),
        barPlot(results, paletteName, family, SECONDS, BY_APPROACH),
        rhythmPlots(results, paletteName, family),
    ];
}

function scenarioText(scenarios) {
    const [{tasks, batch, produceMillis, consumers, shortest, longest, seed}] = scenarios;
    const ideals = scenarios.map(({idealSeconds, producers}) =>
        `${figure(idealSeconds)} s with ${counted(producers ?? 1, 'producer', 'producers')}`);
    return `${counted(tasks, 'task', 'tasks')}; a producer waits ${figure(produceMillis)} ms for each ${whole(batch)}; ${counted(consumers, 'consumer', 'consumers')}`
        + `, and each task takes one of them ${fromTo(shortest, longest, figure)} ms, drawn from seed ${seed ?? NOT_KNOWN}. Ideal: ${ideals.join(', ')}.`;
}

/** What had been produced and consumed at each moment, one plot for each of some approaches, all to the same scale. */
function rhythmPlots(results, paletteName, family) {
    const traced = results.filter(result => result.trace !== null && !result.failed && RHYTHMS.includes(withoutFamily(result.variant)));
    if (traced.length === 0) {
        return null;
    }
    const end = greatest(traced.flatMap(result => [result.trace.consumed[0].at(-1), result.idealSeconds ?? 0]));
    const contenders = [...new Set(traced.map(result => result.contender))];
    return [
        element('h5', {class: 'rhythms'}, 'Rhythm'),
        paragraph('caption', 'Tasks so far, in the last round: those whose batch has been produced, and those that have been consumed.'),
        legend([...contenders.map(name => [paletteName(name), name, 'line']), ['muted', 'produced', 'dashed'], ['muted', 'ideal end', 'tick']]),
        element('div', {class: 'three-abreast'}, [...groupedBy(traced, result => result.variant)].map(([variant, members]) => element('div', {},
            element('h5', {}, withoutFamily(variant)),
            plot('rhythm', `${family}, ${withoutFamily(variant)}: tasks produced and consumed over time`, RHYTHM_HEIGHT,
                () => rhythmOptions(members, end, paletteName))))),
    ];
}

function rhythmOptions(members, end, paletteName) {
    const lines = members.flatMap(({contender, trace}) => [
        {contender, kind: 'produced', dash: [4, 4], width: 1.25, paths: uPlot.paths.stepped({align: 1}), points: fromNothing(trace.produced)},
        {contender, kind: 'consumed', width: isOurs(contender) ? 2.5 : 1.75, points: fromNothing(trace.consumed)},
    ]);
    const data = uPlot.join(lines.map(line => line.points));
    const ideal = members[0].idealSeconds;
    return {
        data,
        options: {
            cursor: POINTER,
            padding: [10, 16, 0, 0],
            scales: {
                x: {time: false, range: [0, end * 1.02]},
                y: {range: [0, greatest(lines.map(line => line.points[1].at(-1))) * 1.05]},
            },
            axes: [
                axis({label: 'seconds', labelSize: 20, size: 28, space: 40}),
                axis({size: 48, values: (chart, splits) => splits.map(axisValue), label: 'tasks', labelSize: 20}),
            ],
            series: [{}, ...lines.map(line => ({
                stroke: () => colour(paletteName(line.contender)),
                width: line.width, dash: line.dash, paths: line.paths, spanGaps: true, points: {show: false},
            }))],
            hooks: {draw: [chart => idealEnd(chart, ideal)]},
            plugins: [readout(index => [
                `after ${fixed(data[0][index], 2)} s`,
                ...lines.map((line, series) => `${line.contender}, ${line.kind}: ${whole(upTo(data[series + 1], index))}`),
            ])],
        },
    };
}

/** Nothing had happened at the beginning. Moments that are equal have become one, with what it was in the end. */
function fromNothing([moments, counts]) {
    const last = new Map([[0, 0], ...moments.map((moment, index) => [moment, counts[index]])]);
    return [[...last.keys()], [...last.values()]];
}

/** The last count up to a moment at which perhaps another line has one. */
function upTo(counts, index) {
    return counts.slice(0, index + 1).findLast(count => count !== null && count !== undefined) ?? 0;
}

function idealEnd(chart, seconds) {
    if (seconds !== null) {
        const x = chart.valToPos(seconds, 'x', true);
        const {top, height} = chart.bbox;
        stroke(chart, 'muted', 1.5, [[x, top, x, top + height]]);
    }
}
