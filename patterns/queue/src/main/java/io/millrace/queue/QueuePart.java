// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/** A part of a {@link JobQueue} that {@link JobQueue#purge} can empty. */
public enum QueuePart {
    /** The jobs that wait, including the suspects. */
    WAITING,
    /** The jobs that are not due, including failed jobs that wait for their next attempt. */
    DELAYED,
    /** The dead jobs. */
    DEAD
}
