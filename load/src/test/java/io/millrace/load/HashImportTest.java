// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Replies;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.JsonTarget;
import io.millrace.load.target.Target;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Loads that replace hashes, on servers with {@code HIMPORT}, without it, and with faults. */
@ExtendWith(NoThreadLeft.class)
class HashImportTest {

    private static final HashTarget TARGET = HashTarget.of("c:{id}").withReplaceRow();
    private static final List<String> FIVE = List.of("id", "a", "b", "c", "d", "e");

    /** The scripts that write rows: the first of a connection and the retries, and the others. */
    private static final Predicate<ReceivedCommand> SCRIPT = named("EVAL").or(named("EVALSHA"));

    private final List<LoadEvent> events = new ArrayList<>();

    /** The commands that the last load sent to the fake server. */
    private List<ReceivedCommand> sent = List.of();

    @Test
    void fieldNamesAreSentOncePerConnection() {
        FakeHashServer server = FakeHashServer.importing();
        FakeHashServer old = new FakeHashServer(false, command -> Optional.empty());

        LoadReport report = run(server, TARGET, with(3), TestRows.count(1_000));
        List<ReceivedCommand> imported = sent;
        LoadReport ordinary = run(old, TARGET, with(3), TestRows.count(1_000));

        assertThat(imported.stream().filter(named("HIMPORT PREPARE")).map(ReceivedCommand::connection))
                .hasSize(3)
                .doesNotHaveDuplicates();
        assertThat(imported)
                .filteredOn(named("HIMPORT PREPARE"))
                .allMatch(prepare -> prepare.line().equals("HIMPORT PREPARE 0 id name"));
        assertThat(imported)
                .filteredOn(named("HIMPORT SET"))
                .hasSize(1_000)
                .noneMatch(set -> set.line().contains("name"));
        assertThat(imported)
                .filteredOn(named("HIMPORT SET"))
                .anyMatch(set -> set.line().equals("HIMPORT SET c:77 0 77 Customer 77"));
        assertThat(imported).noneMatch(named("EVAL"));
        assertThat(report.rows()).isEqualTo(new RowCounts(1_000, 1_000, 0, 0, 0));
        assertThat(report.commands().submitted()).isEqualTo(1_003);
        assertThat(report.commands().ok()).isEqualTo(1_003);
        assertThat(ordinary.rows()).isEqualTo(report.rows());
        assertThat(server.hashes()).hasSize(1_000).isEqualTo(old.hashes());
    }

    @Test
    void importedRowsAreVerified() {
        FakeHashServer server = FakeHashServer.importing();
        server.putExpiring("c:1", Map.of("name", "old", "age", "36"));
        LoadOptions options = LoadOptions.builder().verify(Verification.FULL).build();

        LoadReport report = run(server, TARGET, options, TestRows.count(10));

        assertThat(report.verified()).contains(new Verified(10, 0));
        assertThat(server.hashes()).containsEntry("c:1", Map.of("id", "1", "name", "Customer 1"));
        assertThat(server.expiring()).isEmpty();
    }

    @Test
    void serverWithoutHimportReceivesScripts() {
        for (String answer :
                List.of("*1\r\n_\r\n", "*1\r\n*-1\r\n", "*0\r\n", FakeHashServer.NOPERM, FakeHashServer.UNKNOWN)) {
            FakeHashServer server = new FakeHashServer(true, instead(named("COMMAND"), answer));

            LoadReport report = run(server, TARGET, LoadOptions.defaults(), TestRows.count(10));

            assertThat(sent).as(answer).noneMatch(command -> command.name().equals("HIMPORT"));
            assertThat(report.commands().ok()).as(answer).isEqualTo(10);
            assertThat(server.hashes()).as(answer).hasSize(10);
        }
    }

    @Test
    void realServerWithoutHimportStoresTheSameHashesAsTheFakeServer() {
        FakeHashServer server = FakeHashServer.importing();
        List<List<@Nullable Object>> rows = rowsOfEveryShape();
        run(server, TARGET, LoadOptions.defaults(), TestRows.of(FIVE, rows));

        try (TestRedis redis = TestRedis.start()) {
            LoadReport report = new Loader(redis.options())
                    .run(new LoadPlan(TestRows.of(FIVE, rows), TARGET, LoadOptions.defaults()), events::add);

            assertThat(report.commands().ok()).isEqualTo(64);
            server.hashes()
                    .forEach((key, hash) -> assertThat(
                                    Replies.map(Replies::text, Replies::text).apply(redis.call("HGETALL", key)))
                            .isEqualTo(hash));
        }
    }

