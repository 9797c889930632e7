// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.queue.QueueLibrary.Guarantee;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** All job queues that the lab measures, and those that cannot be measured. */
final class QueueLibraries {

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

    /** The fastest queue with the guarantee of Millrace, without Millrace, by the scenario {@code empty-jobs}. */
    static final QueueLibrary FASTEST_RELIABLE_PEER = RedissonQueue.STREAM_BATCH;

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

    private static JvmContender missing(String library, String mode, String documentation, String reason) {
        Work none = context -> {
            throw new UnsupportedOperationException(reason);
        };
        return new JvmContender(
                new Description(library, mode, "", documentation), none, List.of(), target -> Optional.of(reason));
    }

    /** Labels of the queues with the guarantee of Millrace, without Millrace. */
    static List<String> reliablePeers() {
        return ALL.stream()
                .filter(library ->
                        library.guarantee() == Guarantee.AT_LEAST_ONCE && !library.equals(MillraceQueue.WORKER))
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

    /** A contender for each queue, and the queues that cannot be measured. */
    static List<JvmContender> contenders(List<QueueLibrary> libraries, String note, Function<QueueLibrary, Work> work) {
        return Stream.concat(
                        libraries.stream().map(library -> library.contender(note, work.apply(library))),
                        MISSING.stream())
                .toList();
    }

    private QueueLibraries() {}
}
