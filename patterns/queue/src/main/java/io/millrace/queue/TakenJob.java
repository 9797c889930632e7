// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.time.Instant;
import java.util.function.Supplier;

/**
 * A job that the server has given to this worker, not decoded yet.
 *
 * @param attempt the number of this attempt, from 1
 * @param failures the number of earlier attempts that failed
 * @param deaths the number of earlier attempts that count as deaths
 * @param payload a function that decodes the payload. If the codec throws an exception, the function throws it too
 */
record TakenJob<T>(String id, int attempt, int failures, int deaths, Instant pushedAt, Supplier<? extends T> payload) {

    /** Returns whether a worker may have died because of this job. A worker runs at most one suspect at a time. */
    boolean suspect() {
        return deaths > 0;
    }

    /** Decodes the payload. */
    Job<T> decode() {
        return new Job<>(id, payload.get(), attempt, pushedAt);
    }
}
