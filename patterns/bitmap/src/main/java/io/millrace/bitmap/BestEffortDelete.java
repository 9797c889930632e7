// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.exception.RedisException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Deletes keys that are no longer needed. A failed delete is not reported, because a remaining key does no harm. Such a
 * key either expires, or belongs to a published population. A published population is complete and may stay.
 */
final class BestEffortDelete {

    private BestEffortDelete() {}

    /**
     * Deletes {@code keys} in one step. Does not wait for the reply, because the calling thread may be interrupted or
     * about to throw.
     */
    static void delete(RedisClient client, List<String> keys) {
        try {
            CompletableFuture<Long> unused = client.send(Keys.unlink(keys.toArray(String[]::new)));
        } catch (RedisException e) {
            // The delete was not sent: too many commands are in flight, or the server is unreachable. The keys expire.
            return;
        }
    }
}
