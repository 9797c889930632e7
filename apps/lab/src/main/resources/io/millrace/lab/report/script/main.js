// SPDX-License-Identifier: Apache-2.0
// Reads the report out of the page and builds the page from it.
'use strict';

function summary(report) {
    const {results} = report;
    const contenders = new Set(results.map(result => result.contender)).size;
    const parts = [counted(results.length, 'result', 'results') + ' of ' + counted(contenders, 'contender', 'contenders')];
    const failed = results.filter(result => result.failed).length;
    const unfair = results.filter(result => result.unfair !== null).length;
    if (report.curves.length > 0) {
        parts.push(counted(report.curves.length, 'curve', 'curves'));
    }
    parts.push(failed === 0 ? 'none failed' : whole(failed) + ' failed or not verified');
    if (unfair > 0) {
        parts.push(whole(unfair) + ' called unfair');
    }
    const missing = new Set(report.missing.map(one => one.contender)).size;
    if (missing > 0) {
        parts.push(counted(missing, 'contender', 'contenders') + ' missing');
    }
    return parts.join(', ') + '.';
}

function header(report) {
    const {environment} = report;
    const where = [words(environment.date)?.replace('T', ' ').replace('Z', ' UTC') ?? null, words(environment.cpu), coresText(environment),
        words(environment.server) === null ? null : (/^\d/.test(environment.server) ? 'Redis ' : '') + environment.server].filter(part => part !== null);
    return element('header', {},
        element('h1', {}, 'Millrace lab'),
        where.length === 0 ? null : paragraph('where', where.join(' · ')),
        paragraph('summary', summary(report)),
        element('nav', {'aria-label': 'Experiments'}, [...experimentNames(report).map(name =>
            element('a', {href: '#' + anchorOf(name, report)}, titleOf(name))),
            element('a', {href: '#environment'}, 'Environment')]));
}

function coresText(environment) {
    const cores = number(environment.cores);
    return cores === null ? null : counted(cores, 'core', 'cores');
}

function environmentSection(report) {
    const {environment} = report;
    const versions = Object.entries(object(environment.versions)).map(([name, version]) => [name, String(version)]);
    return element('section', {class: 'experiment', id: 'environment'},
        element('h2', {}, 'Environment'),
        definitions([
            ['date', words(environment.date)], ['processor', words(environment.cpu)], ['cores', coresText(environment)],
            ['Java', words(environment.java)], ['server', words(environment.server)], ['commit', words(environment.commit)],
        ]),
        words(environment.command) === null ? null : [element('h3', {}, 'Command'), copyable(environment.command)],
        versions.length === 0 ? null : [element('h3', {}, 'Versions'), definitions(versions)],
        proxySection(objects(environment.proxy)),
        missingSection(report.missing));
}

function proxySection(proxies) {
    if (proxies.length === 0) {
        return null;
    }
    const columns = [
        {head: 'round trip wanted, ms', cell: proxy => figure(number(proxy.rttMillis))},
        {head: 'added, ms', cell: proxy => fixed(number(proxy.addedMillis), 3)},
        {head: 'without the proxy, ms', cell: proxy => fixed(number(proxy.directMillis), 3)},
    ];
    return [
        element('h3', {}, 'Latency proxy'),
        paragraph('caption', 'Measured before the run: what the proxy adds to a round trip.'),
        scrolling(element('table', {class: 'proxy'}, headOf(columns), element('tbody', {}, proxies.map(proxy => rowOf(columns, proxy))))),
    ];
}

/** A contender that is missing in several experiments for one reason is named once. */
function missingSection(missing) {
    const reasons = [...groupedBy(missing, one => JSON.stringify([one.contender, one.why])).values()];
    return missing.length === 0 ? null : [
        element('h3', {}, 'Not measured'),
        element('ul', {class: 'missing'}, reasons.map(same => element('li', {},
            element('strong', {}, words(same[0].contender) ?? 'without a name'),
            experimentsText(same), ': ', words(same[0].why) ?? 'no reason given'))),
    ];
}

function experimentsText(missing) {
    const names = [...new Set(missing.map(one => words(one.experiment)).filter(name => name !== null))];
    return names.length === 0 ? '' : ' (' + names.join(', ') + ')';
}

function jsonSection(text) {
    const shown = element('pre', {tabindex: '0'});
    const details = element('details', {}, element('summary', {}, 'The JSON of this report'),
        button('Download', () => download(text)), shown);
    details.addEventListener('toggle', () => {
        shown.textContent = JSON.stringify(JSON.parse(text), null, 2);
    }, {once: true});
    return element('section', {class: 'experiment json'}, details);
}

function download(text) {
    const address = URL.createObjectURL(new Blob([text], {type: 'application/json'}));
    const link = element('a', {href: address, download: 'millrace-lab.json'});
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function colourSwatches() {
    document.querySelectorAll('[data-colour]').forEach(mark =>
        mark.style.setProperty('--own', `var(--${mark.dataset.colour})`));
}

function show() {
    const text = document.getElementById('report').textContent;
    const report = readReport(JSON.parse(text));
    const paletteName = paletteOf(report.results.map(result => result.contender));
    document.title = ['Millrace lab', words(report.environment.date)?.slice(0, 10)].filter(Boolean).join(', ');
    document.getElementById('page').replaceChildren(
        header(report),
        ...experimentNames(report).map(name => experimentSection(name, report, paletteName)),
        // Settings that belong to no curve are shown all the same.
        ...(report.curves.length === 0 ? [settingsBlock(report.settings)].filter(block => block !== null) : []),
        environmentSection(report),
        jsonSection(text));
    colourSwatches();
    drawWaiting();
}

show();
