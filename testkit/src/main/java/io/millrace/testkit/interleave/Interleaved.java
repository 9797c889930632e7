// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

/**
 * A scenario: sets something up, lets a few threads loose on it and checks what they left behind.
 *
 * <p>It has a constructor without arguments and is made anew for each schedule, on the schedule's thread {@code main}. Its
 * package and the instrumented ones are loaded anew for each exploration, so their
 * static fields are not those that the test sees. Static fields live on from schedule to schedule: what changes in them must not
 * decide anything, or a seed no longer repeats its schedule.
 */
@FunctionalInterface
public interface Interleaved {

    /** Runs on the thread {@code main} of the schedule. Whatever it throws fails the schedule. */
    void run(Schedule schedule) throws Exception;
}
