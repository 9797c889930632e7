// SPDX-License-Identifier: Apache-2.0
// One load: its progress while it runs, and then its account, its rejected rows and its report.

import { get, getLines } from './api.js';
import { el, facts, showProblem, table } from './dom.js';
import * as format from './format.js';
import { announce } from './live.js';
import { LoadCard } from './loadcard.js';
import { mark, tone } from './loads.js';

const SHOWN_REJECTS = 100;
const RETRY_MILLIS = 5_000;

export function showLoad(main, heading, id) {
    heading.textContent = `Load ${id}`;
    const content = el('div');
    main.append(el('p', {}, el('a', { href: '#loads' }, 'All loads')), content);
    let card = null;
    let closed = false;
    let retry = 0;

    async function show() {
        try {
            const load = await get(`/loads/${encodeURIComponent(id)}`);
            if (closed) {
                return;
            }
            if (load.state === 'running') {
                card = new LoadCard(load, 'h2', ended);
                content.replaceChildren(card.element);
            } else {
                await showEnded(content, load);
            }
        } catch (failure) {
            if (!closed) {
                showProblem(content, failure);
                if (failure.status !== 404) {
                    retry = setTimeout(show, RETRY_MILLIS); // for example, the server starts again
                }
            }
        }
    }

    function ended(load) {
        card?.close();
        card = null;
        announce(`Load ${load.id} of ${load.job} has ended: ${load.state}.`);
        show();
    }

    show();
    return () => {
        closed = true;
        clearTimeout(retry);
        card?.close();
    };
}

/** The answer of a request, or null if the server has not kept the resource. */
function kept(answer) {
    return answer.catch(failure => (failure.status === 404 ? null : Promise.reject(failure)));
}

async function showEnded(content, load) {
    const report = load.state === 'cut' ? null : await kept(get(`/loads/${load.id}/report`));
    const rejects = await kept(getLines(`/loads/${load.id}/rejects`));
    const account = facts(['Job', 'Started', 'Time', 'Rows per second', 'Read', 'Written', 'Rejected', 'Skipped', 'Unconfirmed', 'Verified']);
    account.set('Job', load.job + (load.dryRun ? ' (dry run)' : ''));
    account.set('Started', format.moment(new Date(load.started)));
    if (report) {
        showAccount(account, report);
    }
    content.replaceChildren(
        el('p', { class: `state ${tone(load.state)}` }, mark(load.state), load.state),
        load.problem ? el('p', { class: 'problem' }, load.problem) : '',
        account.element,
        el('h2', {}, 'Rejected rows'),
        rejectsTable(load, rejects),
        report ? el('details', {}, el('summary', {}, 'Report as JSON'), el('pre', { tabindex: '0' }, JSON.stringify(report, null, 2)))
            : el('p', { class: 'muted' }, load.state === 'cut' ? 'The load was cut, so it has no report.' : 'The report was not kept.'));
}

function showAccount(account, report) {
    const { rows, seconds } = report;
    account.set('Time', format.seconds(seconds));
    account.set('Rows per second', seconds > 0 ? format.rate(rows.read / seconds) : '–');
    account.set('Read', format.count(rows.read));
    account.set('Written', format.count(rows.written));
    account.set('Rejected', format.count(rows.rejected));
    account.set('Skipped', format.count(rows.skipped));
    account.set('Unconfirmed', format.count(rows.unconfirmed));
    if (report.verified) {
        account.set('Verified', `${format.count(report.verified.checked)} rows, ${format.count(report.verified.mismatched)} differ`);
    }
}

function rejectsTable(load, rejects) {
    if (rejects === null) {
        return el('p', { class: 'muted' }, 'The rejected rows were not kept.');
    }
    if (rejects.length === 0) {
        return el('p', { class: 'muted' }, 'No row was rejected.');
    }
    const hasMessages = rejects.some(each => each.message !== null); // only with millrace.server.show-values
    const shown = rejects.slice(0, SHOWN_REJECTS)
        .map(each => [String(each.row), String(each.line), each.key, each.reason, ...(hasMessages ? [each.message ?? ''] : [])]);
    const columns = ['Row', 'Line', 'Key', 'Reason', ...(hasMessages ? [{ title: 'Message', text: true }] : [])];
    return el('div', {},
        table(`First rejected rows: ${format.count(shown.length)}`, columns, shown),
        el('p', {}, el('a', { href: `/loads/${load.id}/rejects` }, 'All remembered rejected rows as NDJSON')));
}