    @Test
    void onlyTheTargetThatReplacesHashesWithoutExpiryUsesHimport() {
        HashTarget hash = HashTarget.of("c:{id}");
        for (Target target : List.of(
                hash,
                TARGET.withTtl(Duration.ofHours(1)),
                HashFieldTarget.of("c:{id}", "{name}"),
                JsonTarget.of("c:{id}"))) {
            FakeHashServer server =
                    new FakeHashServer(true, instead(named("HSET").or(named("SET")), "+OK\r\n"));

            LoadReport report = run(server, target, LoadOptions.defaults(), TestRows.count(10));

            assertThat(sent).as("%s", target).noneMatch(named("COMMAND").or(named("HIMPORT SET")));
            assertThat(report.rows().written()).as("%s", target).isEqualTo(10);
        }
    }

    @Test
    void loadOfRowsWithNullsPreparesAtMostSixteenFieldSets() {
        FakeHashServer server = FakeHashServer.importing();
        List<List<@Nullable Object>> rows = rowsOfEveryShape();

        LoadReport report = run(server, TARGET, with(1), TestRows.of(FIVE, rows));

        assertThat(sent).filteredOn(named("HIMPORT PREPARE")).hasSize(16);
        assertThat(sent).filteredOn(named("HIMPORT SET")).hasSize(32);
        assertThat(sent).filteredOn(SCRIPT).hasSize(32);
        assertThat(report.rows()).isEqualTo(new RowCounts(64, 64, 0, 0, 0));
        assertThat(server.hashes()).isEqualTo(lastOfEachKey(FIVE, rows));
    }

    @Test
    void loadThatWritesATextForNullNeedsOnlyOneFieldSet() {
        FakeHashServer server = FakeHashServer.importing();

        run(server, TARGET.withNullText("-"), LoadOptions.defaults(), TestRows.of(FIVE, rowsOfEveryShape()));

        assertThat(sent).filteredOn(named("HIMPORT PREPARE")).hasSize(1);
        assertThat(sent)
                .filteredOn(named("HIMPORT SET"))
                .hasSize(64)
                .allMatch(set -> set.arguments().size() == 4 + FIVE.size());
        assertThat(server.hashes().get("c:0"))
                .isEqualTo(Map.of("id", "0", "a", "-", "b", "-", "c", "-", "d", "-", "e", "-"));
    }

    @Test
    void arbitraryBytesAreImportedUnchanged() {
        FakeHashServer server = FakeHashServer.importing();
        List<String> columns = List.of("id", "n\r\nä\u0000");
        byte[] key = {0, '\r', '\n', -1};
        byte[] value = {-128, 10, 0, 36};

        run(
                server,
                TARGET,
                LoadOptions.defaults(),
                TestRows.of(columns, List.of(List.of(key, value), List.of("2", ""))));

        assertThat(sent).filteredOn(named("HIMPORT SET")).hasSize(2);
        assertThat(server.hashes())
                .isEqualTo(Map.of(
                        "c:" + latin1(key),
                        Map.of("id", latin1(key), utf8AsLatin1(columns.getLast()), latin1(value)),
                        "c:2",
                        Map.of("id", "2", utf8AsLatin1(columns.getLast()), "")));
    }

    @Test
    void noRowIsLostIfTheUserHasNoPermissionForHimport() {
        for (Predicate<ReceivedCommand> forbidden : List.of(
                named("HIMPORT PREPARE"),
                named("HIMPORT SET"),
                named("HIMPORT PREPARE").or(named("HIMPORT SET")))) {
            FakeHashServer server = new FakeHashServer(true, instead(forbidden, FakeHashServer.NOPERM));

            LoadReport report = run(server, TARGET, with(2), TestRows.count(5_000));

            assertThat(report.ending()).isEqualTo(new Ending.Completed());
            assertThat(report.rows()).isEqualTo(new RowCounts(5_000, 5_000, 0, 0, 0));
            assertThat(sent).filteredOn(SCRIPT).hasSize(5_000);
            assertThat(sent).filteredOn(named("HIMPORT SET")).hasSizeBetween(2, 2 * 65);
            assertThat(report.commands().submitted())
                    .isEqualTo(sent.stream()
                            .filter(SCRIPT.or(named("HIMPORT SET")).or(named("HIMPORT PREPARE")))
                            .count());
            assertThat(server.hashes()).hasSize(5_000);
        }
    }

    @Test
    void noRowIsLostIfTheServerLosesItsFieldSets() {
        AtomicInteger sets = new AtomicInteger();
        FakeHashServer[] server = new FakeHashServer[1];
        server[0] = new FakeHashServer(true, command -> {
            if (named("HIMPORT SET").test(command) && sets.incrementAndGet() == 700) {
                server[0].forgetFieldSets();
            }
            return Optional.empty();
        });

        LoadReport report = run(server[0], TARGET, with(1), TestRows.count(2_000));

        assertThat(report.rows()).isEqualTo(new RowCounts(2_000, 2_000, 0, 0, 0));
        assertThat(report.commands().error()).isEqualTo(sets.get() - 699).isPositive();
        assertThat(server[0].hashes()).hasSize(2_000);
    }

