// SPDX-License-Identifier: Apache-2.0
// The report as this page needs it. It may come from anywhere: each field is looked at before it is believed.
'use strict';

function number(value) {
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function words(value) {
    return typeof value === 'string' && value.trim() !== '' ? value : null;
}

function object(value) {
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}

function objects(value) {
    return Array.isArray(value) ? value.filter(one => one !== null && typeof one === 'object').map(object) : [];
}

function numbers(value) {
    return Array.isArray(value) ? value.map(number).filter(one => one !== null) : [];
}

function least(values) {
    return values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));
}

function greatest(values) {
    return values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
}

function positive(values) {
    return values.filter(value => value !== null && value > 0);
}

/** A map from each key to its members, both in the order in which they come. */
function groupedBy(members, keyOf) {
    const groups = new Map();
    for (const member of members) {
        const key = keyOf(member);
        groups.set(key, [...(groups.get(key) ?? []), member]);
    }
    return groups;
}

function readReport(raw) {
    const report = object(raw);
    return {
        environment: object(report.environment),
        results: objects(report.results).map(readResult),
        missing: objects(report.missing),
        curves: objects(report.curves).map(readCurve),
        scenarios: objects(report.scenarios).map(readScenario),
        settings: objects(report.settings).filter(setting => words(setting.text) !== null),
    };
}

function readResult(raw) {
    const operations = number(raw.operations);
    const walls = positive(numbers(raw.wallSeconds));
    const median = number(raw.medianWallSeconds);
    const failure = words(raw.failure);
    return {
        experiment: words(raw.experiment) ?? 'without a name',
        variant: words(raw.variant) ?? 'without a name',
        contender: words(raw.contender) ?? 'without a name',
        rttMillis: Math.max(0, number(raw.rttMillis) ?? 0),
        operations,
        fastestWall: least(walls),
        slowestWall: greatest(walls),
        medianWall: median,
        rate: number(raw.operationsPerSecond) ?? perSecond(operations, median),
        lowestRate: perSecond(operations, greatest(walls)),
        highestRate: perSecond(operations, least(walls)),
        idealRate: perSecond(operations, number(raw.idealSeconds)),
        ...readFigures(object(raw.figures)),
        ...readCosts(raw),
        verified: typeof raw.verified === 'boolean' ? raw.verified : null,
        failure,
        failed: failure !== null || raw.verified === false,
        outcomes: readOutcomes(raw.outcomes),
        unfair: words(raw.unfair),
        note: readNote(raw, failure),
        remark: words(raw.remark),
        trace: readTrace(raw.trace, operations),
        seconds: objects(raw.seconds).map(readSecond).filter(second => second.second !== null)
            .sort((a, b) => a.second - b.second),
    };
}

/** What only some experiments have. */
function readFigures(figures) {
    return {
        bytesPerPair: number(figures['bytes per pair']),
        bytes: number(figures.bytes),
        estimatedBytes: number(figures['estimated bytes']),
        countMicros: number(figures['count us']),
        computations: number(figures.computations),
        medianNanos: number(figures['median ns']),
        slowNanos: number(figures['99 % ns']),
        lastMillis: number(figures['last after expiry ms']) ?? number(figures['last answer ms']),
        texts: number(figures.texts),
        medianMillis: number(figures['median ms']),
    };
}

/** Without what is said elsewhere: how busy the server was, and what failed. */
function readNote(raw, failure) {
    const shown = [
        number(raw.serverBusy) === null ? null : /; server busy [\d.]+ of the wall time/,
        failure === null ? null : '; FAILED: ' + failure,
    ].filter(part => part !== null);
    return words(shown.reduce((note, part) => note.replace(part, ''), words(raw.note) ?? ''));
}

function readCosts(raw) {
    return {
        userSeconds: number(raw.userSeconds),
        systemSeconds: number(raw.systemSeconds),
        cpuPercent: number(raw.cpuPercent),
        cpuMicros: number(raw.cpuMicrosPerOperation),
        serverBusy: number(raw.serverBusy),
        factor: number(raw.factor),
        idealSeconds: number(raw.idealSeconds),
    };
}

