// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.millrace.lab.server.Keyspace;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A job queue in Redis, as one library offers the queue. Used by one thread; the handlers run on other threads. */
interface QueueAdapter extends AutoCloseable {

    /** The list of the waiting jobs. The braces keep all keys of a queue in one hash slot. */
    String NAME = Keyspace.PREFIX + "{queue}";

    /** The list of the taken jobs, for libraries that leave the choice of this list to the program. */
    String TAKEN = NAME + ":taken";

    /** The stream, for libraries that use one. */
    String STREAM = NAME + ":stream";

    String GROUP = "workers";

    /** The field of a stream entry that holds the job. */
    String FIELD = "job";

    /** The job of a stream entry. */
    static String jobOf(Map<String, String> fields) {
        return Objects.requireNonNull(fields.get(FIELD), () -> "an entry without a job: fields=" + fields.keySet());
    }

    /** Does one job. A job that ends with an exception has failed. */
    @FunctionalInterface
    interface Handler {
        void handle(String job) throws Exception;
    }

    /** Pushes one job. Returns when Redis has the job. */
    void push(String job) throws Exception;

    /** Pushes many jobs, in order. Not measured. */
    void pushAll(List<String> jobs) throws Exception;

    /** Starts to do jobs, {@code concurrency} at the same time. */
    Consumers start(int concurrency, Handler handler) throws Exception;

    /** Running consumers. {@link #close} returns when no job runs any more. */
    interface Consumers extends AutoCloseable {

        /** Number of jobs that were done, and whose acknowledgement Redis has confirmed. */
        long done();

        /** Throws the first failure of a consumer, if there is one. */
        void check() throws Exception;
    }
}
