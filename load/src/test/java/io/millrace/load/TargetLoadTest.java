// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Replies;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.JsonSetTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.Repetition;
import io.millrace.load.target.SetTarget;
import io.millrace.load.target.SortedSetTarget;
import io.millrace.load.target.StreamTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Loads into lists, sets, sorted sets, streams, bitmaps and JSON documents, and loads that leave rows out. */
@ExtendWith(NoThreadLeft.class)
class TargetLoadTest {

    private static final LoadOptions VERIFIED =
            LoadOptions.builder().verify(Verification.FULL).build();

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @Test
    void elementsOfAListKeepTheOrderOfTheRowsAndAreFused() {
        LoadReport report = run(ListTarget.of("l").withValue("id"), LoadOptions.defaults(), TestRows.count(5_000));

        assertThat(integer("LLEN", "l")).isEqualTo(5_000);
        assertThat(Replies.text(REDIS.call("LINDEX", "l", "4321"))).isEqualTo("4321");
        assertThat(report.fusion().commands()).isGreaterThan(4_000);
        assertThat(report.details().repetition()).isEqualTo(Repetition.ADDS_ROW_AGAIN);
    }

    @Test
    void entriesOfAStreamKeepTheOrderOfTheRows() {
        LoadReport report = run(StreamTarget.of("s"), LoadOptions.defaults(), TestRows.count(1_000));

        assertThat(report.rows().written()).isEqualTo(1_000);
        assertThat(integer("XLEN", "s")).isEqualTo(1_000);
        String lastName = "return redis.call('XREVRANGE',KEYS[1],'+','-','COUNT',1)[1][2][4]";
        assertThat(Replies.text(REDIS.call("EVAL", lastName, "1", "s"))).isEqualTo("Customer 999");
        assertThat(report.details().repetition()).isEqualTo(Repetition.ADDS_ROW_AGAIN);
    }

    @Test
    void bitsOfConsecutiveRowsAreFused() {
        LoadReport report = run(BitmapTarget.of("b", "id"), LoadOptions.defaults(), TestRows.count(5_000));

        assertThat(integer("BITCOUNT", "b")).isEqualTo(5_000);
        assertThat(report.fusion().commands()).isGreaterThan(4_000);
    }

    static Stream<Target> verifiable() {
        Duration hour = Duration.ofHours(1);
        SetTarget set = SetTarget.of("e").withValue("name");
        SortedSetTarget scores = SortedSetTarget.of("e", "id").withValue("name");
        BitmapTarget bits = BitmapTarget.of("e", "id");
        return Stream.of(set, set.withTtl(hour), scores, scores.withTtl(hour), bits, bits.withTtl(hour));
    }

    @ParameterizedTest
    @MethodSource("verifiable")
    void verificationFindsARowThatIsMissingInItsKey(Target target) {
        RowSource disturbing = TestRows.before(TestRows.count(1_000), opening -> opening == 2, () -> {
            REDIS.call("SREM", "e", "Customer 7");
            REDIS.call("ZADD", "e", "8", "Customer 7");
            REDIS.call("SETBIT", "e", "7", "0");
        });

        LoadReport clean = run(target, VERIFIED, TestRows.count(1_000));
        LoadReport disturbed = run(target, VERIFIED, disturbing);

        assertThat(clean.verified()).contains(new Verified(1_000, 0));
        assertThat(disturbed.verified()).contains(new Verified(1_000, 1));
    }

    static Stream<Target> notVerifiable() {
        return Stream.of(
                ListTarget.of("l"),
                StreamTarget.of("s"),
                JsonSetTarget.of("j:{id}"),
                HashTarget.of("h:{id}").withOnlyMissing(),
                StringTarget.of("s:{id}", "name").withOnlyMissing());
    }

    @ParameterizedTest
    @MethodSource("notVerifiable")
    void verificationIsRefusedBeforeTheLoadIfRowsCannotBeReadBack(Target target) {
        assertThatThrownBy(() -> run(target, VERIFIED, TestRows.count(10)))
                .isInstanceOf(PlanException.class)
                .hasMessageStartingWith("rows cannot be verified: type=" + target.type() + ", key=")
                .hasMessageEndingWith("Load without verification.");
        assertThat(integer("DBSIZE")).isZero();
    }

