// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.BulkWriter;
import io.millrace.client.Scripts;
import java.time.Duration;

/** Writing to keys that go by themselves if nobody comes back for them. */
final class ExpiringKey {

    private ExpiringKey() {}

    /**
     * Writes the first {@code length} of {@code bytes} at {@code offset}, and has the key expire in the same step: also if it was there
     * already, for it may have been deleted meanwhile, and what begins it again must not stay should the line break behind it.
     */
    static void write(BulkWriter writer, byte[] key, long offset, byte[] bytes, int length, Duration kept, long tag) {
        writer.begin(Scripts.EVAL).arg(BitScripts.WRITE_EXPIRING.body()).arg(1).arg(key);
        writer.arg(offset).arg(bytes, 0, length).arg(kept.toMillis()).end(tag);
    }
}
