// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.time.Instant;

/**
 * A job that no worker does any more: its last attempt failed, or its workers died too often. A payload that cannot be
 * decoded is a failed attempt. {@link JobQueue#redrive(long)} makes it wait again.
 *
 * @param id the id of the job
 * @param payload the payload as bytes, because the payload may be the reason why the job is dead
 * @param attempts the number of attempts
 * @param reason why the job is dead: one line, at most 500 characters
 * @param diedAt the time by the clock of the server
 */
@SuppressWarnings("ArrayRecordComponent") // equality is not used
public record DeadJob(String id, byte[] payload, int attempts, String reason, Instant diedAt) {

    private static final int MAX_REASON = 500;

    /** Converts {@code reason} to one line of at most 500 characters. */
    static String shortened(String reason) {
        String line = reason.replaceAll("\\s+", " ").strip();
        return line.length() <= MAX_REASON ? line : line.substring(0, MAX_REASON);
    }
}
