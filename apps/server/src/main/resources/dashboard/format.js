// SPDX-License-Identifier: Apache-2.0
// Numbers and times as text.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export const count = number => whole.format(number);

/** 1234567 as 1.2M. */
export const compact = number => (Math.abs(number) < 1000 ? whole.format(number) : short.format(number));

/** A rate per second: below ten with one decimal. */
export const rate = number => (number > 0 && number < 10 ? number.toFixed(1) : compact(number));

export function bytes(number) {
    const power = number < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(number) / 10));
    const value = number / 1024 ** power;
    return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`;
}

export const percent = share => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

/** 75.3 as 1 min 15 s. */
export function seconds(number) {
    if (number < 10) {
        return `${Number(number.toFixed(2))} s`;
    }
    const rounded = Math.round(number);
    const parts = [[86_400, 'd'], [3_600, 'h'], [60, 'min'], [1, 's']];
    const text = [];
    let rest = rounded;
    for (const [size, unit] of parts) {
        const part = Math.floor(rest / size);
        rest -= part * size;
        if (part > 0 && text.length < 2) {
            text.push(`${part} ${unit}`);
        }
    }
    return text.join(' ');
}

const two = number => String(number).padStart(2, '0');

/** 13:05:09, in the time zone of the browser. */
export const clock = date => `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;

/** 2026-11-22 13:05:09. */
export const moment = date => `${day(date)} ${clock(date)}`;

export const day = date => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
