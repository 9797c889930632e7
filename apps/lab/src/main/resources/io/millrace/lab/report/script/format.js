// SPDX-License-Identifier: Apache-2.0
// Numbers and words as this page writes them.
'use strict';

const NOT_KNOWN = '–';

const DIGITS = new Map();

function digits(places) {
    if (!DIGITS.has(places)) {
        DIGITS.set(places, new Intl.NumberFormat('en-US', {minimumFractionDigits: places, maximumFractionDigits: places}));
    }
    return DIGITS.get(places);
}

function fixed(value, places) {
    return value === null ? NOT_KNOWN : digits(places).format(value);
}

function whole(value) {
    return fixed(value, 0);
}

/** As many decimals as a figure of this size deserves. */
function figure(value) {
    if (value === null) {
        return NOT_KNOWN;
    }
    const size = Math.abs(value);
    if (size >= 100 || Number.isInteger(value)) {
        return whole(value);
    }
    return fixed(value, size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** Short enough for an axis: 250, 1.5k, 2M. */
function compact(value) {
    for (const [size, unit] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
        if (Math.abs(value) >= size) {
            return Number((value / size).toPrecision(3)) + unit;
        }
    }
    return String(Number(value.toPrecision(3)));
}

function fromTo(low, high, format) {
    return low === null || high === null ? NOT_KNOWN : format(low) + ' to ' + format(high);
}

function milliseconds(value) {
    return String(Number(value.toPrecision(6))) + ' ms';
}

function roundTrip(millis) {
    return millis === 0 ? 'No delay added' : 'Round trip of ' + milliseconds(millis);
}

function counted(count, one, many) {
    return whole(count) + ' ' + (count === 1 ? one : many);
}

function shortened(text, length) {
    return text.length <= length ? text : text.slice(0, length - 1) + '…';
}

function sentence(text) {
    const trimmed = text.trim();
    const ended = /[.!?]$/.test(trimmed) ? trimmed : trimmed + '.';
    return ended.charAt(0).toUpperCase() + ended.slice(1);
}
