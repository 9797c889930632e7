// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.ProcessContender;
import io.millrace.lab.run.Task;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** {@code redis-cli --pipe}, fed the ready-made commands from a file: nothing is left to encode. */
public final class CliPipe implements ProcessContender {

    /** The input that names the file of commands. */
    public static final String COMMANDS = "commands";

    private static final Pattern RESULT = Pattern.compile("errors: (\\d+), replies: (\\d+)");

    @Override
    public String name() {
        return "redis-cli-pipe";
    }

    @Override
    public String note() {
        return "ready-made commands from a file; the time is that of the process, its start and the reading of the file included";
    }

    @Override
    public Invocation invocation(Task task) {
        return new Invocation(
                List.of("redis-cli", "-h", task.host(), "-p", Integer.toString(task.port()), "--pipe"),
                Map.of(),
                Optional.of(Path.of(task.input(COMMANDS))),
                false);
    }

    @Override
    public Account account(Task task, Ended ended) {
        var result = RESULT.matcher(ended.output());
        if (!result.find()) {
            throw new LabException("redis-cli --pipe did not finish: exit=" + ended.exit() + ", output="
                    + ended.output().strip() + ended.errors().strip());
        }
        long errors = Long.parseLong(result.group(1));
        long replies = Long.parseLong(result.group(2));
        return new Account(Optional.of(Outcomes.answered(replies, errors)), Map.of());
    }
}