/** When what happened, in seconds: pairs of lists, of moments and of tasks so far. */
function readTrace(raw, operations) {
    const trace = object(raw);
    const produced = seconds(trace.producedMillis);
    const consumed = seconds(trace.consumedMillis);
    const perMark = number(trace.tasksPerMark);
    return produced.length === 0 || consumed.length === 0 || perMark === null || operations === null ? null : {
        produced: [produced, produced.map((_, index) => operations * (index + 1) / produced.length)],
        consumed: [consumed, consumed.map((_, index) => Math.min(operations, perMark * (index + 1)))],
    };
}

/** Moments in milliseconds, of which none may come before the one before. */
function seconds(millis) {
    return positive(numbers(millis)).sort((a, b) => a - b).map(one => one / 1000);
}

function readScenario(raw) {
    const waits = numbers(raw.consumeMillis);
    return {
        name: words(raw.name) ?? 'without a name',
        producers: number(raw.producers),
        consumers: number(raw.consumers),
        batch: number(raw.batch),
        seed: number(raw.seed),
        idealSeconds: number(raw.idealSeconds),
        produceMillis: number(raw.produceMillis),
        tasks: waits.length,
        shortest: least(waits),
        longest: greatest(waits),
    };
}

function perSecond(operations, seconds) {
    return operations === null || seconds === null || seconds <= 0 ? null : operations / seconds;
}

const OUTCOMES = [
    ['ok', 'ok'],
    ['error', 'error replies'],
    ['timedOut', 'timed out'],
    ['refused', 'refused'],
    ['lost', 'lost'],
];

/** Pairs of an outcome's name and how many had it; empty if it is not known. */
function readOutcomes(raw) {
    return OUTCOMES.map(([field, name]) => [name, number(object(raw)[field])]).filter(([, count]) => count !== null);
}

function allOk(result) {
    return result.outcomes.every(([name, count]) => name === 'ok' || count === 0);
}

const SECOND_FIELDS =
    ['second', 'iterations', 'ok', 'error', 'timedOut', 'refused', 'lost', 'pending', 'serverCommands'];

function readSecond(raw) {
    return Object.fromEntries(SECOND_FIELDS.map(field => [field, number(raw[field])]));
}

function readCurve(raw) {
    const points = objects(raw.points).map(readPoint).filter(point => point.value !== null && point.median !== null);
    return {
        experiment: words(raw.experiment) ?? 'e8',
        title: words(raw.title) ?? words(raw.name) ?? 'without a name',
        parameter: words(raw.parameter) ?? words(raw.name) ?? 'value',
        rttMillis: Math.max(0, number(raw.rttMillis) ?? 0),
        fixed: Object.entries(object(raw.fixed)),
        points: points.sort((a, b) => a.value - b.value),
        best: number(raw.best),
        knee: number(raw.knee),
        recommended: number(raw.recommended),
        bottleneck: words(raw.bottleneck),
        why: words(raw.why),
    };
}

function readPoint(raw) {
    const rates = numbers(raw.operationsPerSecond);
    const median = number(raw.median);
    return {
        value: number(raw.value),
        median,
        low: least(rates) ?? median,
        high: greatest(rates) ?? median,
        cpuMicros: number(raw.cpuMicrosPerOperation),
        serverBusy: number(raw.serverBusy),
        limit: words(raw.limit),
    };
}

/** What ran without failing, was checked, left no command without its reply, and had no advantage that others had not. */
function mayWin(result) {
    return !result.failed && result.verified === true && allOk(result) && result.unfair === null && result.rate !== null;
}

/** A difference as small as this, a hundredth, is one of the day and not of the contenders. */
const NEARLY = 1.01;

/** The fastest of those that may win, and whoever is nearly as fast, if there is more than one to compare. */
function fastest(results) {
    const able = results.length < 2 ? [] : results.filter(mayWin);
    const best = least(able.map(secondsEach));
    return able.filter(one => secondsEach(one) <= best * NEARLY);
}

/** By the time if there is one: a rate is a whole number, which is coarse where operations take long. */
function secondsEach(result) {
    return result.medianWall > 0 && result.operations > 0 ? result.medianWall / result.operations : 1 / result.rate;
}
