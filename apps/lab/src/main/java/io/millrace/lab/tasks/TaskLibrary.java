// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.util.Map;

/**
 * A library, in its ways of going through a scenario and of handing over tasks that do nothing. One class each, and one line: in
 * {@link TaskLibraries}, or in {@code META-INF/services}. Made in the lab's own JVM too, where nothing of it is run: what takes
 * time or threads is made when an approach runs.
 */
public interface TaskLibrary {

    /** In one word, such as {@code jdk}. */
    String name();

    /** Its approaches; not every library has one for every plan. */
    Map<Plan, Described<Approach>> approaches();

    /**
     * Its machineries, by what tells them apart in variants: {@code ""} for the one that its users would take first, and words
     * such as {@code platform-threads} for others.
     */
    Map<String, Described<Machinery>> machineries();

    /**
     * A way and how it is written.
     *
     * @param way run again and again, by one thread at a time
     * @param note the calls and settings it is made of, for people
     */
    record Described<T>(T way, String note) {}
}
