// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.Packing;
import io.millrace.client.PairPlace;
import io.millrace.load.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;

/** The hash and the field that a pair is packed into. */
final class PackedField implements HashPlace {

    private final RowName key;
    private final String template;
    private final Packing packing;
    private final Bytes keyBytes = new Bytes();
    private final PairPlace place = new PairPlace();
    private int keyLength;

    PackedField(Target target, Bucket bucket, ColumnNames names) {
        key = RowName.key(target, names);
        template = target.key();
        packing = bucket.packing(Template.parse("key", template).literals().getFirst());
    }

    @Override
    public Optional<Rejection> append(Row row, Bytes out) {
        keyBytes.clear();
        Optional<Rejection> rejection = key.append(row, keyBytes);
        if (rejection.isEmpty()) {
            Optional<String> hindrance = packing.locate(keyBytes.array(), 0, keyBytes.length(), place);
            if (hindrance.isEmpty()) {
                keyLength = place.hashLength();
                out.append(place.bytes(), 0, keyLength + place.fieldLength());
                return Optional.empty();
            }
            rejection = Optional.of(new Rejection(
                    Rejection.Reason.KEY_NOT_NUMBERED,
                    "no place for this key: key=" + template + " (" + hindrance.get()
                            + "); with pairs=COUNT there is one for any key"));
        }
        out.append(keyBytes.array(), 0, keyBytes.length());
        keyLength = keyBytes.length();
        return rejection;
    }

    @Override
    public int keyLength() {
        return keyLength;
    }
}
