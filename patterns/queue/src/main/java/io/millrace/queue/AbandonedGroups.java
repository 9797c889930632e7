// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.queue.StreamStatus.Group;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Logs one line for each abandoned consumer group, because such a group stops the trimming of its stream. Only the
 * acknowledging thread of a worker uses this class.
 */
final class AbandonedGroups {

    private static final long CHECK_NANOS = TimeUnit.HOURS.toNanos(1);

    private final StreamGroupReader reader;
    private final String stream;
    private final String ownGroup;
    private final Set<String> logged = new HashSet<>();
    private long checkedAt = System.nanoTime() - CHECK_NANOS;

    /** Creates a log for a worker of the group {@code ownGroup}. This group has a worker, so the log does not name it. */
    AbandonedGroups(RedisClient client, String stream, String ownGroup) {
        this.reader = new StreamGroupReader(client, stream);
        this.stream = stream;
        this.ownGroup = ownGroup;
    }

    /** Logs the groups that were not logged before. Reads the groups at most once an hour. */
    void logNew() {
        if (System.nanoTime() - checkedAt < CHECK_NANOS) {
            return;
        }
        for (Group group : reader.groups()) {
            if (group.abandoned() && !group.name().equals(ownGroup) && logged.add(group.name())) {
                QueueLog.log(
                        Level.WARNING,
                        "a consumer group without an active consumer stops the trimming of its stream: stream="
                                + stream + ", group=" + group.name() + ", oldestEntryHours="
                                + group.oldest().toHours()
                                + ". If no program needs the group, remove the group with XGROUP DESTROY.");
            }
        }
        checkedAt = System.nanoTime();
    }
}
