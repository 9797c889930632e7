// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Work;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

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

    /** All libraries, those with the stronger guarantee first. */
    static final List<QueueLibrary> ALL = List.of(
            JedisQueue.LIST,
            SpringQueue.TWO_LISTS,
            SpringQueue.STREAM_LISTENER,
            RedissonQueue.TWO_DEQUES,
            RedissonQueue.STREAM_SINGLE,
            RedissonQueue.STREAM_BATCH,
            MillraceQueue.WORKER,
            SpringQueue.ONE_LIST,
            RedissonQueue.BLOCKING_QUEUE);

    /** Queues that the lab cannot measure, with the reason. */
    static final List<JvmContender> MISSING = List.of(
            missing(
                    "redisson",
                    "reliable-queue",
                    "https://github.com/redisson/redisson/blob/redisson-4.7.0/docs/data-and-services/queues.md",
                    "RReliableQueue is only in Redisson PRO, which needs a licence"),
            missing(
                    "jobrunr",
                    "",
                    "https://github.com/jobrunr/jobrunr/releases/tag/v8.0.0",
                    "JobRunr has had no storage in Redis since version 8.0"));

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

    private static JvmContender missing(String library, String mode, String documentation, String reason) {
        Work none = context -> {
            throw new UnsupportedOperationException(reason);
        };
        return new JvmContender(
                new Description(library, mode, "", documentation), none, List.of(), target -> Optional.of(reason));
    }

    String label() {
        return description.label();
    }

    /** Labels of the queues with the guarantee of Millrace, without Millrace. */
    static List<String> reliablePeers() {
        return ALL.stream()
                .filter(library -> library.guarantee == Guarantee.AT_LEAST_ONCE && library != MillraceQueue.WORKER)
                .map(QueueLibrary::label)
                .toList();
    }

    static QueueLibrary named(String label) {
        return ALL.stream()
                .filter(library -> library.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such queue: label=" + label + ". There are: "
                        + ALL.stream().map(QueueLibrary::label).toList()));
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

    /** A contender for each queue, and the queues that cannot be measured. */
    static List<JvmContender> contenders(List<QueueLibrary> libraries, String note, Function<QueueLibrary, Work> work) {
        return Stream.concat(
                        libraries.stream().map(library -> library.contender(note, work.apply(library))),
                        MISSING.stream())
                .toList();
    }

    private static Optional<String> missing(Target target) {
        return target.cluster()
                        || target.socket().isPresent()
                        || target.certificate().isPresent()
                ? Optional.of("queues are measured over TCP without TLS, on one server")
                : Optional.empty();
    }
}
