// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.tasks.fs2.Fs2Tasks;
import io.millrace.lab.tasks.jdk.JdkTasks;
import io.millrace.lab.tasks.jox.JoxTasks;
import io.millrace.lab.tasks.millrace.MillraceTasks;
import io.millrace.lab.tasks.reactor.ReactorTasks;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * Every library that takes part in task processing, one line each; and those that others have put on the class path.
 */
public final class TaskLibraries {

    private static final List<TaskLibrary> OWN =
            List.of(new MillraceTasks(), new Fs2Tasks(), new ReactorTasks(), new JoxTasks(), new JdkTasks());

    /** The lab's own first. */
    public static List<TaskLibrary> all() {
        return Stream.concat(
                        OWN.stream(),
                        ServiceLoader.load(TaskLibrary.class).stream().map(ServiceLoader.Provider::get))
                .toList();
    }

    private TaskLibraries() {}
}
