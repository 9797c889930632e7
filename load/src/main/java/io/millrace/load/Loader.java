// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ClientOptions;
import java.util.function.Consumer;

/** Runs load plans. */
public final class Loader {

    private final ClientOptions redis;

    public Loader(ClientOptions redis) {
        this.redis = redis;
    }

    /**
     * Runs {@code plan} on the calling thread and returns its account.
     *
     * @throws PlanException if the plan does not fit its source; nothing was written
     * @throws io.millrace.load.source.SourceException if the source cannot be opened; nothing was written
     * @throws io.millrace.client.RedisException if Redis cannot be reached; nothing was written
     */
    @SuppressWarnings("DoNotCallSuggester")
    public LoadReport run(LoadPlan plan, Consumer<LoadEvent> events) {
        throw new UnsupportedOperationException("run " + plan + " against " + redis + " for " + events);
    }

    /** Asks a running load to stop reading, wait for what is in flight, and report. Returns at once; from any thread. */
    public void stop() {}
}
