// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.List;

/**
 * A question about ways of talking to Redis, or of handing over tasks, and the workloads that answer it. Found by
 * {@code ServiceLoader} too.
 */
public interface Experiment {

    /** The name on the command line, such as {@code e1}. */
    String name();

    /** A few words, such as {@code Connection patterns}. */
    String title();

    /** What is done, in a sentence. */
    String description();

    /** In the order in which they are run. */
    List<Workload> workloads();

    /** The same with what it draws at random drawn from {@code seed}; itself if it draws nothing. */
    default Experiment withSeed(long seed) {
        return this;
    }

    /**
     * The same without what a quick look at all experiments, which is to be over in three minutes, can do without. By
     * default it needs all.
     */
    default Experiment atAGlance() {
        return this;
    }

    /** Commands in a round when nobody says otherwise. */
    long operations();
}
