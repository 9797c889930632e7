// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ReviewedCommands.Kind;
import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.PublicCommands;
import io.millrace.client.command.PublicCommands.CommandFactory;
import io.millrace.client.command.Replies;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.ServerBinary;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Compares the keys of commands with the keys that Redis 7.0.15 reports in its replies to {@code COMMAND GETKEYS}. */
class CommandKeysTest {

    /** The commands of {@link CommandLine#all} that Redis 7.0.15 does not know. */
    private static final Set<String> UNKNOWN_LINES = Set.of(
            "ARGET",
            "ARMSET",
            "AROP",
            "BACKUP START",
            "BLMOVEM",
            "CLIENT SETINFO",
            "CLUSTERSCAN",
            "CMS.MERGE",
            "COMMANDLOG GET",
            "DELEX",
            "DELIFEQ",
            "DIGEST",
            "HEXPIRE",
            "HGETDEL",
            "HGETEX",
            "HIMPORT PREPARE",
            "HIMPORT SET",
            "HOTKEYS START",
            "HPEXPIRE",
            "HPTTL",
            "HSETEX",
            "INCREX",
            "JSON.DEBUG",
            "JSON.GET",
            "JSON.MGET",
            "JSON.MSET",
            "JSON.SET",
            "LMOVEM",
            "MSETEX",
            "SDIFFCARD",
            "SUNIONCARD",
            "TDIGEST.MERGE",
            "TS.ADD",
            "TS.CREATERULE",
            "TS.DELETERULE",
            "TS.MADD",
            "UNKNOWN",
            "VADD",
            "VSIM",
            "WAITAOF",
            "XACKDEL",
            "XDELEX",
            "XNACK");

    /** The commands with a factory that Redis 7.0.15 does not know. */
    private static final Set<String> UNKNOWN_FACTORIES =
            Set.of("HGETDEL", "HGETEX", "HPERSIST", "HPEXPIRE", "HPEXPIREAT", "HPEXPIRETIME", "HPTTL", "HSETEX");

    private static final Reply UNKNOWN_COMMAND = new Reply.ErrorReply("ERR Invalid command specified");
    private static final Reply WRONG_COUNT =
            new Reply.ErrorReply("ERR Invalid number of arguments specified for command");

    /** The replies for a command without keys. The server returns the second reply if the number of keys is wrong. */
    private static final List<Reply> NO_KEYS = List.of(
            new Reply.ErrorReply("ERR The command has no key arguments"),
            new Reply.ErrorReply("ERR Invalid arguments specified for command"));

    /**
     * The server does not report the destination of a {@code PFMERGE} without sources, although it finds this key when
     * it executes the command.
     */
    private static final Set<String> WRONG_REPORTS = Set.of("PFMERGE with 1 arguments");

    private static final int MAX_ARGUMENTS = 9;

    private static EmbeddedRedis server;

    private RawConnection connection;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start(EmbeddedOptions.defaults().withBinary(ServerBinary.fromJar()));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void connect() {
        connection = RawConnection.open(server.host(), server.port(), 2);
    }

    @AfterEach
    void disconnect() {
        connection.close();
    }

    @Test
    void markedArgumentsOfEachLineAreTheKeysOfTheCommand() {
        List<CommandLine> lines = CommandLine.all();

        assertThat(lines)
                .hasSizeGreaterThan(300)
                .allSatisfy(line -> assertThat(keys(line.command())).isEqualTo(line.keys()));
    }

    @Test
    void serverReportsTheMarkedArgumentsOfEachLine() {
        Set<String> unknown = new TreeSet<>();

        for (CommandLine line : CommandLine.all()) {
            Reply reply = getKeys(RawConnection.words(line.command()));
            if (reply.equals(UNKNOWN_COMMAND)) {
                unknown.add(line.name());
            } else {
                assertThat(reported(reply)).as("%s", line).containsExactlyInAnyOrderElementsOf(line.keys());
            }
        }

        assertThat(unknown).isEqualTo(UNKNOWN_LINES);
    }

    @Test
    void serverReportsTheKeysOfEachFactory() {
        Set<String> unknown = new TreeSet<>();

        for (CommandFactory factory : PublicCommands.factories()) {
            Command<?> command = factory.sample();
            List<byte[]> words = RawConnection.words(command);
            List<String> keys = new ArrayList<>();
            // The server returns the keys, but not their positions. So each key becomes unique.
            for (int index : command.keyIndexes()) {
                keys.add("key" + index);
                words.set(command.spec().words() + index, keys.getLast().getBytes(US_ASCII));
            }
            Reply reply = getKeys(words);
            if (reply.equals(UNKNOWN_COMMAND)) {
                unknown.add(command.spec().name());
            } else {
                assertThat(reported(reply)).as("%s", factory).containsExactlyInAnyOrderElementsOf(keys);
            }
        }

        assertThat(unknown).isEqualTo(UNKNOWN_FACTORIES);
    }

    @Test
    void serverReportsTheKeysOfEachOfItsCommandsForAnyNumberOfArguments() {
        Set<String> names = namesWithoutContainers();
        Set<String> compared = new TreeSet<>();
        Set<String> different = new TreeSet<>();

        for (String name : names) {
            for (int count = 1; count <= MAX_ARGUMENTS; count++) {
                Object[] arguments =
                        IntStream.range(0, count).mapToObj(i -> "argument" + i).toArray();
                Command<Reply> command = Command.of(name, arguments);
                Reply reply = getKeys(RawConnection.words(command));
                if (!reply.equals(WRONG_COUNT)) {
                    compared.add(name);
                    if (!Set.copyOf(reported(reply)).equals(Set.copyOf(keys(command)))) {
                        different.add(command.toString());
                    }
                }
            }
        }

        assertThat(names).hasSizeGreaterThan(200);
        assertThat(compared).isEqualTo(names);
        assertThat(different).isEqualTo(WRONG_REPORTS);
    }

    @Test
    void specsHaveTheKeyPositionsOfTheirNames() {
        assertThat(PublicCommands.specs()).allSatisfy(spec -> {
            String name = spec.spec().name();
            assertThat(spec.spec().keys())
                    .isEqualTo(CommandSpec.of(name, Replies::raw).keys());
        });
    }

    /** The commands of the server, except the commands that need a subcommand, and the commands that are refused. */
    private Set<String> namesWithoutContainers() {
        Map<String, String> leftOut = ReviewedCommands.leftOut();
        Map<String, Kind> kinds = ReviewedCommands.kinds();
        Set<String> names = new TreeSet<>(ReviewedCommands.of(connection).keySet());
        names.removeIf(name -> kinds.get(name) == Kind.UNSUPPORTED
                || leftOut.getOrDefault(name, "").equals("container"));
        return names;
    }

    private static List<String> keys(Command<?> command) {
        List<byte[]> arguments = RawConnection.arguments(command);
        return command.keyIndexes().stream()
                .map(index -> new String(arguments.get(index), ISO_8859_1))
                .toList();
    }

    private Reply getKeys(List<byte[]> words) {
        // COMMAND GETKEYS requires at least one argument after the name.
        List<byte[]> sent = new ArrayList<>(words);
        if (sent.size() == 1) {
            sent.add(new byte[0]);
        }
        return connection.reply(Command.of("COMMAND GETKEYS", sent.toArray()));
    }

    private static List<String> reported(Reply reply) {
        if (reply instanceof Reply.ErrorReply) {
            assertThat(reply).isIn(NO_KEYS);
            return List.of();
        }
        return Replies.list(Replies::text).apply(reply);
    }
}
