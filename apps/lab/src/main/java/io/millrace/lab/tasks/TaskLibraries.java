// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** Every library that takes part in task processing, one line each; and those that others have put on the class path. */
public final class TaskLibraries {

    private static final List<TaskLibrary> OWN = List.of(new JdkTasks());

    /** The lab's own first. */
    public static List<TaskLibrary> all() {
        return Stream.concat(
                        OWN.stream(),
                        ServiceLoader.load(TaskLibrary.class).stream().map(ServiceLoader.Provider::get))
                .toList();
    }

    private TaskLibraries() {}
}
