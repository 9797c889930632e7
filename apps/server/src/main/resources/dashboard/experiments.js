// SPDX-License-Identifier: Apache-2.0
// Experiments: creates a bitmap of random bits, and shows how many bits are true.

import { postText } from './api.js';
import { el, facts, field, showProblem, submission } from './dom.js';
import * as format from './format.js';
import { announce } from './live.js';

/** A billion bits take a minute on a busy machine. */
const CREATION_MILLIS = 600_000;

/** The members of the request. The server checks the values, so the limits are in one place. */
const FIELDS = [
    { name: 'key', label: 'Key', hint: 'An experiment of the same key is replaced.' },
    { name: 'populationNumber', label: 'Number of bits', hint: 'populationNumber', value: '1000000' },
    { name: 'maxRandom', label: 'Numbers below', hint: 'maxRandom', value: '10' },
    { name: 'lessThan', label: 'True if less than', hint: 'lessThan', value: '3' },
    { name: 'seed', label: 'Seed', hint: 'The same seed gives the same bits.' },
];

export function experiments(main) {
    const fields = FIELDS.map(each => new Field(each));
    const problem = el('div');
    const result = el('div');
    const create = submission(async () => {
        fields.forEach(each => each.showProblem(null));
        showProblem(problem, null);
        result.replaceChildren(el('p', { class: 'note' }, 'The bits are being created.'));
        try {
            const { status, content } = await postText('/experiments/create', body(fields), CREATION_MILLIS);
            showExperiment(result, content, status === 201);
        } catch (failure) {
            result.replaceChildren();
            const wrong = fieldOf(fields, failure);
            if (wrong) {
                wrong.showProblem(failure);
                announce(failure.message);
            } else {
                showProblem(problem, failure);
            }
        }
    });
    main.append(
        el('h2', {}, 'Experiment'),
        el('p', { class: 'muted' }, 'Creates a bitmap of random bits in Redis. A bit is true if its random number is less than the limit.'),
        el('form', { class: 'row top', 'aria-label': 'Create an experiment', novalidate: true, onsubmit: create },
            fields.map(each => each.element), el('button', {}, 'Create')),
        problem, result);
}

/** A field with a hint, and with the problem of its value. */
class Field {
    constructor({ name, label, hint, value = '' }) {
        this.name = name;
        const id = `experiment-${name}`;
        const isNumber = name !== 'key';
        this.problem = el('p', { class: 'wrong', id: `${id}-problem` });
        this.input = el('input', {
            id, value, autocomplete: 'off', spellcheck: 'false', inputmode: isNumber ? 'numeric' : null, 'aria-describedby': `${id}-problem ${id}-hint`,
        });
        this.element = field(label, this.input);
        this.element.append(el('p', { class: 'hint', id: `${id}-hint` }, hint), this.problem);
    }

    /** Moves the focus to the field. The text describes the field, so a screen reader reads the text with the field. */
    showProblem(failure) {
        this.problem.textContent = failure ? `✕ ${failure.message}` : '';
        if (failure) {
            this.input.setAttribute('aria-invalid', 'true');
            this.input.focus();
        } else {
            this.input.removeAttribute('aria-invalid');
        }
    }
}

/** The field whose name comes first in the text of the problem; undefined if the problem is not about a field. */
function fieldOf(fields, failure) {
    const words = failure.status === 400 || failure.status === 413 ? failure.message.split(/\W+/) : [];
    const name = words.find(word => fields.some(each => each.name === word));
    return fields.find(each => each.name === name);
}

/** The request. A field without a text is left out. */
function body(fields) {
    const members = fields.map(({ name, input }) => [name, name === 'key' ? input.value : input.value.trim()])
        .filter(([, text]) => text !== '')
        .map(([name, text]) => `${JSON.stringify(name)}:${name === 'key' ? JSON.stringify(text) : number(text)}`);
    return `{${members.join(',')}}`;
}

/** A whole number of 64 bits as JSON. A number of JavaScript would be rounded. The server refuses any other text. */
function number(text) {
    const isLong = /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
    return isLong ? String(BigInt(text)) : JSON.stringify(text);
}

function showExperiment(place, experiment, isNew) {
    const about = facts(['Key', 'True bits', 'Bits', 'Share', 'Memory of Redis']);
    about.set('Key', experiment.key);
    about.set('True bits', format.count(experiment.count));
    about.set('Bits', format.count(experiment.bits));
    about.set('Share', format.percent(experiment.count / experiment.bits));
    about.set('Memory of Redis', format.bytes(experiment.bytes));
    place.replaceChildren(el('div', { class: 'card' },
        el('h3', {}, isNew ? 'The experiment is created' : 'The experiment is replaced'), about.element));
    announce(`The experiment has ${format.count(experiment.count)} true bits of ${format.count(experiment.bits)}.`);
}
