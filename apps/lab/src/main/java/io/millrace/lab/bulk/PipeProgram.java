// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.SlotOwners;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@code redis-cli --pipe} with a file of ready-made commands. In a cluster, a {@code redis-cli} for each primary, all at
 * the same time, each with a file of the commands for its primary: {@code redis-cli --pipe} follows no redirects.
 *
 * @param operations what the commands count for
 * @param replies number of the commands
 * @param fused what the server counts instead of single commands
 * @param commands the words of each command; in a cluster, the second word is the only key
 */
record PipeProgram(long operations, long replies, FusedCalls fused, Supplier<Stream<List<String>>> commands)
        implements ProcessContender.Program {

    private static final Pattern RESULT = Pattern.compile("errors: (\\d+), replies: (\\d+)");
    private static final int BUFFER_BYTES = 1 << 20;

    /** The arguments: the number of words of one redis-cli, then for each redis-cli its words and its input. */
    private static final String ALL_AT_ONCE =
            "n=$1; shift; while [ $# -gt 0 ]; do \"${@:1:n}\" <\"${@:n+1:1}\" & shift $((n+1));" + " done; wait";

    @Override
    public void prepare(WorkContext context) throws IOException {
        if (!context.target().cluster()) {
            try (var out = open(file(context))) {
                for (var words : (Iterable<List<String>>) commands.get()::iterator) {
                    write(out, words);
                }
            }
            return;
        }
        var owners = SlotOwners.ask(context.target());
        Map<Target, OutputStream> files = new HashMap<>();
        try {
            for (Target node : owners.primaries()) {
                files.put(node, open(file(context, node)));
            }
            for (var words : (Iterable<List<String>>) commands.get()::iterator) {
                write(Optional.ofNullable(files.get(owners.of(words.get(1)))).orElseThrow(), words);
            }
        } finally {
            for (var file : files.values()) {
                file.close();
            }
        }
    }

    private static OutputStream open(Path file) throws IOException {
        return new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES);
    }

    private static void write(OutputStream out, List<String> words) throws IOException {
        out.write(("*" + words.size() + "\r\n").getBytes(StandardCharsets.US_ASCII));
        for (var word : words) {
            var bytes = word.getBytes(StandardCharsets.UTF_8);
            out.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
            out.write(bytes);
            out.write('\r');
            out.write('\n');
        }
    }

    private static Path file(WorkContext context) {
        return context.folder().resolve("commands.resp");
    }

    private static Path file(WorkContext context, Target node) {
        return context.folder().resolve("commands-" + node.port() + ".resp");
    }

    @Override
    public ProcessContender.Invocation invocation(WorkContext context) {
        var environment = context.target()
                .password()
                .map(password -> Map.of("REDISCLI_AUTH", password))
                .orElse(Map.of());
        return context.target().cluster()
                ? new ProcessContender.Invocation(allAtOnce(context), environment, Optional.empty())
                : new ProcessContender.Invocation(pipe(context.target()), environment, Optional.of(file(context)));
    }

    private static List<String> pipe(Target target) {
        var command = RedisTools.command("redis-cli", target, "-n");
        command.add("--pipe");
        return command;
    }

    private static List<String> allAtOnce(WorkContext context) {
        var primaries = SlotOwners.ask(context.target()).primaries();
        var command = new ArrayList<>(List.of("bash", "-c", ALL_AT_ONCE, "millrace-lab"));
        command.add(Integer.toString(pipe(primaries.getFirst()).size()));
        for (Target node : primaries) {
            command.addAll(pipe(node));
            command.add(file(context, node).toString());
        }
        return command;
    }

    @Override
    public RoundDetails details(WorkContext context, ProcessContender.Ended ended) {
        List<MatchResult> results = RESULT.matcher(ended.output()).results().toList();
        long answered = results.stream()
                .mapToLong(result -> Long.parseLong(result.group(2)))
                .sum();
        boolean isWithoutErrors =
                results.stream().allMatch(result -> result.group(1).equals("0"));
        if (!isWithoutErrors || answered != replies) {
            throw ExternalPrograms.failure("redis-cli --pipe did not get every reply: expected=" + replies, ended);
        }
        return fused.addTo(RoundDetails.NONE.withOutcomes(Outcomes.ok(operations)));
    }

    @Override
    public long operations(WorkContext context) {
        return operations;
    }
}
