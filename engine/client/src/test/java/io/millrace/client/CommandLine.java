// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.client.command.Command;
import io.millrace.resp.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A command with marked keys: arguments that begin with {@code key} are keys. The lines are in the resource
 * {@code commands/command-lines.txt}, which explains their format.
 */
record CommandLine(String name, List<String> arguments) {

    private static final String KEY = "key";

    /** Returns all lines of the resource. */
    static List<CommandLine> all() {
        String resource = "/commands/command-lines.txt";
        try (InputStream in = Objects.requireNonNull(CommandLine.class.getResourceAsStream(resource), resource)) {
            return new String(in.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .map(CommandLine::of)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static CommandLine of(String line) {
        int colon = line.indexOf(':');
        List<String> arguments = Arrays.stream(line.substring(colon + 1).split(" "))
                .filter(word -> !word.isEmpty())
                .map(word -> word.equals("\"\"") ? "" : word)
                .toList();
        return new CommandLine(line.substring(0, colon), arguments);
    }

    Command<Reply> command() {
        return Command.of(name, arguments.toArray());
    }

    /** Returns the arguments that are keys. */
    List<String> keys() {
        return arguments.stream().filter(argument -> argument.startsWith(KEY)).toList();
    }

    /** Returns the same line, with {@code tag} as the hash tag of each key. */
    CommandLine tagged(String tag) {
        return new CommandLine(
                name,
                arguments.stream()
                        .map(argument -> argument.startsWith(KEY) ? "{" + tag + "}" + argument : argument)
                        .toList());
    }

    @Override
    public String toString() {
        return name + ": " + String.join(" ", arguments);
    }
}
