// SPDX-License-Identifier: Apache-2.0
// The document is built here, and text only ever becomes text.
'use strict';

/** An element with class names, attributes and children; a child that is no node becomes a text node, null is left out. */
function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes ?? {})) {
        if (value !== null) {
            made.setAttribute(key, value);
        }
    }
    made.append(...children.flat(Infinity).filter(child => child !== null));
    return made;
}

function paragraph(className, ...children) {
    return element('p', {class: className}, ...children);
}

function button(label, press) {
    const made = element('button', {type: 'button'}, label);
    made.addEventListener('click', () => press(made));
    return made;
}

/** Pairs of a name and what it stands for; those without a value are left out. */
function definitions(pairs) {
    const known = pairs.filter(([, value]) => value !== null && value !== '');
    return element('dl', {}, known.map(([name, value]) =>
        element('div', {}, element('dt', {}, name), element('dd', {}, value))));
}
