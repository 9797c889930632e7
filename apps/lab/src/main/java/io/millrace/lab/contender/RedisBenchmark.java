// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.library.Endpoint;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.ProcessContender;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.Tools;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * {@code redis-benchmark} with many connections and pipelines, which makes up its keys: numbers at random, out of as
 * many as there are operations, so that some come several times and others never.
 *
 * @param program in the folders of the PATH
 */
public record RedisBenchmark(String program) implements ProcessContender {

    /** What each of its keys begins with. */
    public static final String KEY_PREFIX = Keyspace.PREFIX + "key:";

    /** What it sets each of them to: as long as the values of the others. */
    public static final String VALUE = "value:0123456789";

    private static final String CONNECTIONS = "100";
    private static final String PIPELINE = "100";
    private static final Pattern RESULT = Pattern.compile("(\\d+) requests completed in");

    /** The program under its own name. */
    public RedisBenchmark() {
        this("redis-benchmark");
    }

    @Override
    public String name() {
        return "redis-benchmark";
    }

    @Override
    public String variant() {
        return "connections-" + CONNECTIONS + "-pipelined-" + PIPELINE;
    }

    @Override
    public String note() {
        return "-c " + CONNECTIONS + " -P " + PIPELINE
                + " -r, one thread that encodes nothing; it sends whole pipelines, so a few commands more than asked for at"
                + " most; the time is that of the process";
    }

    @Override
    public Optional<String> unfair() {
        return Optional.of(
                "its keys are random and repeat: fewer keys are made, and they are not read back one by one");
    }

    /**
     * Beside the program itself a server without a password is needed: it takes one as an argument alone, for all to
     * see.
     */
    @Override
    public Optional<String> missing(Endpoint endpoint) {
        return Tools.missingRedisTool(program)
                .or(() -> endpoint.password()
                        .map(password ->
                                "redis-benchmark takes a password as an argument only, which everyone on the machine"
                                        + " could read. Use a server without one."));
    }

    @Override
    public Invocation invocation(Task task) {
        var operations = Long.toString(task.operations());
        var command = new ArrayList<>(List.of(program, "-h", task.host(), "-p", Integer.toString(task.port())));
        command.addAll(List.of("--dbnum", Integer.toString(task.endpoint().database())));
        command.addAll(List.of("-n", operations, "-r", operations, "-c", CONNECTIONS, "-P", PIPELINE));
        command.addAll(List.of("SET", KEY_PREFIX + "__rand_int__", VALUE));
        return Invocation.of(command);
    }

    /** It ends with the first error reply, so that what it reports as completed went well. */
    @Override
    public Account account(Task task, Ended ended) {
        var result = RESULT.matcher(ended.output());
        if (ended.exit() != 0 || !result.find() || Long.parseLong(result.group(1)) < task.operations()) {
            throw new LabException("redis-benchmark did not finish: exit=" + ended.exit() + ", operations="
                    + task.operations() + ", said=" + ended.errors().strip().replace('\n', ' '));
        }
        long completed = Long.parseLong(result.group(1));
        return new Account(
                Optional.of(Outcomes.answered(completed, 0)), Map.of(Measured.OPERATIONS, (double) completed));
    }
}
