// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * A task that is delivered no more, and was put aside.
 *
 * @param id as in {@link Delivery}
 * @param deliveries how often it was delivered, the one at which it was put aside included
 * @param reason in one line, at most 500 characters
 */
public record DeadLetter(String id, int deliveries, String reason) {

    private static final int MOST = 500;

    /** One whose consumers died or failed each time. */
    static DeadLetter tooOften(String id, int deliveries) {
        return new DeadLetter(id, deliveries, "delivered " + deliveries + " times, and never acknowledged");
    }

    /** With a reason that is cut to one line. */
    static DeadLetter of(String id, int deliveries, String reason) {
        String line = reason.replaceAll("\\s+", " ").strip();
        return new DeadLetter(id, deliveries, line.length() <= MOST ? line : line.substring(0, MOST));
    }
}
