// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.PublicCommands;
import io.millrace.client.command.PublicCommands.CommandFactory;
import io.millrace.client.command.Server;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs every command in six modes: as a call, as a future, in a pipeline, in a transaction, on a dedicated connection,
 * and with a bulk writer. The results of all modes must be equal.
 */
@ExtendWith(NoThreadLeft.class)
class EveryModeTest {

    /** Commands whose results change with the time or with the connection. */
    private static final Set<String> CHANGING = Set.of("TIME", "INFO", "CLIENT ID", "XADD");

    /** Part of the reply of a server that is older than a command. */
    private static final String UNKNOWN_COMMAND = "ERR unknown command";

    private static EmbeddedRedis server;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void commandReturnsTheSameResultInEveryMode(Protocol protocol) {
        try (RedisClient client = connect(protocol)) {
            for (CommandFactory factory : PublicCommands.factories()) {
                Command<?> command = factory.sample();
                if (!command.blocking() && !command.spec().dedicated()) {
                    List<Object> answers = List.of(
                            answer(client, () -> client.call(command)),
                            answer(client, () -> sent(client, command)),
                            answer(client, () -> piped(client.pipeline(), command)),
                            answer(client, () -> transacted(client, command)),
                            answer(client, () -> borrowed(client, command)),
                            answer(client, () -> written(client, command)));

                    assertThat(answers).as("%s", factory).allSatisfy(answer -> assertSame(command, answers, answer));
                }
            }
            assertThat(client.counts().pending()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void commandThatNeedsADedicatedConnectionIsRejectedBySendAndByPipelines(Protocol protocol) {
        try (RedisClient client = connect(protocol)) {
            for (CommandFactory factory : PublicCommands.factories()) {
                Command<?> command = factory.sample();
                if (command.blocking() || command.spec().dedicated()) {
                    assertThatThrownBy(() -> client.send(command))
                            .as("%s", factory)
                            .isInstanceOf(IllegalArgumentException.class);
                    assertThatThrownBy(() -> client.pipeline().add(command))
                            .as("%s", factory)
                            .isInstanceOf(IllegalArgumentException.class);
                    assertThat(answer(client, () -> borrowed(client, command)))
                            .as("%s", factory)
                            .isNotNull();
                }
                if (command.spec().dedicated()) {
                    assertThatThrownBy(() -> client.call(command))
                            .as("%s", factory)
                            .isInstanceOf(IllegalArgumentException.class);
                } else if (command.blocking()) {
                    assertThat(answer(client, () -> client.call(command))).isNotNull();
                }
            }
        }
    }

    /** Deletes all keys, and returns the value of {@code run} or the message of its error reply. */
    private static Object answer(RedisClient client, Supplier<?> run) {
        client.call(Server.flush());
        try {
            return run.get();
        } catch (ErrorReplyException e) {
            return Objects.requireNonNull(e.getMessage());
        }
    }

    private static void assertSame(Command<?> command, List<Object> answers, Object answer) {
        if (CHANGING.contains(command.spec().name())) {
            assertThat(answer).hasSameClassAs(answers.getFirst());
        } else if (answers.getFirst() instanceof String error && error.contains(UNKNOWN_COMMAND)) {
            // A transaction adds to the message that nothing was executed.
            assertThat(answer).asString().contains(UNKNOWN_COMMAND);
        } else {
            assertThat(answer).usingRecursiveComparison().isEqualTo(answers.getFirst());
        }
    }

    private static Object sent(RedisClient client, Command<?> command) {
        try {
            return client.send(command).join();
        } catch (CompletionException e) {
            throw (RuntimeException) Objects.requireNonNull(e.getCause());
        }
    }

    private static Object piped(Pipeline pipeline, Command<?> command) {
        Result<?> result = pipeline.add(command);
        pipeline.run();
        return result.value();
    }

    private static Object transacted(RedisClient client, Command<?> command) {
        Transaction transaction = client.transaction();
        Result<?> result = transaction.add(command);
        assertThat(transaction.run()).isEqualTo(Transaction.Ending.EXECUTED);
        return result.value();
    }

    private static Object borrowed(RedisClient client, Command<?> command) {
        try (DedicatedConnection connection = client.borrow()) {
            return connection.call(command);
        }
    }

    private static Object written(RedisClient client, Command<?> command) {
        List<Outcome> outcomes = new ArrayList<>();
        BulkOptions options = BulkOptions.DEFAULT;
        try (BulkWriter writer = client.bulkWriter(options, (tag, spec, outcome) -> outcomes.add(outcome))) {
            writer.begin(command.spec());
            RawConnection.arguments(command).forEach(writer::arg);
            writer.end(0);
            writer.finish();
        }
        return switch (outcomes.getFirst()) {
            case Outcome.Ok(Reply reply) -> command.spec().decode(reply);
            case Outcome.Failed(Reply.ErrorReply error) ->
                throw new ErrorReplyException(command.spec().name(), error);
            default -> throw new AssertionError(outcomes);
        };
    }

    private static RedisClient connect(Protocol protocol) {
        return RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                .connectTimeout(Duration.ofSeconds(60))
                .protocol(protocol)
                .commandTimeout(Duration.ofSeconds(10))
                .build());
    }
}
