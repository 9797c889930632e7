// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Keys that nobody needs any more. What cannot be deleted now has an expiry, or is whole. */
final class Leftovers {

    private Leftovers() {}

    /** Has {@code keys} deleted in one step, without waiting for it: the calling thread may be interrupted, or about to throw. */
    static void delete(RedisClient client, List<String> keys) {
        try {
            CompletableFuture<Long> unused = client.send(Keys.unlink(keys.toArray(String[]::new)));
        } catch (RedisException e) {
            // There is no place for it, or no server: then it expires.
            return;
        }
    }
}
