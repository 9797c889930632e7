// SPDX-License-Identifier: Apache-2.0
// Tables of results, with footnotes.
'use strict';

function scrolling(table) {
    return element('div', {class: 'scrolling', tabindex: '0', role: 'region', 'aria-label': 'table'}, table);
}

/**
 * Columns are `{head, cell, text, wanted}`: how a row's cell reads, whether it is text or figures, and, where not every table needs
 * it, which rows do.
 */
function headOf(columns) {
    return element('thead', {}, element('tr', {}, columns.map(column =>
        element('th', {scope: 'col', class: column.text ? 'text' : null}, column.head))));
}

function isWanted(column, rows) {
    return column.wanted === undefined || rows.some(column.wanted);
}

function rowOf(columns, row) {
    return element('tr', {}, columns.map(column => element('td', {class: column.text ? 'text' : null}, column.cell(row))));
}

function resultTable(results, paletteName) {
    const notes = [];
    const columns = resultColumns(results);
    const groups = [...groupedBy(results, result => result.variant)];
    const bodies = groups.map(([variant, members]) => {
        const winners = fastest(members);
        return element('tbody', {}, variantRow(variant, columns.length + 1), members.map(result => {
            const row = rowOf(columns, result);
            row.prepend(element('th', {scope: 'row', class: 'text contender'},
                swatch(paletteName(result.contender)), result.contender, noteMarks(result, notes)));
            row.className = [result.failed ? 'failed' : '', winners.includes(result) ? 'fastest' : ''].join(' ').trim();
            return row;
        }));
    });
    const table = element('table', {class: 'results'},
        headOf([{head: 'variant and contender', text: true}, ...columns]), bodies);
    return [scrolling(table), footnotes(notes)];
}

function variantRow(variant, width) {
    return element('tr', {class: 'variant'},
        element('th', {scope: 'rowgroup', colspan: String(width), class: 'text'}, element('span', {}, variant)));
}

function resultColumns(results) {
    const columns = [
        {head: 'operations/s', cell: result => element('span', {class: 'rate'}, figure(result.rate))},
        {head: 'factor', wanted: result => result.factor !== null, cell: result => result.factor === null ? NOT_KNOWN : fixed(result.factor, 2) + '×'},
        {head: 'verified', text: true, cell: verdictText},
        {head: 'outcomes', text: true, wanted: result => !allOk(result), cell: outcomeCell},
        {head: 'operations', cell: result => whole(result.operations)},
        {head: 'median s', cell: result => fixed(result.medianWall, 3)},
        {head: 'spread s', cell: result => fromTo(result.fastestWall, result.slowestWall, value => fixed(value, 3))},
        {head: 'ideal s', wanted: result => result.idealSeconds !== null, cell: result => fixed(result.idealSeconds, 3)},
        {head: 'over ideal %', wanted: result => overIdeal(result) !== null, cell: result => fixed(overIdeal(result), 1)},
        {head: 'ns/task', wanted: isOverhead, cell: result => isOverhead(result) ? figure(nanosPerTask(result)) : NOT_KNOWN},
        {head: 'bytes/pair', wanted: result => result.bytesPerPair !== null, cell: result => fixed(result.bytesPerPair, 1)},
        {head: 'computations', wanted: result => result.computations !== null, cell: result => whole(result.computations)},
        {head: 'median µs', wanted: result => result.medianNanos !== null, cell: result => result.medianNanos === null ? NOT_KNOWN : figure(result.medianNanos / 1000)},
        {head: '99 % µs', wanted: result => result.slowNanos !== null, cell: result => result.slowNanos === null ? NOT_KNOWN : figure(result.slowNanos / 1000)},
        {head: 'texts', wanted: result => result.texts !== null, cell: result => whole(result.texts)},
        {head: 'median ms', wanted: result => result.medianMillis !== null, cell: result => figure(result.medianMillis)},
        {head: 'last ms', wanted: result => result.lastMillis !== null, cell: result => figure(result.lastMillis)},
        {head: 'bytes', wanted: result => result.bytes !== null, cell: result => whole(result.bytes)},
        {head: 'estimated bytes', wanted: result => result.estimatedBytes !== null, cell: result => whole(result.estimatedBytes)},
        {head: 'µs/count', wanted: result => result.countMicros !== null, cell: result => figure(result.countMicros)},
        {head: 'user s', cell: result => fixed(result.userSeconds, 2)},
        {head: 'system s', cell: result => fixed(result.systemSeconds, 2)},
        {head: 'CPU %', wanted: result => result.cpuPercent !== null, cell: result => fixed(result.cpuPercent, 0)},
        {head: 'CPU µs/op', cell: result => fixed(result.cpuMicros, 2)},
        {head: 'server busy', wanted: result => result.serverBusy !== null, cell: result => fixed(result.serverBusy, 2)},
    ];
    return columns.filter(column => isWanted(column, results));
}

function outcomeCell(result) {
    if (result.outcomes.length === 0) {
        return NOT_KNOWN;
    }
    return allOk(result) ? 'all ok' : element('span', {class: 'outcomes'},
        result.outcomes.filter(([, count]) => count > 0).map(([name, count]) => whole(count) + ' ' + name).join(', '));
}

function verdictText(result) {
    if (result.failure !== null) {
        return 'failed';
    }
    return result.verified === null ? NOT_KNOWN : result.verified ? 'yes' : 'no';
}

/** The numbers of a result's footnotes; equal ones are said once. */
function noteMarks(result, notes) {
    const own = [
        result.failure === null ? null : 'Failed: ' + result.failure,
        result.unfair === null ? null : 'Unfair: ' + result.unfair,
        result.note,
    ].filter(note => note !== null).map(sentence);
    own.filter(note => !notes.includes(note)).forEach(note => notes.push(note));
    return own.length === 0 ? null : element('sup', {}, own.map(note => notes.indexOf(note) + 1).join(', '));
}

function footnotes(notes) {
    return notes.length === 0 ? null : element('ol', {class: 'footnotes'}, notes.map(note => element('li', {}, note)));
}
