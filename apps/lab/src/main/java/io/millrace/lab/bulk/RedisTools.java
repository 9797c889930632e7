// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import redis.clients.jedis.params.ScanParams;

/** The tools of Redis as contenders: {@code redis-cli --pipe} and {@code redis-benchmark}. */
public final class RedisTools {

    public static final String PIPE = "redis-cli-pipe";

    /** As many as Millrace puts into one {@code MSET}. */
    static final int PAIRS_PER_MSET = 64;

    private static final String INSTALL =
            "Redis with its tools (Debian and Ubuntu: apt install redis-server redis-tools)";
    private static final String PIPE_PAGE = "https://redis.io/docs/latest/develop/clients/patterns/bulk-loading/";
    private static final Pattern BENCHMARK_RESULT = Pattern.compile("(\\d+) requests completed in");
    private static final String RANDOM_KEY = Keyspace.PREFIX + "random:";
    private static final String RANDOM_VALUE = "value:0123456789";
    private static final int SAMPLES = 100;

    /** {@code redis-cli --pipe} with a file of ready-made {@code SET}s. Label {@code redis-cli-pipe/set}. */
    public static ProcessContender pipeSets(long sets) {
        return pipe("set", sets, sets, FusedCalls.NONE, new StringData(sets)::sets);
    }

    /** The same pairs in ready-made {@code MSET}s. Label {@code redis-cli-pipe/mset}. */
    public static ProcessContender pipeMsets(long sets) {
        long replies = (sets + PAIRS_PER_MSET - 1) / PAIRS_PER_MSET;
        return pipe(
                "mset", sets, replies, new FusedCalls(sets, replies), () -> new StringData(sets).msets(PAIRS_PER_MSET));
    }

    /**
     * {@code redis-cli --pipe} with a file of ready-made commands.
     *
     * @param mode such as {@code set}
     * @param operations what the commands count for
     * @param replies number of the commands in the file
     * @param fused what the server counts instead of single commands
     * @param commands the words of each command
     */
    public static ProcessContender pipe(
            String mode, long operations, long replies, FusedCalls fused, Supplier<Stream<List<String>>> commands) {
        var description = new Description(
                PIPE,
                mode,
                "redis-cli --pipe, ready-made " + mode.toUpperCase(Locale.ROOT)
                        + " commands from a file; the time includes the start of the process and the reading of the file",
                PIPE_PAGE);
        return new ProcessContender(
                description,
                new PipeProgram(operations, replies, fused, commands),
                target -> ExternalPrograms.missing("redis-cli", INSTALL).or(() -> severalKeys(target, fused)));
    }

    private static Optional<String> severalKeys(Target target, FusedCalls fused) {
        return fused.batches() > 0
                ? Connections.missingOnCluster(target, "The keys of a command have several hash slots")
                : Optional.empty();
    }

    /** A {@code redis-cli --pipe} for each primary of a cluster. Label {@code redis-cli-pipe/each}. */
    static ProcessContender pipeToEachPrimary(PipelinedData data) {
        var description = new Description(
                PIPE,
                "each",
                "a redis-cli --pipe for each primary, all at the same time, with ready-made " + data.command()
                        + " commands of the primary's hash slots from a file; the time includes the start of the processes"
                        + " and the reading of the files",
                PIPE_PAGE);
        return new ProcessContender(
                description,
                new PipeProgram(data.operations(), data.operations(), FusedCalls.NONE, data::words),
                target -> ExternalPrograms.missing("redis-cli", INSTALL)
                        .or(() -> ExternalPrograms.missing("bash", "bash")));
    }

    /** {@code redis-benchmark} with 100 connections, pipelines of 100, and random keys. See {@link #randomKeys}. */
    public static ProcessContender benchmark(long sets) {
        var description = new Description(
                "redis-benchmark",
                "",
                "-c 100 -P 100 -r, one thread that encodes nothing; at most a few pipelines more than the operations;"
                        + " the time is the time of the process",
                "https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/benchmarks/",
                Optional.of("the keys are random and repeat: fewer keys are made, and only some values are read back"));
        return new ProcessContender(description, new Benchmark(sets), RedisTools::missingBenchmark);
    }

    private static Optional<String> missingBenchmark(Target target) {
        return ExternalPrograms.missing("redis-benchmark", INSTALL)
                .or(() -> Connections.missingOnCluster(target, "redis-benchmark sends pipelines to one node"))
                .or(() -> target.password()
                        .map(password -> "redis-benchmark takes a password as an argument only, and every user of this"
                                + " machine could read the argument. Use a server without a password."));
    }

    /** Checks what {@link #benchmark} leaves. Of n random keys out of n, about 0.63 n are different. */
    public static List<String> randomKeys(RedisServer server, Sample sample) {
        var complaints = new ArrayList<String>();
        long keys = server.keys();
        if (keys < sample.operations() / 2 || keys > sample.operations()) {
            complaints.add("random keys: expected=" + sample.operations() / 2 + " to " + sample.operations()
                    + ", found=" + keys);
        }
        long calls = server.statistics("set").calls();
        if (calls < sample.operations()) {
            complaints.add("calls of set: expected at least " + sample.operations() + ", executed=" + calls);
        }
        var some = new ScanParams().match(Keyspace.PREFIX + "*").count(SAMPLES);
        var found = server.control().scan(ScanParams.SCAN_POINTER_START, some).getResult();
        long wrong = found.stream()
                .filter(key -> !key.startsWith(RANDOM_KEY)
                        || !RANDOM_VALUE.equals(server.control().get(key)))
                .count();
        if (wrong > 0) {
            complaints.add("wrong random keys or values: " + wrong + " of " + found.size());
        }
        return complaints;
    }

    /** Program, address and login. The password of redis-cli is in the environment. */
    static List<String> command(String program, Target target, String databaseOption) {
        var command = new ArrayList<>(List.of(program));
        target.socket()
                .ifPresentOrElse(
                        path -> command.addAll(List.of("-s", path.toString())),
                        () -> command.addAll(List.of("-h", target.host(), "-p", Integer.toString(target.port()))));
        target.username().ifPresent(user -> command.addAll(List.of("--user", user)));
        target.certificate().ifPresent(path -> command.addAll(List.of("--tls", "--cacert", path.toString())));
        if (target.database() != 0) {
            command.addAll(List.of(databaseOption, Integer.toString(target.database())));
        }
        return command;
    }

    private record Benchmark(long sets) implements ProcessContender.Program {

        @Override
        public ProcessContender.Invocation invocation(WorkContext context) {
            var command = command("redis-benchmark", context.target(), "--dbnum");
            var number = Long.toString(sets);
            command.addAll(List.of("-n", number, "-r", number, "-c", "100", "-P", "100"));
            command.addAll(List.of("SET", RANDOM_KEY + "__rand_int__", RANDOM_VALUE));
            return ProcessContender.Invocation.of(command);
        }

        /** redis-benchmark ends at the first error reply. */
        @Override
        public RoundDetails details(WorkContext context, ProcessContender.Ended ended) {
            var result = BENCHMARK_RESULT.matcher(ended.output());
            if (ended.exitCode() != 0 || !result.find() || Long.parseLong(result.group(1)) < sets) {
                throw ExternalPrograms.failure("redis-benchmark did not finish: operations=" + sets, ended);
            }
            return RoundDetails.NONE.withOutcomes(Outcomes.ok(sets)).withFigure("completed", (double)
                    Long.parseLong(result.group(1)));
        }

        @Override
        public long operations(WorkContext context) {
            return sets;
        }
    }

    private RedisTools() {}
}
