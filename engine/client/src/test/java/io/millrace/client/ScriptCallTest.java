// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Script;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests calls of Lua scripts that are stored on the server, are not stored, or are deleted from the server. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ScriptCallTest {

    private static final Script ADD = Script.of("return redis.call('INCRBY', KEYS[1], ARGV[1])");
    private static final Script ADD_AND_FAIL =
            Script.of("redis.call('INCR', KEYS[1]); return redis.error_reply('CUSTOM failed on purpose')");

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private RedisClient client;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void connectToAServerWithoutScripts() {
        client = clients.connect(uri(server));
        client.call(Server.flush());
        forgetScripts();
        client.call(Command.of("CONFIG RESETSTAT"));
    }

    @AfterEach
    void close() {
        client.close();
    }

    private void forgetScripts() {
        client.call(Command.of("SCRIPT FLUSH"));
    }

    /** Returns how often the server received {@code command}, with or without success. */
    private long received(String command) {
        Pattern calls = Pattern.compile("cmdstat_" + command + ":calls=(\\d+),");
        Matcher matcher = calls.matcher(client.call(Server.info("commandstats")));
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    private static ScriptCall<Long> add(int number) {
        return Scripts.run(ADD, List.of("sum"), List.of(number)).as(Replies::integer);
    }

    @Test
    void bodyOfAScriptUnknownToTheServerIsSent() {
        long sum = client.call(add(5));

        assertThat(sum).isEqualTo(5);
        assertThat(received("evalsha")).isOne();
        assertThat(received("eval")).isOne();
        assertThat(client.counts().error()).as("error replies").isOne();
    }

    @Test
    void bodyOfAScriptKnownToTheServerIsNotSent() {
        client.call(Scripts.load(ADD));

        long sum = client.call(add(5));

        assertThat(sum).isEqualTo(5);
        assertThat(received("evalsha")).isOne();
        assertThat(received("eval")).isZero();
    }

    @Test
    void scriptBodyIsSentOnceAndAgainAfterTheServerDeletedItsScripts() {
        ScriptCall<Long> call = add(1);
        client.call(call);
        client.call(call);
        long before = received("eval");

        forgetScripts();
        client.call(call);
        long sum = client.call(call);

        assertThat(sum).isEqualTo(4);
        assertThat(before).isOne();
        assertThat(received("evalsha")).isEqualTo(4);
        assertThat(received("eval")).isEqualTo(2);
    }

    @Test
    void pipelineRunsAnUnknownScriptOnlyIfThePipelineSendsTheScriptBody() {
        Pipeline pipeline = client.pipeline();
        Result<String> before = pipeline.add(Strings.set("other", "v"));
        Result<Long> byHash = pipeline.add(add(1).byHash());
        Result<Long> withBody = pipeline.add(add(2).withBody());
        Result<Long> known = pipeline.add(add(4).byHash());

        pipeline.run();

        assertThat(before.ok()).isTrue();
        ErrorReplyException missing = catchThrowableOfType(ErrorReplyException.class, byHash::value);
        assertThat(missing.code()).isEqualTo("NOSCRIPT");
        assertThat(withBody.value()).isEqualTo(2);
        assertThat(known.value()).isEqualTo(6);
    }

    @Test
    void scriptOfAPipelineOrATransactionKeepsItsOrderOnAServerWithoutTheScript() {
        Pipeline pipeline = client.pipeline();
        pipeline.add(Strings.set("sum", "10"));
        Result<Long> first = pipeline.add(add(1));
        Result<Optional<String>> after = pipeline.add(Strings.get("sum"));
        pipeline.run();
        forgetScripts();
        Transaction transaction = client.transaction();
        Result<Long> second = transaction.add(add(5));
        Result<Optional<String>> last = transaction.add(Strings.get("sum"));
        transaction.run();

        assertThat(first.value()).isEqualTo(11);
        assertThat(after.value()).hasValue("11");
        assertThat(second.value()).isEqualTo(16);
        assertThat(last.value()).hasValue("16");
        assertThat(received("evalsha")).isZero();
        assertThat(received("eval")).isEqualTo(2);
    }

    @Test
    void sentScriptIsRunByItsHashAndWithItsBodyIfTheServerDoesNotHaveTheScript() {
        long unknown = client.send(add(5)).join();
        long known = client.send(add(1)).join();

        assertThat(unknown).isEqualTo(5);
        assertThat(known).isEqualTo(6);
        assertThat(received("evalsha")).isEqualTo(2);
        assertThat(received("eval")).isOne();
    }

    @Test
    void futureOfASentScriptEndsWithTheErrorOfTheScript() {
        ScriptCall<Reply> failing = Scripts.run(ADD_AND_FAIL, List.of("sum"), List.of());

        Throwable unknown =
                client.send(failing).handle((value, failure) -> failure).join();
        Throwable known =
                client.send(failing).handle((value, failure) -> failure).join();

        assertThat(unknown).isInstanceOf(ErrorReplyException.class).hasMessageContaining("EVAL failed: CUSTOM");
        assertThat(known).isInstanceOf(ErrorReplyException.class).hasMessageContaining("EVALSHA failed: CUSTOM");
        assertThat(client.call(Strings.get("sum"))).as("executions").hasValue("2");
        assertThat(received("eval")).isOne();
    }

    @Test
    void borrowedConnectionRunsAnUnknownScript() {
        try (DedicatedConnection connection = client.borrow()) {
            assertThat(connection.call(add(5))).isEqualTo(5);
            assertThat(connection.call(add(5))).isEqualTo(10);
        }
        assertThat(received("eval")).isOne();
    }

    @Test
    void readOnlyScriptIsRunWithRepeatableCommandsAndMustNotWrite() {
        Script read = Script.of("return redis.call('GET', KEYS[1])");
        client.call(Strings.set("sum", "7"));
        ScriptCall<String> call =
                Scripts.runReadOnly(read, List.of("sum"), List.of()).as(Replies::text);

        assertThat(client.call(call)).isEqualTo("7");
        assertThat(client.send(call).join()).isEqualTo("7");
        assertThat(call.byHash().spec().idempotent()).isTrue();
        assertThat(call.withBody().spec().idempotent()).isTrue();
        assertThat(received("eval_ro")).isOne();
        assertThat(received("evalsha_ro")).isEqualTo(2);
        ErrorReplyException write = catchThrowableOfType(
                ErrorReplyException.class, () -> client.call(Scripts.runReadOnly(ADD, List.of("sum"), List.of(1))));
        assertThat(write).hasMessageContaining("Write commands are not allowed from read-only scripts");
    }

    @Test
    void serverReportsWhichScriptsItHas() {
        client.call(Scripts.load(ADD));

        assertThat(client.call(Scripts.exist(ADD, ADD_AND_FAIL))).containsExactly(true, false);
    }

    @Test
    void errorOfAScriptIsThrownAndTheScriptIsNotRepeated() {
        ScriptCall<Reply> failing = Scripts.run(ADD_AND_FAIL, List.of("sum"), List.of());

        ErrorReplyException unknown = catchThrowableOfType(ErrorReplyException.class, () -> client.call(failing));
        ErrorReplyException known = catchThrowableOfType(ErrorReplyException.class, () -> client.call(failing));

        assertThat(unknown.code()).isEqualTo("CUSTOM");
        assertThat(unknown).hasMessageContaining("EVAL failed: CUSTOM failed on purpose");
        assertThat(known).hasMessageContaining("EVALSHA failed: CUSTOM failed on purpose");
        assertThat(client.call(Strings.get("sum"))).as("executions").hasValue("2");
        assertThat(received("eval")).isOne();
    }

    @Test
    void errorOfACommandInsideAScriptIsThrown() {
        client.call(Strings.set("sum", "not a number"));

        ErrorReplyException unknown = catchThrowableOfType(ErrorReplyException.class, () -> client.call(add(1)));
        ErrorReplyException known = catchThrowableOfType(ErrorReplyException.class, () -> client.call(add(1)));

        assertThat(unknown).hasMessageContaining("value is not an integer");
        assertThat(known).hasMessageContaining("value is not an integer");
    }

    @Test
    void exceptionOfTheReplyDecoderIsThrownAndTheScriptIsNotRepeated() {
        ScriptCall<List<Reply>> wrong = add(1).as(Replies::items);

        UnexpectedReplyException thrown =
                catchThrowableOfType(UnexpectedReplyException.class, () -> client.call(wrong));

        assertThat(thrown).hasMessageContaining("an aggregate");
        assertThat(client.call(Strings.get("sum"))).as("executions").hasValue("1");
    }

    @Test
    void scriptCallKeepsItsKeysWhenTheCallerChangesTheListOfKeys() {
        List<String> keys = new ArrayList<>(List.of("sum"));
        ScriptCall<Long> call = Scripts.run(ADD, keys, List.of(3)).as(Replies::integer);

        keys.set(0, "other");
        client.call(call);

        assertThat(client.call(Strings.get("sum"))).hasValue("3");
        assertThat(client.call(Strings.get("other"))).isEmpty();
    }

    @Test
    void scriptWithoutAReplyTimesOutAndIsNotRepeated() {
        Handler silent = Handler.afterHandshake(command -> Answer.noReply());
        try (FakeRedis fake = FakeRedis.start(silent);
                RedisClient impatient = clients.connect(uri(fake))) {
            ScriptCall<Long> call = add(1).within(Duration.ofMillis(50));

            TimedOutException thrown = catchThrowableOfType(TimedOutException.class, () -> impatient.call(call));

            assertThat(thrown.maybeExecuted()).isTrue();
            assertThat(fake.commands()).extracting(ReceivedCommand::name).endsWith("EVALSHA");
        }
    }

    @Test
    void evalCommandAfterANoscriptErrorTimesOutAtTheDeadlineOfItsScriptCall() {
        Handler withoutEval = Handler.afterHandshake(
                command -> command.name().equals("EVALSHA") ? Answer.reply("-NOSCRIPT missing\r\n") : Answer.noReply());
        try (FakeRedis fake = FakeRedis.start(withoutEval);
                RedisClient impatient = clients.connect(uri(fake))) {
            ScriptCall<Long> call = add(1).within(Duration.ofSeconds(1));

            TimedOutException thrown = catchThrowableOfType(TimedOutException.class, () -> impatient.call(call));

            assertThat(thrown.maybeExecuted()).isTrue();
            assertThat(fake.commands()).extracting(ReceivedCommand::name).endsWith("EVALSHA", "EVAL");
        }
    }

    @Test
    void scriptIsNotRepeatedAfterItsConnectionIsLost() {
        Handler ending = Handler.afterHandshake(
                command -> command.name().equals("EVALSHA") ? Answer.end(ConnectionEnd.RESET) : Answer.reply(":1\r\n"));
        try (FakeRedis fake = FakeRedis.start(ending);
                RedisClient other = clients.connect(uri(fake))) {
            ConnectionLostException thrown =
                    catchThrowableOfType(ConnectionLostException.class, () -> other.call(add(1)));

            assertThat(thrown.maybeExecuted()).isTrue();
            fake.awaitConnections(2, WatchedClients.TIMEOUT);
            assertThat(other.call(Strings.increment("sum"))).isOne();
            assertThat(fake.commands())
                    .extracting(ReceivedCommand::name)
                    .containsOnlyOnce("EVALSHA")
                    .doesNotContain("EVAL");
        }
    }
}
