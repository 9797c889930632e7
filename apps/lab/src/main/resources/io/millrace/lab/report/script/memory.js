// SPDX-License-Identifier: Apache-2.0
// Memory of small pairs: how many bytes of the server each takes, and in what form.
'use strict';

const BYTES = {
    words: 'bytes per pair',
    figures: result => ({value: result.bytesPerPair, low: null, high: null, ideal: null}),
    text: result => figure(result.bytesPerPair) + ' bytes',
    note: ratio => `Logarithmic scale: the largest is ${whole(ratio)} times the smallest.`,
    winners: smallest,
};

/** Those with the fewest bytes, as far as their data was right. */
function smallest(results) {
    const sound = results.filter(result => result.bytesPerPair !== null && !result.failed);
    const fewest = least(sound.map(result => result.bytesPerPair));
    return sound.filter(result => result.bytesPerPair === fewest);
}

const BY_CONTENDER = {group: result => result.contender, label: result => result.variant};

function memoryBlock(results, paletteName) {
    return [
        paragraph('caption', 'Bytes of the server’s memory for a pair: shorter is better. The smallest is set in bold.'),
        barLegend(results, paletteName),
        barPlot(results, paletteName, 'memory of pairs', BYTES, BY_CONTENDER),
        element('ul', {class: 'remarks'}, results.map(result => element('li', {},
            element('strong', {}, swatch(paletteName(result.contender)), `${result.variant}, ${result.contender}: `),
            result.remark ?? result.failure ?? 'nothing was said'))),
    ];
}
