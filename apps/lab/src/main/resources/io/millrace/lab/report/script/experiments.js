// SPDX-License-Identifier: Apache-2.0
// The sections of the page: what was done in each experiment, and how its results are shown.
'use strict';

const EXPERIMENTS = {
    e1: {
        title: 'E1: connection patterns',
        text: 'The same small SETs, sent in the ways programs are written: one after the other, by threads that share a pool of '
            + 'connections, in pipelines, through a queue. Patterns that wait for a round trip per command may run fewer of them.',
        blocks: generalBlock,
    },
    e2: {
        title: 'E2: asynchronous throughput',
        text: 'Commands are issued without waiting for their replies, faster than a server may take them. Each plot shows what '
            + 'happened in every second of the last round: what the client issued and got back, what was pending at the second’s end, '
            + 'and what the server itself counted.',
        blocks: asynchronousBlock,
    },
    e3: {
        title: 'E3: pipelines',
        text: 'The same commands one by one, in one pipeline, and in one whose adjacent commands the client fuses: strings, the fields of '
            + 'one hash, lists that are drained; and the first use after the start, cold and warmed up.',
        blocks: familyBlock,
    },
    e4: {
        title: 'E4: task processing',
        text: 'Tasks that wait are fetched in batches by producers that wait, and consumed by as many consumers as may wait at once. '
            + 'The ideal is the time in which the waits alone could pass: each batch is there when its producer has waited, and each task in '
            + 'turn goes to the consumer that is free first. Then what it costs to hand over a task that does nothing, and what becomes of '
            + 'consumers that block on a pool with no thread to spare.',
        blocks: taskBlock,
        serverless: true,
    },
    e5: {
        title: 'E5: cache-aside',
        text: 'A slow result is computed once, kept in Redis for its time, and served to all. The first call and the second; what a hit costs beside a bare GET; a thousand '
            + 'keys at once; how often one text is computed when a thousand callers ask for it as it expires, in one process and in two; '
            + 'very many entries written ahead; and what callers get, and when, whose server is lost.',
        blocks: cacheBlock,
    },
    e6: {
        title: 'E6: bitmaps',
        text: 'Random bits are stored, with a command for each and packed by the client, and the server counts them. Then a month of daily '
            + 'actives: its history is loaded, and questions are asked of it. At last few ids of a wide range, in each form that can keep them.',
        blocks: bitmapBlock,
    },
    e7: {
        title: 'E7: memory of small pairs',
        text: 'The same pairs of two numbers as strings, and packed into hashes of 128 and of 1,000. A server keeps a hash compact up to a '
            + 'number of fields; above it, its fields take most of what strings do. So hashes of 1,000 are measured twice: with the '
            + 'server’s limit as it is, and raised meanwhile.',
        blocks: memoryBlock,
        serverless: true,
    },
    e8: {
        title: 'E8: tune',
        text: 'One setting at a time is swept on this server and this network. The knee is where more of it stops helping; '
            + 'the recommended value is the cheapest that is about as good as the best.',
        blocks: generalBlock,
    },
};

/** The names of the experiments, in the order in which the report has them. */
function experimentNames(report) {
    return [...new Set([...report.results, ...report.curves].map(one => one.experiment))];
}

function titleOf(name) {
    return Object.hasOwn(EXPERIMENTS, name) ? EXPERIMENTS[name].title : name;
}

function experimentSection(name, report, paletteName) {
    const known = Object.hasOwn(EXPERIMENTS, name) ? EXPERIMENTS[name] : {text: null, blocks: generalBlock};
    const results = report.results.filter(result => result.experiment === name);
    const curves = report.curves.filter(curve => curve.experiment === name);
    const trips = [...groupedBy(results, result => result.rttMillis)].sort(([a], [b]) => a - b);
    return element('section', {class: 'experiment', id: anchorOf(name, report)},
        element('h2', {}, titleOf(name)),
        known.text === null ? null : paragraph('lead', known.text),
        curves.length > 0
            ? [settingsBlock(report.settings), curves.map(curveBlock), trips.map(([millis, members]) => pointsBlock(millis, members, paletteName))]
            : [trips.map(([millis, members]) => resultsBlock(millis, members, known, paletteName, report)), acrossRoundTrips(results, paletteName)]);
}

function resultsBlock(millis, results, {blocks, serverless}, paletteName, report) {
    return element('section', {class: 'block', 'data-rtt': String(millis)},
        serverless ? null : element('h3', {}, roundTrip(millis)),
        blocks(results, paletteName, report),
        resultTable(results, paletteName));
}

/** What the curves were drawn through: for those who want to see every figure. */
function pointsBlock(millis, results, paletteName) {
    return element('details', {class: 'block', 'data-rtt': String(millis)},
        element('summary', {}, 'Every point, ' + roundTrip(millis).toLowerCase()),
        resultTable(results, paletteName));
}

/** Not of the name itself, which may hold anything. */
function anchorOf(name, report) {
    return 'experiment-' + (experimentNames(report).indexOf(name) + 1);
}

function generalBlock(results, paletteName) {
    return [rateCaption(), barLegend(results, paletteName), barPlot(results, paletteName, results[0].experiment)];
}

function rateCaption() {
    return paragraph('caption', 'Operations per second, the median of the rounds. The fastest of a variant, and whoever is within 1 % of it, '
        + 'is set in bold.');
}

/** A plot for each family of variants: what stands before the first dash. */
function familyBlock(results, paletteName) {
    const families = [...groupedBy(results, result => result.variant.split('-', 1)[0])];
    return [
        rateCaption(),
        barLegend(results, paletteName),
        families.map(([family, members]) => element('div', {class: 'variant'},
            element('h4', {}, family), barPlot(members, paletteName, family))),
    ];
}

function asynchronousBlock(results, paletteName) {
    const variants = [...groupedBy(results, result => result.variant)];
    const timed = variants.filter(([, members]) => members.some(member => member.seconds.length > 0));
    const others = variants.filter(([, members]) => members.every(member => member.seconds.length === 0)).flatMap(([, members]) => members);
    return [
        timed.map(([variant, members]) => timePlots(variant, members, paletteName)),
        others.length === 0 ? null : element('div', {class: 'variant'},
            element('h4', {}, 'Rates'), generalBlock(others, paletteName)),
    ];
}

function acrossRoundTrips(results, paletteName) {
    const plots = roundTripPlots(results, paletteName);
    if (plots.length === 0) {
        return null;
    }
    const contenders = [...new Set(results.filter(isOverRoundTrip).map(result => result.contender))];
    return element('section', {class: 'block'},
        element('h3', {}, 'Over the round trip'),
        paragraph('caption', 'Operations per second, both axes logarithmic, all plots to the same scale.'
            + (results.some(result => result.rttMillis === 0) ? ' What has no delay has no place on such an axis.' : '')),
        legend(contenders.map(name => [paletteName(name), name, 'line'])),
        element('div', {class: 'three-abreast'}, plots));
}
