// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.time.Duration;
import java.util.List;

/**
 * The state of a {@link StreamQueue}. The numbers are read one after the other.
 *
 * @param stream the key of the stream
 * @param paused whether the queue is paused
 * @param entries the number of entries, including acknowledged entries that are not trimmed
 * @param dead the number of dead letters
 * @param dropped the dead letters that were removed because there were more than {@link StreamQueue#maxDead}
 * @param groups the consumer groups
 */
public record StreamStatus(String stream, boolean paused, long entries, long dead, long dropped, List<Group> groups) {

    public StreamStatus {
        groups = List.copyOf(groups);
    }

    /**
     * A consumer group.
     *
     * @param name the name of the group
     * @param consumers the number of consumers
     * @param pending the entries that were delivered and are not acknowledged
     * @param oldest the age of the oldest entry that the group has not acknowledged. Zero if there is none
     * @param abandoned whether no consumer was active for a day, although the group has an entry that is older than a
     *     day. Such a group stops the trimming of the stream. If no program needs the group, remove the group with {@code XGROUP
     *     DESTROY}
     */
    public record Group(String name, long consumers, long pending, Duration oldest, boolean abandoned) {}
}
