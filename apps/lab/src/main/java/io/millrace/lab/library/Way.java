// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

/**
 * A way of using a library.
 *
 * @param name such as {@code one-by-one}, {@code pipeline}
 * @param waits whether each command waits for the reply of the one before
 * @param note what a reader of the figures has to know: which calls, which settings, and whose advice it is
 * @param opener connects, ready for use
 */
public record Way(String name, boolean waits, String note, Opener opener) {

    /** The name of the way in which every command waits for its reply. */
    public static final String ONE_BY_ONE = "one-by-one";

    /** The name of the way in which a batch is sent together, and then all of its replies are read. */
    public static final String PIPELINE = "pipeline";

    /** The name of the same, with commands fused that the program gave one by one: the server then gets others. */
    public static final String PIPELINE_FUSED = "pipeline-fused";

    /** Opens connections. */
    @FunctionalInterface
    public interface Opener {

        /**
         * Returns when the connection is up and authenticated; nothing has been sent that would warm up the commands.
         */
        Idiom open(Endpoint endpoint) throws Exception;
    }
}
