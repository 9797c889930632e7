// SPDX-License-Identifier: Apache-2.0
// Asks for the token of the server, and trades the token for a cookie that scripts cannot read.

import { signIn } from './api.js';
import { el, field, showProblem, submission } from './dom.js';

/** Shows the form, and calls `done` after the server has accepted the token. */
export function signInForm(main, done) {
    const token = el('input', { type: 'password', autocomplete: 'current-password', required: true, id: 'token' });
    const problem = el('div');
    const submit = submission(async () => {
        showProblem(problem, null);
        try {
            await signIn(token.value);
            done();
        } catch (failure) {
            showProblem(problem, failure);
            token.select();
        }
    });
    document.title = 'Sign in – Millrace';
    main.replaceChildren(el('div', { class: 'signin' },
        el('h1', {}, 'Sign in'),
        el('p', { class: 'muted' }, 'The token is in the file of --token-file, or in the variable MILLRACE_SERVER_TOKEN of the server.'),
        el('form', { onsubmit: submit }, el('input', { type: 'text', value: 'millrace', autocomplete: 'username', hidden: true }),
            field('Token', token), problem, el('button', {}, 'Sign in'))));
    token.focus();
}
