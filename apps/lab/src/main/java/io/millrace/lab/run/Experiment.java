// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.List;

/** A question about ways of talking to Redis, and the workloads that answer it. Found by {@code ServiceLoader} too. */
public interface Experiment {

    /** The name on the command line, such as {@code e1}. */
    String name();

    /** A few words, such as {@code Connection patterns}. */
    String title();

    /** What is done, in a sentence. */
    String description();

    /** In the order in which they are run. */
    List<Workload> workloads();

    /** Commands in a round when nobody says otherwise. */
    long operations();
}
