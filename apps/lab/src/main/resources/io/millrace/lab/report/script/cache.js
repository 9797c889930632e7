// SPDX-License-Identifier: Apache-2.0
// Caches: how fast they answer and are filled, how often they have one text computed, and what they do without a server.
'use strict';

const CALL = {
    words: 'milliseconds',
    figures: result => ({value: inMillis(result.medianWall), low: null, high: null, ideal: inMillis(result.idealSeconds)}),
    text: result => figure(inMillis(result.medianWall)) + ' ms',
    note: SECONDS.note,
};

function inMillis(seconds) {
    return seconds === null ? null : seconds * 1000;
}

const COMPUTATIONS = {
    words: 'computations',
    figures: result => ({value: result.computations, low: null, high: null, ideal: null}),
    text: result => whole(result.computations) + (result.lastMillis === null ? '' : `, the last answer after ${figure(result.lastMillis)} ms`),
    note: ratio => `Logarithmic scale: the most are ${whole(ratio)} times the fewest.`,
    winners: results => {
        const sound = results.filter(result => result.computations !== null && !result.failed && allOk(result));
        const fewest = least(sound.map(result => result.computations));
        return sound.filter(result => result.computations === fewest);
    },
};

/** Whoever has a text for each caller; how long that took stands beside it, since an exception at once is no answer. */
const TEXTS = {
    words: 'callers that got their text',
    figures: result => ({value: result.texts, low: null, high: null, ideal: null}),
    text: result => whole(result.texts) + (result.medianMillis === null ? '' : `, half of the callers answered after ${figure(result.medianMillis)} ms`),
    note: ratio => `Logarithmic scale: the most are ${whole(ratio)} times the fewest.`,
    winners: results => {
        const sound = results.filter(result => result.texts > 0 && !result.failed);
        const most = greatest(sound.map(result => result.texts));
        const quickest = least(sound.filter(result => result.texts === most).map(result => result.medianMillis ?? Infinity));
        return sound.filter(result => result.texts === most && (result.medianMillis ?? Infinity) <= quickest * NEARLY);
    },
};

/** Variants of one plot are compared by their first words; what is behind them is a way of the contender's. */
function byFirstWords(count) {
    return {
        group: result => result.variant.split('-').slice(0, count).join('-'),
        label: result => [result.contender, result.variant.split('-').slice(count).join('-')].filter(word => word !== '').join(', '),
    };
}

const CACHE_FAMILIES = {
    calls: {
        title: 'The first call and the second',
        text: 'Milliseconds of one call: the first computes the text, the second finds it.',
        measure: CALL, names: byFirstWords(2),
    },
    hits: {
        title: 'Hits',
        text: 'Operations per second, the median of the rounds, of callers that each wait for their answer. Bare is a GET without a cache.',
        measure: RATES, names: byFirstWords(2),
    },
    multiget: {
        title: 'A thousand keys',
        text: 'Keys per second, the median of the rounds: in one call for all, and in a call for each.',
        measure: RATES, names: byFirstWords(1),
    },
    stampede: {
        title: 'The moment of expiry',
        text: 'How often one text was computed for a thousand callers in each process, the median of the rounds: fewer is better.',
        measure: COMPUTATIONS, names: byFirstWords(2),
    },
    warmup: {
        title: 'Very many entries',
        text: 'Entries written per second, the median of the rounds; bare is a plain SET for each, without a cache.',
        measure: RATES, names: byFirstWords(1),
    },
    lost: {
        title: 'The server is lost',
        text: 'How many of 64 callers got their text, by computing it, where others got an exception: more is better, and then sooner.',
        measure: TEXTS, names: byFirstWords(2),
    },
};

function cacheBlock(results, paletteName) {
    return [...groupedBy(results, result => result.variant.split('-', 1)[0])]
        .map(([name, members]) => cacheFamily(name, members, paletteName));
}

function cacheFamily(name, results, paletteName) {
    const {title, text, measure, names} = Object.hasOwn(CACHE_FAMILIES, name)
        ? CACHE_FAMILIES[name] : {title: name, text: null, measure: RATES, names: BY_VARIANT};
    const remarked = results.filter(result => result.remark !== null);
    return element('div', {class: 'variant'},
        element('h4', {}, title),
        text === null ? null : paragraph('caption', text),
        barLegend(results, paletteName, measure),
        barPlot(results, paletteName, title, measure, names),
        remarked.length === 0 ? null : [
            paragraph('caption', 'What the last round has shown:'),
            element('ul', {class: 'remarks'}, remarked.map(result => element('li', {},
                element('strong', {}, swatch(paletteName(result.contender)), `${result.variant}, ${result.contender}: `), result.remark))),
        ]);
}