    @Test
    void ifTheImportIsRefusedTheRetryReplacesAKeyOfAnotherType() {
        FakeHashServer server = FakeHashServer.importing();
        server.putString("c:3");

        LoadReport report = run(server, TARGET, LoadOptions.defaults(), TestRows.count(10));

        assertThat(report.rows()).isEqualTo(new RowCounts(10, 10, 0, 0, 0));
        assertThat(server.strings()).isEmpty();
        assertThat(server.hashes()).containsEntry("c:3", Map.of("id", "3", "name", "Customer 3"));
    }

    @Test
    void lastRowOfAKeyWinsWhenAnEarlierRowIsRetried() {
        List<List<@Nullable Object>> rows = new ArrayList<>(rowsOfEveryShape().subList(0, 16));
        rows.add(Arrays.asList("key", null, null, null, null, null));
        rows.add(List.of("key", "1", "2", "3", "4", "5"));
        CountDownLatch lastSent = new CountDownLatch(1);
        // The server replies to the refused import only after the last row was sent with an ordinary command.
        FakeHashServer server = new FakeHashServer(true, command -> {
            if (command.line().endsWith("a 1 b 2 c 3 d 4 e 5")) {
                lastSent.countDown();
            }
            return command.line().startsWith("HIMPORT SET c:key")
                    ? Optional.of(Answer.reply("-WRONGTYPE it is a string\r\n").heldUntil(lastSent))
                    : Optional.empty();
        });

        LoadReport report = run(server, TARGET, LoadOptions.defaults(), TestRows.of(FIVE, rows));

        assertThat(sent.subList(sent.size() - 4, sent.size()).stream().map(HashImportTest::withoutScript))
                .containsExactly(
                        "EVAL c:key 0 -12 id key a 1 b 2 c 3 d 4 e 5",
                        "EVAL c:key 0 -2 id key",
                        "EVAL c:key 0 -12 id key a 1 b 2 c 3 d 4 e 5",
                        "INFO");
        assertThat(report.rows()).isEqualTo(new RowCounts(18, 18, 0, 0, 0));
        assertThat(server.hashes()).isEqualTo(lastOfEachKey(FIVE, rows));
    }

    @Test
    void acknowledgedRowWhoseRetryFailsIsUnconfirmed() {
        AtomicInteger imports = new AtomicInteger();
        AtomicInteger scripts = new AtomicInteger();
        CountDownLatch bothSent = new CountDownLatch(1);
        FakeHashServer server = new FakeHashServer(true, command -> {
            if (named("HIMPORT SET").test(command)) {
                if (imports.incrementAndGet() == 2) {
                    bothSent.countDown();
                    return Optional.empty();
                }
                return Optional.of(Answer.reply(FakeHashServer.NOPERM).heldUntil(bothSent));
            }
            return named("EVAL").test(command) && scripts.incrementAndGet() == 2
                    ? Optional.of(Answer.reply("-ERR no such luck\r\n"))
                    : Optional.empty();
        });
        List<List<@Nullable Object>> rows = List.of(List.of("1", "first"), List.of("1", "second"));

        LoadReport report = run(server, TARGET, LoadOptions.defaults(), TestRows.of(List.of("id", "name"), rows));

        assertThat(report.rows()).isEqualTo(new RowCounts(2, 1, 0, 0, 1));
        assertThat(report.commands().error()).isEqualTo(2);
    }

    @Test
    void rowRefusedByImportAndScriptIsRejectedWithTheScriptError() {
        String error = "-ERR no such luck\r\n";
        FakeHashServer server =
                new FakeHashServer(true, instead(command -> command.line().contains("Customer 3"), error));

        LoadReport report = run(server, TARGET, LoadOptions.defaults(), TestRows.count(10));

        assertThat(report.rows()).isEqualTo(new RowCounts(10, 9, 1, 0, 0));
        assertThat(events.stream()
                        .filter(LoadEvent.Rejected.class::isInstance)
                        .map(event -> ((LoadEvent.Rejected) event).rejection().message()))
                .containsExactly("ERR no such luck");
        assertThat(server.hashes()).hasSize(9).doesNotContainKey("c:3");
    }

