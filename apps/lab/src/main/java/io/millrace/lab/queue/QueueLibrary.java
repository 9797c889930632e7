// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Work;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A job queue of one library, and how the library is used.
 *
 * @param description library, mode, calls and settings, documentation
 * @param guarantee what the library promises about a job whose worker dies
 */
record QueueLibrary(Description description, Guarantee guarantee, Opener opener) {

    /** The number of jobs that each worker does at the same time. */
    static final int CONCURRENCY = 20;

    /** Connections: one for each consumer, and some for the producer and the acknowledgements. */
    static final int CONNECTIONS = CONCURRENCY + 4;

    /** What a queue promises about a job whose worker dies. */
    enum Guarantee {
        /** The job is done again. */
        AT_LEAST_ONCE,
        /** The job is lost. */
        AT_MOST_ONCE
    }

    @FunctionalInterface
    interface Opener {

        /**
         * Opens a queue. A worker of the same name may have died: its jobs are done again, after {@code silence} at the
         * latest.
         */
        QueueAdapter open(Target target, Duration silence) throws Exception;
    }

    QueueLibrary(String library, String mode, Guarantee guarantee, String note, String documentation, Opener opener) {
        this(
                new Description(
                        library,
                        mode,
                        note,
                        documentation,
                        guarantee == Guarantee.AT_LEAST_ONCE
                                ? Optional.empty()
                                : Optional.of("at most once: a job whose worker dies is lost")),
                guarantee,
                opener);
    }

    String label() {
        return description.label();
    }

    /** A contender that does {@code work} with this queue. {@code note} is added to the note of the library. */
    JvmContender contender(String note, Work work) {
        var full = new Description(
                description.library(),
                description.mode(),
                description.note() + "; " + note,
                description.documentation(),
                description.unfair());
        return new JvmContender(full, work, List.of(), QueueLibrary::missing);
    }

    private static Optional<String> missing(Target target) {
        return target.cluster()
                        || target.socket().isPresent()
                        || target.certificate().isPresent()
                ? Optional.of("queues are measured over TCP without TLS, on one server")
                : Optional.empty();
    }
}
