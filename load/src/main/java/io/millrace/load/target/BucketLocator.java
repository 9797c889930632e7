// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.BucketLayout;
import io.millrace.client.BucketLocation;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.util.Optional;

/** The bucket of a row, and its field in the bucket. */
final class BucketLocator implements FieldLocator {

    private final RowName key;
    private final String template;
    private final BucketLayout bucketLayout;
    private final Bytes keyBytes = new Bytes();
    private final BucketLocation location = new BucketLocation();
    private int keyLength;

    BucketLocator(BucketTarget target, ColumnNames names) {
        key = RowName.key(target, names);
        template = target.options().key();
        bucketLayout = target.buckets()
                .layout(Template.parse("key", template).literals().getFirst());
    }

    @Override
    public Optional<Rejection> append(Row row, Bytes out) {
        keyBytes.clear();
        Optional<Rejection> rejection = key.append(row, keyBytes);
        if (rejection.isEmpty()) {
            Optional<String> obstacle = bucketLayout.locate(keyBytes.array(), 0, keyBytes.length(), location);
            if (obstacle.isEmpty()) {
                keyLength = location.bucketLength();
                out.append(location.bytes(), 0, keyLength + location.fieldLength());
                return Optional.empty();
            }
            rejection = Optional.of(new Rejection(
                    Rejection.Reason.KEY_NOT_NUMBERED,
                    "the key has no bucket: key=" + template + " (" + obstacle.get()
                            + "); with pairs=COUNT, every key has a bucket"));
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
