// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.time.Instant;
import java.util.Map;

/**
 * An entry of a {@link StreamQueue} that no worker of a group does any more: its last attempt failed, or its workers died
 * too often. {@link StreamQueue#redrive(long)} adds it to the stream again.
 *
 * @param id the ID of the dead letter
 * @param entry the ID that the entry had in the queue
 * @param fields the original fields, in their order. If there were more than 3,500 fields, the single field {@code
 *     millrace-fields}
 * @param group the group whose workers could not do the job
 * @param deliveries the number of attempts
 * @param reason why the job is dead: one line, at most 500 characters
 * @param diedAt the time by the clock of the server
 */
public record DeadLetter(
        String id,
        String entry,
        Map<String, byte[]> fields,
        String group,
        long deliveries,
        String reason,
        Instant diedAt) {}
