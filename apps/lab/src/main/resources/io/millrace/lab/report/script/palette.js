// SPDX-License-Identifier: Apache-2.0
// Colours. The style sheet holds them, for light and dark; a contender has the same one in all plots of the page.
'use strict';

/** Those that are known have a place of their own, so that they look alike on every page. */
const PLACES = new Map([
    ['jedis', 1], ['lettuce', 2], ['redisson', 3], ['valkey-glide', 4], ['glide', 4], ['spring-data-redis', 5], ['spring-data', 5],
    ['vertx', 6], ['fs2', 1], ['jdk', 2], ['jox', 3], ['reactor', 5], ['redis-cli', 7], ['redis-cli-pipe', 7], ['redis-benchmark', 8], ['spring-batch', 9],
]);

const PEER_COLOURS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

/** A function from a contender's name to the name of its colour. Strangers get places that nobody here has, while there are any. */
function paletteOf(contenders) {
    const places = new Map(PLACES);
    const taken = contenders.map(name => PLACES.get(name));
    const free = PEER_COLOURS.filter(place => !taken.includes(place));
    const choice = free.length > 0 ? free : PEER_COLOURS;
    const strangers = [...new Set(contenders)].filter(name => !isOurs(name) && !PLACES.has(name)).sort();
    strangers.forEach((name, index) => places.set(name, choice[index % choice.length]));
    return name => isOurs(name) ? 'millrace' : 'peer-' + places.get(name);
}

function isOurs(name) {
    return name.startsWith('millrace');
}

function swatch(colourName, kind = 'block') {
    return element('span', {class: 'swatch ' + kind, 'data-colour': colourName, 'aria-hidden': 'true'});
}

/** A list of marks and what they mean. */
function legend(entries) {
    return element('ul', {class: 'legend'}, entries.map(([colourName, label, kind]) =>
        element('li', {}, swatch(colourName, kind), label)));
}
