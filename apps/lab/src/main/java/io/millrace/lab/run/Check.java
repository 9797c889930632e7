// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.List;

/** Tells from the server's side whether a round did what it was to do. */
public interface Check {

    /** What is wrong with what a round of {@code operations} left; empty if all is as it should be. */
    List<String> complaints(RedisServer server, long operations);

    /**
     * The same, where what the contender says of itself is held against what the server has. By default it is not.
     *
     * @param measured of that round
     */
    default List<String> complaints(RedisServer server, long operations, Measured measured) {
        return complaints(server, operations);
    }

    /** What became of the round's commands, for contenders that keep no account themselves. */
    Outcomes outcomes(RedisServer server, long operations);
}
