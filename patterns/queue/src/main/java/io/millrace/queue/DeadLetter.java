// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * A dead-lettered task. The queue does not deliver this task again.
 *
 * @param id the id of the task, as in {@link Delivery}
 * @param deliveries the number of deliveries, including the last
 * @param reason why the task was dead-lettered: one line, at most 500 characters
 */
public record DeadLetter(String id, int deliveries, String reason) {

    private static final int MAX_REASON = 500;

    /** Returns the dead letter of a task that reached the maximum number of deliveries. */
    static DeadLetter maxDeliveriesReached(String id, int deliveries) {
        return new DeadLetter(
                id, deliveries, "the task was delivered " + deliveries + " times, and never acknowledged");
    }

    /** Returns a dead letter. {@code reason} is converted to one line and shortened to 500 characters. */
    static DeadLetter of(String id, int deliveries, String reason) {
        String line = reason.replaceAll("\\s+", " ").strip();
        return new DeadLetter(id, deliveries, line.length() <= MAX_REASON ? line : line.substring(0, MAX_REASON));
    }
}
