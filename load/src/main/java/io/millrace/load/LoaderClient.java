// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import org.jspecify.annotations.Nullable;

/**
 * The client of a loader. Each run opens a client and closes it, or uses the client that the caller lends.
 *
 * @param borrowed the client of the caller, which the loader never closes; null if each run opens a client
 */
record LoaderClient(ClientOptions options, @Nullable RedisClient borrowed) {

    /** The client of one run. {@link #close} closes a client that was opened for the run. */
    record OfRun(RedisClient client, boolean owned) implements AutoCloseable {
        @Override
        public void close() {
            if (owned) {
                client.close();
            }
        }
    }

    /** Returns the client for one run. Blocks while it connects, if the run needs a client of its own. */
    OfRun open() {
        return borrowed != null ? new OfRun(borrowed, false) : new OfRun(RedisClient.connect(options), true);
    }
}