    @Test
    void lostConnectionIsReplacedAndItsFieldSetsArePreparedAgain() {
        AtomicInteger sets = new AtomicInteger();
        FakeHashServer server = new FakeHashServer(true, command -> {
            boolean end = named("HIMPORT SET").test(command) && sets.incrementAndGet() == 500;
            return end ? Optional.of(Answer.end(io.millrace.testkit.ConnectionEnd.RESET)) : Optional.empty();
        });

        LoadReport report = run(server, TARGET, with(1), TestRows.count(10_000));

        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(report.rows()).isEqualTo(new RowCounts(10_000, 10_000, 0, 0, 0));
        assertThat(server.hashes()).hasSize(10_000);
        assertThat(sent).filteredOn(named("HIMPORT PREPARE")).hasSize(2);
    }

    @Test
    void loadWithRefusedImportsStoresTheSameHashesAsALoadWithScripts() {
        for (int round = 0; round < 60; round++) {
            long seed = new Random().nextLong();
            Random random = new Random(seed);
            List<List<@Nullable Object>> rows = randomRows(random, 50 + random.nextInt(2_000));
            int oneIn = 1 + random.nextInt(500);
            // The server refuses some commands at random, and does not execute them. Later commands may succeed.
            Random chance = new Random(seed + 1);
            FakeHashServer server = new FakeHashServer(
                    true,
                    command -> command.name().equals("HIMPORT") && chance.nextInt(oneIn) == 0
                            ? Optional.of(Answer.reply("-ERR no such luck\r\n"))
                            : Optional.empty());
            IntStream.range(0, random.nextInt(3)).forEach(i -> server.putString("c:" + random.nextInt(40)));
            LoadOptions options = LoadOptions.builder()
                    .connections(1 + random.nextInt(3))
                    .inFlight(1 + random.nextInt(200))
                    .build();

            LoadReport report = run(server, TARGET, options, TestRows.of(FIVE, rows));

            assertThat(report.rows()).as("seed=%d", seed).isEqualTo(new RowCounts(rows.size(), rows.size(), 0, 0, 0));
            assertThat(server.hashes()).as("seed=%d", seed).containsAllEntriesOf(lastOfEachKey(FIVE, rows));
        }
    }

    /** 64 rows: each of the 32 combinations of NULL and a value in five columns occurs twice. */
    private static List<List<@Nullable Object>> rowsOfEveryShape() {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            List<@Nullable Object> row = new ArrayList<>(List.of("" + i));
            for (int column = 0; column < 5; column++) {
                row.add((i & 1 << column) == 0 ? null : "v" + i);
            }
            rows.add(row);
        }
        return rows;
    }

    private static List<List<@Nullable Object>> randomRows(Random random, int count) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<@Nullable Object> row = new ArrayList<>(List.of("" + random.nextInt(40)));
            for (int column = 0; column < 5; column++) {
                row.add(random.nextInt(4) == 0 ? null : "v" + i);
            }
            rows.add(row);
        }
        return rows;
    }

    /** The expected hashes after the load. */
    private static Map<String, Map<String, String>> lastOfEachKey(
            List<String> columns, List<List<@Nullable Object>> rows) {
        Map<String, Map<String, String>> hashes = new HashMap<>();
        for (List<@Nullable Object> row : rows) {
            Map<String, String> hash = new TreeMap<>();
            for (int i = 0; i < columns.size(); i++) {
                Object value = row.get(i);
                if (value != null) {
                    hash.put(columns.get(i), value.toString());
                }
            }
            hashes.put("c:" + row.getFirst(), hash);
        }
        return hashes;
    }

    private LoadReport run(FakeHashServer hashes, Target target, LoadOptions options, RowSource source) {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(hashes))) {
            LoadReport report = new Loader(ClientOptions.of(RedisUri.parse(server.uri())))
                    .run(new LoadPlan(source, target, options), events::add);
            sent = server.commands();
            return report;
        }
    }

    /** Options without fusion, so that each row is one command. */
    private static LoadOptions with(int connections) {
        return LoadOptions.builder()
                .connections(connections)
                .inFlight(64)
                .withoutFusion()
                .build();
    }

    private static Function<ReceivedCommand, Optional<Answer>> instead(Predicate<ReceivedCommand> which, String reply) {
        return command -> which.test(command) ? Optional.of(Answer.reply(reply)) : Optional.empty();
    }

    private static Predicate<ReceivedCommand> named(String name) {
        return command -> (command.line() + " ").startsWith(name + " ");
    }

    private static String withoutScript(ReceivedCommand command) {
        return command.name().equals("EVAL")
                ? "EVAL " + command.line().substring(command.line().indexOf("c:"))
                : command.name();
    }

    private static String latin1(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }

    private static String utf8AsLatin1(String text) {
        return latin1(text.getBytes(UTF_8));
    }
}
