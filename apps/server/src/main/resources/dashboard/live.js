// SPDX-License-Identifier: Apache-2.0
// What a screen reader says about changes: at most one text in five seconds, and only the newest one.

const PAUSE_MILLIS = 5_000;

let next = '';
let timer = 0;
let last = -Infinity;

function say() {
    timer = 0;
    last = performance.now();
    document.getElementById('live').textContent = next;
}

export function announce(text) {
    next = text;
    if (timer === 0) {
        timer = setTimeout(say, Math.max(0, last + PAUSE_MILLIS - performance.now()));
    }
}
