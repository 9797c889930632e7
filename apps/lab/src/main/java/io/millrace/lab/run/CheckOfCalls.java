// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.List;

/** A check that looks at the server's count of calls, in which commands that were fused appear as others. */
public interface CheckOfCalls extends Check {

    /**
     * What is wrong with what a round of {@code operations} left.
     *
     * @param fused how many of them went out as part of another
     */
    List<String> complaints(RedisServer server, long operations, FusedCalls fused);

    @Override
    default List<String> complaints(RedisServer server, long operations) {
        return complaints(server, operations, FusedCalls.NONE);
    }

    @Override
    default List<String> complaints(RedisServer server, long operations, Measured measured) {
        return complaints(server, operations, FusedCalls.of(measured));
    }
}
