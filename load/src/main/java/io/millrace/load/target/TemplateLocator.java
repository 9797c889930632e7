// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;

/** The hash and the field of a row, each from its own template. */
final class TemplateLocator implements FieldLocator {

    private final RowName key;
    private final RowName field;
    private int keyLength;

    TemplateLocator(RowName key, RowName field) {
        this.key = key;
        this.field = field;
    }

    @Override
    public Optional<Rejection> append(Row row, Bytes out) {
        Optional<Rejection> rejection = key.append(row, out);
        keyLength = out.length();
        return rejection.isPresent() ? rejection : field.append(row, out);
    }

    @Override
    public int keyLength() {
        return keyLength;
    }
}
