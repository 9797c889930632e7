// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.PublicCommands;
import io.millrace.client.command.PublicCommands.CommandFactory;
import io.millrace.client.command.Replies;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls every command factory and checks the commands on a real server. */
class FactoriesTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    /** Factories that have no variant for byte arrays. Their text arguments are not keys, values or messages. */
    private static final Set<String> TEXT_ONLY = Set.of(
            "Functions.call(String, List<?>, List<?>)",
            "Functions.callReadOnly(String, List<?>, List<?>)",
            "Functions.delete(String)",
            "Functions.load(String)",
            "Functions.replace(String)",
            "Keys.scan(String, ScanOptions)",
            "PubSub.channels(String)",
            "Server.config(String)",
            "Server.info(String)",
            "Server.setConfig(String, String)",
            "Streams.readGroup(String, String, StreamRead<T>)");

    /**
     * The commands that fail, each with the beginning of its expected error reply. They fail because the server has no
     * keys, or because a sample argument is not valid.
     */
    private static final Map<String, String> ERRORS = Map.ofEntries(
            Map.entry("RENAME", "ERR no such key"),
            Map.entry("RENAMENX", "ERR no such key"),
            Map.entry("COPY", "ERR source and destination objects are the same"),
            Map.entry("RESTORE", "ERR DUMP payload version or checksum are wrong"),
            Map.entry("LSET", "ERR no such key"),
            Map.entry("BITFIELD_RO", "ERR BITFIELD_RO only supports the GET subcommand"),
            Map.entry("EVALSHA", "NOSCRIPT"),
            Map.entry("EVALSHA_RO", "NOSCRIPT"),
            Map.entry("FCALL", "ERR Function not found"),
            Map.entry("FCALL_RO", "ERR Function not found"),
            Map.entry("FUNCTION LOAD", "ERR Missing library metadata"),
            Map.entry("FUNCTION DELETE", "ERR Library not found"),
            Map.entry("CONFIG SET", "ERR Unknown option"),
            Map.entry("XREADGROUP", "NOGROUP"),
            Map.entry("XCLAIM", "NOGROUP"),
            Map.entry("XAUTOCLAIM", "NOGROUP"),
            Map.entry("XPENDING", "NOGROUP"),
            Map.entry("XINFO STREAM", "ERR no such key"),
            Map.entry("XINFO GROUPS", "ERR no such key"),
            Map.entry("XINFO CONSUMERS", "ERR no such key"),
            Map.entry("XGROUP CREATECONSUMER", "ERR The XGROUP subcommand requires the key to exist"),
            Map.entry("XGROUP DELCONSUMER", "ERR The XGROUP subcommand requires the key to exist"),
            Map.entry("XGROUP DESTROY", "ERR The XGROUP subcommand requires the key to exist"),
            Map.entry("XGROUP SETID", "ERR The XGROUP subcommand requires the key to exist"));

    /**
     * The replies of COMMAND GETKEYS for a command without keys. The server returns the second reply for a command that
     * takes no arguments, because the test adds an argument to such a command.
     */
    private static final List<Reply> NO_KEYS = List.of(
            new Reply.ErrorReply("ERR The command has no key arguments"),
            new Reply.ErrorReply("ERR Invalid number of arguments specified for command"));

    static List<CommandFactory> factories() {
        return PublicCommands.factories();
    }

    @Test
    void everyFactoryForTextHasAnEquivalentFactoryForBytes() {
        Map<String, List<CommandFactory>> pairs = new TreeMap<>();
        for (CommandFactory factory : factories()) {
            if (factory.takesText() || factory.takesBytes()) {
                pairs.computeIfAbsent(factory.pair(), key -> new ArrayList<>()).add(factory);
            }
        }

        assertThat(pairs.keySet()).containsAll(TEXT_ONLY);
        assertThat(pairs).hasSizeGreaterThan(100).allSatisfy((pair, factories) -> {
            assertThat(factories).hasSize(TEXT_ONLY.contains(pair) ? 1 : 2);
            Command<?> one = factories.getFirst().sample();
            Command<?> other = factories.getLast().sample();
            assertThat(words(one)).isEqualTo(words(other));
            assertThat(one.spec().keyIndex()).isEqualTo(other.spec().keyIndex());
            assertThat(one.spec().idempotent()).isEqualTo(other.spec().idempotent());
            assertThat(one.deadlineNanos(0)).isEqualTo(other.deadlineNanos(0));
        });
    }

    @ParameterizedTest
    @MethodSource("factories")
    void serverAcceptsTheCommandOfEveryFactory(CommandFactory factory) {
        Command<?> command = factory.sample();

        Reply reply = SERVER.connect(3).reply(command);

        if (!isKnown(command)) {
            assertThat(reply)
                    .isInstanceOfSatisfying(
                            Reply.ErrorReply.class,
                            error -> assertThat(error.message()).startsWith("ERR unknown command"));
        } else if (reply instanceof Reply.ErrorReply error) {
            assertThat(error.message())
                    .as("%s", factory)
                    .startsWith(ERRORS.getOrDefault(command.spec().name(), "no error"));
        } else {
            assertThat(command.spec().decode(reply)).isNotNull();
        }
    }

    @ParameterizedTest
    @MethodSource("factories")
    void keyIndexPointsToTheFirstKeyThatTheServerReports(CommandFactory factory) {
        Command<?> command = factory.sample();
        byte[] marked = "marked".getBytes(StandardCharsets.US_ASCII);
        int keyIndex = command.spec().keyIndex();

        // The server returns the keys of a command, but not the positions of the keys. So the test writes a unique
        // value at the key index of the spec.
        List<byte[]> words = RawConnection.words(command);
        if (keyIndex >= 0) {
            words.set(command.spec().words() + keyIndex, marked);
        }
        // COMMAND GETKEYS requires at least one argument after the name. The empty argument is not a key of any
        // command.
        if (words.size() == 1) {
            words.add(new byte[0]);
        }
        Reply keys = SERVER.connect(3).reply(Command.of("COMMAND GETKEYS", words.toArray()));

        if (!isKnown(command)) {
            assertThat(keys).isEqualTo(new Reply.ErrorReply("ERR Invalid command specified"));
        } else if (keyIndex < 0) {
            assertThat(keys).as("%s", factory).isIn(NO_KEYS);
        } else {
            assertThat(Replies.items(keys).getFirst()).as("%s", factory).isEqualTo(new Reply.BulkString(marked));
        }
    }

    @ParameterizedTest
    @MethodSource("factories")
    void deadlineIsExtendedByTheWaitTimeOnlyForBlockingCommands(CommandFactory factory) {
        Command<?> command = factory.sample();

        boolean waits = factory.method().getName().startsWith("await");
        assertThat(command.blocking()).as("%s", factory).isEqualTo(waits);
        assertThat(command.deadlineNanos(5)).isEqualTo(waits ? 1_000_005 : 5);
    }

    @ParameterizedTest
    @MethodSource("factories")
    void textOfACommandDoesNotContainItsArguments(CommandFactory factory) {
        Command<?> command = factory.sample();

        int arguments = RawConnection.arguments(command).size();
        assertThat(command.toString()).isEqualTo(command.spec().name() + " with " + arguments + " arguments");
    }

    /** Returns whether the server has the command. {@code CommandCoverageTest} checks that all others are newer. */
    private static boolean isKnown(Command<?> command) {
        return ReviewedCommands.of(SERVER.another(2)).containsKey(command.spec().name());
    }

    private static List<String> words(Command<?> command) {
        return RawConnection.words(command).stream()
                .map(word -> new String(word, StandardCharsets.ISO_8859_1))
                .collect(Collectors.toList());
    }
}
