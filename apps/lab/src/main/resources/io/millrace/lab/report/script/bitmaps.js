// SPDX-License-Identifier: Apache-2.0
// Bitmaps: how fast bits get to the server, how long questions take, and what sparse ids take in memory.
'use strict';

const BYTES_IN_ALL = {
    words: 'bytes',
    figures: result => ({value: result.bytes, low: null, high: null, ideal: null}),
    text: result => figure(result.bytes) + ' bytes',
    note: ratio => `Logarithmic scale: the largest is ${whole(ratio)} times the smallest.`,
    winners: results => {
        const sound = results.filter(result => result.bytes !== null && !result.failed);
        const fewest = least(sound.map(result => result.bytes));
        return sound.filter(result => result.bytes === fewest);
    },
};

/** What is shown of each family of variants, which is what stands before the first dash. */
const BITS = {
    population: {
        text: 'Bits per second, the median of the rounds: each bit by a command of its own, and packed by the client. The fastest of a variant, '
            + 'and whoever is within 1 % of it, is set in bold.',
        measure: RATES, names: BY_VARIANT,
    },
    month: {
        text: 'Seconds for a month of daily actives, the median of the rounds: shorter is better. The fastest of a variant, and whoever is within '
            + '1 % of it, is set in bold.',
        measure: SECONDS, names: BY_VARIANT,
    },
    sparse: {
        text: 'Bytes of the server’s memory for the same ids in each form: shorter is better. The smallest of a shape is set in bold.',
        measure: BYTES_IN_ALL,
        names: {group: result => result.variant.split('-', 2)[1] ?? '', label: result => result.variant.split('-').slice(2).join('-')},
    },
};

function bitmapBlock(results, paletteName) {
    return [...groupedBy(results, result => result.variant.split('-', 1)[0])].map(([family, members]) => {
        const {text, measure, names} = Object.hasOwn(BITS, family) ? BITS[family] : {text: '', measure: RATES, names: BY_VARIANT};
        const told = members.filter(member => member.remark !== null);
        return element('div', {class: 'variant'},
            element('h4', {}, family),
            paragraph('caption', text),
            barLegend(members, paletteName),
            barPlot(members, paletteName, family, measure, names),
            told.length === 0 ? null : remarks(told, paletteName));
    });
}
