// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import io.millrace.lab.bulk.Connections;
import io.millrace.lab.bulk.ExternalPrograms;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.WorkContext;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An empty application with Spring Boot that starts and ends.
 *
 * @param application jar of the application
 * @param jars folder of the jars of one starter
 * @param addressVariable environment variable with the address of the server
 */
record StartProgram(Path application, Path jars, String addressVariable) implements ProcessContender.Program {

    private static final String MAIN = "io.millrace.labspring.EmptyApplication";

    /** What the program prints when the application is ready. */
    private static final String READY = "ready";

    @Override
    public ProcessContender.Invocation invocation(WorkContext context) {
        var command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                application + File.pathSeparator + jars + "/*",
                MAIN);
        return new ProcessContender.Invocation(
                command, Map.of(addressVariable, Connections.url(context.target())), Optional.empty());
    }

    @Override
    public RoundDetails details(WorkContext context, ProcessContender.Ended ended) {
        if (ended.exitCode() != 0 || !ended.output().strip().endsWith(READY)) {
            throw ExternalPrograms.failure("the application did not start", ended);
        }
        return RoundDetails.NONE;
    }

    @Override
    public long operations(WorkContext context) {
        return 1;
    }
}
