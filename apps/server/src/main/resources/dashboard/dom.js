// SPDX-License-Identifier: Apache-2.0
// Builds elements. Text is always text: no function of this page parses HTML.

/** Creates an element. Attributes that begin with `on` are listeners; true and false set and leave out an attribute. */
export function el(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith('on')) {
            element.addEventListener(name.slice(2), value);
        } else if (value === true) {
            element.setAttribute(name, '');
        } else if (value !== false && value != null) {
            element.setAttribute(name, value);
        }
    }
    element.append(...children.flat().filter(child => child != null && child !== false));
    return element;
}

/** Creates an element of SVG. */
export function svg(tag, attributes, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
}

/** Sets a text, and leaves an unchanged text alone, so that a selection by the mouse stays. */
export function setText(element, text) {
    if (element.textContent !== text) {
        element.textContent = text;
    }
}

/**
 * A table in a frame that scrolls sideways. Columns are texts, or {title, number} for numbers. The first cell of a row is its
 * header. A cell is a text, an element, or a `td` that stays as it is.
 */
export function table(caption, columns, rows, options = {}) {
    const kinds = columns.map(column => (typeof column === 'string' ? { title: column } : column));
    const head = el('tr', {}, kinds.map(kind => el('th', { scope: 'col', class: kind.number ? 'number' : null }, kind.title)));
    const body = rows.map(cells => el('tr', {}, cells.map((cell, i) => {
        if (cell instanceof HTMLTableCellElement) {
            return cell;
        }
        const attributes = { class: kinds[i].number ? 'number' : kinds[i].text ? 'text' : null };
        return i === 0 ? el('th', { scope: 'row', ...attributes }, cell) : el('td', attributes, cell);
    })));
    return scrolling(caption, el('table', { class: options.class ?? 'wide' },
        el('caption', {}, caption), el('thead', {}, head), el('tbody', {}, body)), options.tall);
}

/** A frame that the keyboard can scroll. */
export function scrolling(label, content, tall = false) {
    return el('div', { class: tall ? 'scrolling tall' : 'scrolling', tabindex: '0', role: 'region', 'aria-label': label }, content);
}

/** A list of names and values that change. Returns the element and a function that sets a value. */
export function facts(names, style = 'facts') {
    const values = new Map(names.map(name => [name, el('dd', {}, '–')]));
    const items = names.map(name => el('div', { class: style === 'tiles' ? 'tile' : null }, el('dt', {}, name), values.get(name)));
    return { element: el('dl', { class: style }, items), set: (name, text) => setText(values.get(name), text) };
}

/** A labelled field of a form. */
export function field(label, input, check = false) {
    input.id ||= `field-${label.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
    const caption = el('label', { for: input.id }, label);
    return el('div', { class: check ? 'field check' : 'field' }, check ? [input, caption] : [caption, input]);
}

/** A listener of a form. Ignores a second submission until `action` has ended: a reader may press Enter twice. */
export function submission(action) {
    let busy = false;
    return async event => {
        event.preventDefault();
        if (busy) {
            return;
        }
        busy = true;
        try {
            await action();
        } finally {
            busy = false;
        }
    };
}

/**
 * Shows a problem below the place where the problem was caused. Replaces an earlier one. An equal problem stays, because a
 * screen reader reads each new one.
 */
export function showProblem(place, failure) {
    const shown = place.childElementCount === 1 && place.firstElementChild.className === 'problem';
    if (failure && shown && place.textContent === `${failure.title} ${failure.message}`) {
        return;
    }
    place.replaceChildren(...(failure ? [el('p', { class: 'problem', role: 'alert' }, el('strong', {}, `${failure.title} `), failure.message)] : []));
}

/** Asks before something is lost. Resolves to whether the user has confirmed. */
export function confirmed(question, action) {
    return new Promise(resolve => {
        const dialog = el('dialog', { 'aria-labelledby': 'question' },
            el('p', { id: 'question' }, question),
            el('form', { method: 'dialog', class: 'buttons' },
                el('button', { value: 'yes', class: 'danger' }, action),
                el('button', { value: 'no', class: 'plain', autofocus: true }, 'Cancel')));
        dialog.addEventListener('close', () => {
            dialog.remove();
            resolve(dialog.returnValue === 'yes');
        });
        document.body.append(dialog);
        dialog.showModal();
    });
}
