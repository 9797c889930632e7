// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;

/** A key and a field that have a template each. */
final class NamedField implements HashPlace {

    private final RowName key;
    private final RowName field;
    private int keyLength;

    NamedField(Target target, String fieldTemplate, ColumnNames names) {
        key = RowName.sharedKey(target, names);
        field = RowName.field(fieldTemplate, names);
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
