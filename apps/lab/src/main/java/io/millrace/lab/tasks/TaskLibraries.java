// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.util.List;

/** The libraries, one line each. */
final class TaskLibraries {

    static final List<TaskLibrary> ALL =
            List.of(MillraceApproaches.LIBRARY, Fs2Library.LIBRARY, ReactorApproaches.LIBRARY, JdkApproaches.LIBRARY);

    private TaskLibraries() {}
}
