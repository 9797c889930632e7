// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.resp.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The commands of servers, and the reviewed kind of each command. The lists are resources in the folder
 * {@code commands}.
 */
final class ReviewedCommands {

    /** The kinds of {@code reviewed.tsv}, which explains them. */
    enum Kind {
        ANY,
        BLOCKS,
        BLOCKS_WITH_OPTION,
        CONNECTION,
        WAIT,
        UNSUPPORTED,
        SUBCOMMAND;

        static Kind of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
        }

        boolean blocks() {
            return this == BLOCKS || this == BLOCKS_WITH_OPTION || this == WAIT;
        }
    }

    private static final int NAME = 0;
    private static final int FLAGS = 2;
    private static final int SUBCOMMANDS = 9;

    private ReviewedCommands() {}

    /** Returns the kind of each reviewed command. */
    static Map<String, Kind> kinds() {
        return lines("reviewed").collect(Collectors.toMap(columns -> columns[0], columns -> Kind.of(columns[1])));
    }

    /** Returns the commands without a factory, and for each command the reason. */
    static Map<String, String> leftOut() {
        return lines("reviewed")
                .filter(columns -> columns.length > 2)
                .collect(Collectors.toMap(columns -> columns[0], columns -> columns[2]));
    }

    /** Returns the commands of the list {@code name}, and for each command whether the server may block it. */
    static Map<String, Boolean> listed(String name) {
        return lines(name).collect(Collectors.toMap(columns -> columns[0], columns -> columns.length > 1));
    }

    /**
     * Returns the commands and subcommands of a running server, and for each command whether the server may block it.
     * Without the commands of loaded modules, whose names contain a dot.
     */
    static Map<String, Boolean> of(RawConnection server) {
        Map<String, Boolean> commands = new TreeMap<>();
        server.run(Command.of("COMMAND").as(Replies::items)).forEach(command -> add(command, commands));
        commands.keySet().removeIf(name -> name.contains("."));
        return commands;
    }

    private static void add(Reply command, Map<String, Boolean> commands) {
        List<Reply> parts = Replies.items(command);
        String name = Replies.text(parts.get(NAME)).toUpperCase(Locale.ROOT).replace('|', ' ');
        commands.put(name, Replies.set(Replies::text).apply(parts.get(FLAGS)).contains("blocking"));
        if (parts.size() > SUBCOMMANDS) {
            Replies.items(parts.get(SUBCOMMANDS)).forEach(subcommand -> add(subcommand, commands));
        }
    }

    private static Stream<String[]> lines(String list) {
        String resource = "/commands/" + list + ".tsv";
        try (InputStream in = Objects.requireNonNull(ReviewedCommands.class.getResourceAsStream(resource), resource)) {
            return Arrays.stream(new String(in.readAllBytes(), UTF_8).split("\n"))
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\t"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
