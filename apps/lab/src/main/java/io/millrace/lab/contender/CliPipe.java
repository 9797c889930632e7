// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.library.Endpoint;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.ProcessContender;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.Tools;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * {@code redis-cli --pipe}, fed the ready-made commands from a file: nothing is left to encode.
 *
 * @param program in the folders of the PATH
 */
public record CliPipe(String program) implements ProcessContender {

    /** The input that names the file of commands. */
    public static final String COMMANDS = "commands";

    /** By this the program is told the password: arguments can be seen by everyone on the machine. */
    private static final String PASSWORD_VARIABLE = "REDISCLI_AUTH";

    private static final Pattern RESULT = Pattern.compile("errors: (\\d+), replies: (\\d+)");

    /** The program under its own name. */
    public CliPipe() {
        this("redis-cli");
    }

    @Override
    public String name() {
        return "redis-cli-pipe";
    }

    @Override
    public String note() {
        return "ready-made commands from a file; the time is that of the process, its start and the reading of the file included";
    }

    @Override
    public Optional<String> missing(Endpoint endpoint) {
        return Tools.missingRedisTool(program);
    }

    @Override
    public Invocation invocation(Task task) {
        var endpoint = task.endpoint();
        var command = new ArrayList<>(List.of(program, "-h", endpoint.host(), "-p", Integer.toString(endpoint.port())));
        endpoint.username().ifPresent(user -> command.addAll(List.of("--user", user)));
        if (endpoint.database() != 0) {
            command.addAll(List.of("-n", Integer.toString(endpoint.database())));
        }
        command.add("--pipe");
        var environment = endpoint.password()
                .map(password -> Map.of(PASSWORD_VARIABLE, password))
                .orElse(Map.of());
        return new Invocation(command, environment, Optional.of(Path.of(task.input(COMMANDS))), false);
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
