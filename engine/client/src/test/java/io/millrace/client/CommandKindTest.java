// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.ReviewedCommands.Kind;
import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares the client with a reviewed table of all commands: which commands may run on a shared connection, which
 * commands need a dedicated connection, and which commands the client refuses. A new command of a server fails this
 * test until {@code reviewed.tsv} has its kind.
 */
@ExtendWith(NoThreadLeft.class)
class CommandKindTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private static final Map<String, Kind> KINDS = ReviewedCommands.kinds();

    /** Ways of running a command. */
    private enum Mode {
        CALL,
        SEND,
        PIPELINE,
        TRANSACTION,
        BORROWED,
        BULK
    }

    @Test
    void eachCommandOfTheServerIsReviewed() {
        Map<String, Boolean> commands = ReviewedCommands.of(SERVER.connect(2));

        assertThat(commands).hasSizeGreaterThan(200);
        assertReviewed(commands);
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis-8.2.3", "redis-8.10-documented", "valkey-8.1.8", "valkey-9.1.2"})
    void eachCommandOfNewerServersIsReviewed(String list) {
        assertReviewed(ReviewedCommands.listed(list));
    }

    private static void assertReviewed(Map<String, Boolean> commands) {
        Set<String> unknown = new TreeSet<>(commands.keySet());
        unknown.removeAll(KINDS.keySet());
        assertThat(unknown)
                .as("add these commands and their kinds to reviewed.tsv, and their rules to CommandRules")
                .isEmpty();
        commands.forEach((name, blocking) -> {
            Kind kind = KINDS.getOrDefault(name, Kind.ANY);
            // Redis 7.0 does not describe WAIT as blocking; later versions do.
            assertThat(kind.blocks()).as(name).isEqualTo(blocking || kind == Kind.WAIT);
        });
    }

    @Test
    void commandsRunOnTheConnectionsThatTheirKindAllows() {
        List<String> wrong = new ArrayList<>();
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
                RedisClient client = connect(server);
                DedicatedConnection borrowed = client.borrow();
                BulkWriter bulk = client.bulkWriter(BulkOptions.DEFAULT, (tag, spec, outcome) -> {})) {
            KINDS.forEach((name, kind) -> {
                for (String spelling : spellings(name, kind)) {
                    Set<Mode> accepted = accepted(spelling, client, borrowed, bulk);
                    if (!accepted.equals(allowed(kind))) {
                        wrong.add(spelling + " is of the kind " + kind + " and was accepted by " + accepted);
                    }
                }
            });
            bulk.finish();
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void optionBlockInTheNameIsAlsoRecognized() {
        assertThat(Command.of("XREAD", "block", 0, "STREAMS", "k", "$").blocking())
                .isTrue();
        assertThat(Command.of("xread Block 0", "STREAMS", "k", "$").blocking()).isTrue();
        assertThat(Command.of("XREAD COUNT 1", "STREAMS", "k", "$").blocking()).isFalse();
    }

    @Test
    void nameOfACommandNeedsTheSubcommandIfItsSubcommandsAreOfSeveralKinds() {
        Map<String, Set<Kind>> kindsOfSubcommands = KINDS.keySet().stream()
                .filter(name -> name.contains(" "))
                .collect(Collectors.groupingBy(
                        name -> name.substring(0, name.indexOf(' ')),
                        Collectors.mapping(KINDS::get, Collectors.toSet())));

        kindsOfSubcommands.forEach((name, kinds) -> assertThat(KINDS.get(name))
                .as(name)
                .isEqualTo(kinds.size() == 1 ? kinds.iterator().next() : Kind.SUBCOMMAND));
        assertThatThrownBy(() -> Command.of("script", "debug", "yes"))
                .hasMessage("the command name must include the subcommand: \"SCRIPT LOAD\", not \"SCRIPT\"");
    }

    @Test
    void unknownSubcommandOfAConnectionCommandNeedsADedicatedConnection() {
        for (String name : List.of("CLIENT NEW-IN-2027", "script new-in-2027", "HIMPORT NEW-IN-2027")) {
            assertThat(CommandSpec.of(name, Replies::raw).dedicated()).as(name).isTrue();
        }
    }

    @Test
    void refusalNamesTheNextStep() {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
                RedisClient client = connect(server)) {
            assertThatThrownBy(() -> client.call(Command.of("client capa", "redirect")))
                    .hasMessage("client capa changes the state of its connection, so it needs a dedicated connection:"
                            + " RedisClient.borrow().call(command)");
            assertThatThrownBy(() -> client.call(Command.of("WAITAOF", 1, 0, 100)))
                    .hasMessage("WAITAOF waits for the earlier writes of its own connection, so it needs the dedicated"
                            + " connection of these writes: RedisClient.borrow().call(command)");
            assertThatThrownBy(() -> client.send(Command.of("BLMOVEM", "a", "b", "LEFT", "RIGHT", 2, 0)))
                    .hasMessage("BLMOVEM would block all other callers, so it needs a dedicated connection:"
                            + " RedisClient.borrow().call(command)");
        }
        assertThat(messageFor("subscribe news")).endsWith("Use RedisClient.subscribe");
        assertThat(messageFor("MULTI")).endsWith("Use a Transaction");
        assertThat(messageFor("SCRIPT DEBUG")).endsWith("Millrace does not support this command");
    }

    private static String messageFor(String name) {
        return String.valueOf(
                catchThrowable(() -> CommandSpec.of(name, Replies::raw)).getMessage());
    }

    /** Returns the name in upper, lower and mixed case, and with an argument in the name. */
    private static Set<String> spellings(String name, Kind kind) {
        Set<String> spellings = new TreeSet<>(List.of(name, name.toLowerCase(Locale.ROOT)));
        spellings.add(name.charAt(0) + name.substring(1).toLowerCase(Locale.ROOT));
        if (kind != Kind.SUBCOMMAND) {
            spellings.add(name + " argument");
        }
        return spellings;
    }

    private static Set<Mode> allowed(Kind kind) {
        return switch (kind) {
            case ANY, BLOCKS_WITH_OPTION -> EnumSet.allOf(Mode.class);
            case BLOCKS -> EnumSet.of(Mode.CALL, Mode.BORROWED, Mode.BULK);
            case CONNECTION, WAIT -> EnumSet.of(Mode.BORROWED, Mode.BULK);
            case UNSUPPORTED, SUBCOMMAND -> EnumSet.noneOf(Mode.class);
        };
    }

    private static Set<Mode> accepted(String name, RedisClient client, DedicatedConnection borrowed, BulkWriter bulk) {
        Set<Mode> accepted = EnumSet.noneOf(Mode.class);
        for (Mode mode : Mode.values()) {
            Throwable refused = catchThrowable(() -> run(name, mode, client, borrowed, bulk));
            if (refused == null) {
                accepted.add(mode);
            } else {
                assertThat(refused).as(name).isInstanceOf(IllegalArgumentException.class);
            }
        }
        return accepted;
    }

    private static void run(String name, Mode mode, RedisClient client, DedicatedConnection borrowed, BulkWriter bulk) {
        Command<Reply> command = Command.of(name, "1");
        switch (mode) {
            case CALL -> client.call(command);
            case SEND -> client.send(command).join();
            case PIPELINE -> client.pipeline().add(command);
            case TRANSACTION -> client.transaction().add(command);
            case BORROWED -> borrowed.call(command);
            case BULK -> bulk.begin(command.spec()).arg(1).end(0);
        }
    }

    private static RedisClient connect(FakeRedis server) {
        return RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                .connections(1)
                .connectTimeout(Duration.ofSeconds(60))
                .commandTimeout(Duration.ofSeconds(60))
                .build());
    }
}