    @Test
    void rowsOfExistingKeysAreLeftOutAndCountedAsSkipped() {
        for (Target target : List.of(
                StringTarget.of("c:{id}", "name").withOnlyMissing(),
                StringTarget.of("c:{id}", "name").withOnlyMissing().withTtl(Duration.ofHours(1)),
                HashTarget.of("c:{id}").withOnlyMissing(),
                HashTarget.of("c:{id}").withOnlyMissing().withTtl(Duration.ofHours(1)))) {
            REDIS.call("FLUSHALL");
            REDIS.call("RPUSH", "c:3", "old");
            REDIS.call("SET", "c:4", "old");

            LoadReport first = run(target, LoadOptions.defaults(), TestRows.count(100));
            LoadReport second = run(target, LoadOptions.defaults(), TestRows.count(100));

            assertThat(first.rows()).as("%s", target).isEqualTo(new RowCounts(100, 98, 0, 2, 0));
            assertThat(second.rows()).as("%s", target).isEqualTo(new RowCounts(100, 0, 0, 100, 0));
            assertThat(Replies.text(REDIS.call("GET", "c:4"))).isEqualTo("old");
            assertThat(integer("PTTL", "c:4")).isEqualTo(-1);
            assertThat(integer("LLEN", "c:3")).isEqualTo(1);
            assertThat(first.details().repetition()).isEqualTo(Repetition.LEAVES_ROW_OUT);
        }
    }

    @Test
    void rateLimitsTheRowsPerSecond() {
        LoadOptions options = LoadOptions.builder().rate(1_000).build();

        LoadReport report = run(HashTarget.of("c:{id}"), options, TestRows.count(300));

        assertThat(report.rows().written()).isEqualTo(300);
        assertThat(report.seconds()).isGreaterThan(0.29);
    }

    @Test
    void loadWithARateStopsWhileItWaits() {
        LoadOptions options = LoadOptions.builder().rate(1).build();
        Loader loader = new Loader(REDIS.options());

        LoadReport report = loader.run(new LoadPlan(TestRows.endless(), HashTarget.of("c:{id}"), options), event -> {
            if (event instanceof LoadEvent.Progress progress && progress.rows().read() > 0) {
                loader.stop();
            }
        });

        assertThat(report.ending()).isEqualTo(new LoadReport.Ending.Interrupted());
        assertThat(report.rows().written()).isEqualTo(report.rows().read());
    }

    @Test
    void serverWithoutJsonTypeIsRefused() {
        assertThatThrownBy(() -> run(JsonSetTarget.of("j:{id}"), LoadOptions.defaults(), TestRows.count(10)))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("the server has no JSON.SET");
        assertThat(integer("DBSIZE")).isZero();
    }

    @Test
    void documentsAreWrittenWithJsonSet() {
        Handler server = Handler.afterHandshake(command -> Answer.reply(
                switch (command.name()) {
                    case "INFO" -> "$21\r\nredis_mode:standalone\r\n";
                    case "COMMAND" -> "*1\r\n*1\r\n$8\r\njson.set\r\n";
                    default -> "+OK\r\n";
                }));
        try (FakeRedis fake = FakeRedis.start(server)) {
            LoadReport report = new Loader(ClientOptions.of(RedisUri.parse(fake.uri())))
                    .run(
                            new LoadPlan(TestRows.count(2), JsonSetTarget.of("j:{id}"), LoadOptions.defaults()),
                            event -> {});

            assertThat(report.rows()).isEqualTo(new RowCounts(2, 2, 0, 0, 0));
            assertThat(fake.commands().stream().map(ReceivedCommand::line))
                    .contains(
                            "JSON.SET j:0 $ {\"id\":0,\"name\":\"Customer 0\"}",
                            "JSON.SET j:1 $ {\"id\":1,\"name\":\"Customer 1\"}");
        }
    }

    private static LoadReport run(Target target, LoadOptions options, RowSource source) {
        return new Loader(REDIS.options()).run(new LoadPlan(source, target, options), event -> {});
    }

    private static long integer(String name, String... arguments) {
        Reply reply = REDIS.call(name, arguments);
        return Replies.integer(reply);
    }
}
