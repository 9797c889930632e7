// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.Difference;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.testkit.NoThreadLeft;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Verifications without a load, and the differences that they name. */
@ExtendWith(NoThreadLeft.class)
class VerificationTest {

    private static final HashTarget HASH = HashTarget.of("c:{id}");
    private static final StringTarget STRING = StringTarget.of("c:{id}", "name");

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @TempDir
    private Path folder;

    private final List<LoadEvent> events = new ArrayList<>();

    @Test
    void everyKindOfDifferenceInHashesIsNamed() throws IOException {
        load(HASH.withReplaceRow(), TestRows.count(6));
        REDIS.call("HSET", "c:1", "name", "Eve");
        REDIS.call("DEL", "c:2");
        REDIS.call("HDEL", "c:3", "name");
        REDIS.call("DEL", "c:4");
        REDIS.call("RPUSH", "c:4", "x");
        REDIS.call("EXPIRE", "c:5", "1000");

        LoadReport report = verify(HASH.withReplaceRow(), TestRows.count(6));

        assertThat(report.verified()).contains(new Verified(6, 5));
        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(report.rows()).isEqualTo(new RowCounts(6, 0, 0, 6, 0));
        List<String> lines = differences();
        assertThat(lines)
                .contains(
                        "{\"key\":\"c:1\",\"difference\":\"value\",\"field\":\"name\",\"expected\":\"Customer 1\","
                                + "\"found\":\"Eve\"}",
                        "{\"key\":\"c:2\",\"difference\":\"absent\",\"found\":null}",
                        "{\"key\":\"c:3\",\"difference\":\"fields\",\"expected\":\"2\",\"found\":\"1\"}",
                        "{\"key\":\"c:4\",\"difference\":\"type\"}")
                .anyMatch(line ->
                        line.startsWith("{\"key\":\"c:5\",\"difference\":\"ttl\",\"expected\":\"-1\",\"found\":\""))
                .hasSize(5);
    }

    @Test
    void missingFieldOfAMergedHashIsNamed() throws IOException {
        load(HASH, TestRows.count(2));
        REDIS.call("HDEL", "c:1", "name");

        var unused = verify(HASH, TestRows.count(2));

        assertThat(differences())
                .containsExactly("{\"key\":\"c:1\",\"difference\":\"absent\",\"field\":\"name\","
                        + "\"expected\":\"Customer 1\",\"found\":null}");
    }

    @Test
    void differencesOfStringsAndFieldsAreNamed() throws IOException {
        HashFieldTarget field = HashFieldTarget.of("all", "{id}").withValue("name");
        load(STRING, TestRows.count(3));
        load(field, TestRows.count(3));
        REDIS.call("SET", "c:1", "Eve");
        REDIS.call("DEL", "c:2");
        REDIS.call("HSET", "all", "1", "Eve");

        LoadReport strings = verify(STRING, TestRows.count(3));
        List<String> ofStrings = differences();
        Files.delete(folder.resolve("differences.jsonl"));
        LoadReport fields = verify(field, TestRows.count(3));

        assertThat(strings.verified()).contains(new Verified(3, 2));
        assertThat(ofStrings)
                .containsExactly(
                        "{\"key\":\"c:1\",\"difference\":\"value\",\"expected\":\"Customer 1\",\"found\":\"Eve\"}",
                        "{\"key\":\"c:2\",\"difference\":\"absent\",\"found\":null}");
        assertThat(fields.verified()).contains(new Verified(3, 1));
        assertThat(differences())
                .containsExactly("{\"key\":\"all\",\"difference\":\"value\",\"field\":\"1\","
                        + "\"expected\":\"Customer 1\",\"found\":\"Eve\"}");
    }

    @Test
    void placeWhoseLastRowMatchesIsNoDifference() throws IOException {
        RowSource twice = TestRows.of((row, opening, id) -> id < 4 && TestRows.fill(row, id % 2, "version " + id));
        load(STRING, twice);

        LoadReport report = verify(STRING, twice);

        assertThat(report.verified()).contains(new Verified(4, 0));
        assertThat(differences()).isEmpty();
        assertThat(events).noneMatch(LoadEvent.Differed.class::isInstance);
    }

    @Test
    void longValuesAreCutAndEachDifferenceIsAnEvent() throws IOException {
        RowSource big = TestRows.of((row, opening, id) -> id < 1 && TestRows.fill(row, id, "x".repeat(5_000)));
        load(STRING, big);
        REDIS.call("APPEND", "c:0", "y");

        var unused = verify(STRING, big);

        assertThat(differences())
                .singleElement()
                .asString()
                .endsWith("\",\"cut\":true}")
                .hasSizeLessThan(2_200);
        assertThat(events)
                .filteredOn(LoadEvent.Differed.class::isInstance)
                .singleElement()
                .satisfies(event -> {
                    LoadEvent.Differed differed = (LoadEvent.Differed) event;
                    assertThat(differed.key()).isEqualTo("c:0");
                    assertThat(differed.difference().kind()).isEqualTo(Difference.Kind.VALUE);
                    assertThat(differed.difference().expected()).hasSize(Difference.KEPT_BYTES);
                });
    }

    @Test
    void binaryValuesAreBase64() throws IOException {
        REDIS.call("SET", "c:0", "Eve");
        RowSource binary = TestRows.of(List.of("id", "name"), List.of(List.of("0", new byte[] {-1, 0}))); // not UTF-8

        var unused = verify(STRING, binary);

        assertThat(differences())
                .containsExactly("{\"key\":\"c:0\",\"difference\":\"value\",\"expected\":{\"base64\":\"/wA=\"},"
                        + "\"found\":\"Eve\"}");
    }

    @Test
    void verificationWithoutALoadRejectsRowsWithoutAKeyAndToleratesExpiredKeys() throws IOException {
        RowSource rows = TestRows.of(
                List.of("id", "name"), List.of(List.of("1", "Ada"), List.of("", "nobody"), List.of("2", "Zoë")));
        REDIS.call("SET", "c:1", "Ada", "EX", "100");

        LoadReport report = verify(STRING.withTtl(Duration.ofHours(1)), rows);

        assertThat(report.verified()).contains(new Verified(2, 0));
        assertThat(report.rows()).isEqualTo(new RowCounts(3, 0, 1, 2, 0));
        assertThat(report.job().kind()).isEqualTo(LoadReport.Job.Kind.VERIFICATION);
    }

    @Test
    void incompleteVerificationNamesNoDifference() throws IOException {
        REDIS.call("SET", "c:1", "new");
        byte[] csv = "id,name\n1,old\n1,\"new".getBytes(UTF_8);

        LoadReport report =
                verify(STRING, CsvSource.of(new ByteArrayInputStream(csv), "cut.csv", CsvOptions.defaults()));

        assertThat(report.verified()).isEmpty();
        assertThat(report.ending()).isInstanceOf(Ending.Unverified.class);
        assertThat(differences()).isEmpty();
        assertThat(events).noneMatch(event -> event instanceof LoadEvent.Differed);
        assertThat(report.details().warnings())
                .singleElement()
                .asString()
                .startsWith("the verification is incomplete, so it names no difference: 1 keys or fields differ");
    }

    @Test
    void differencesFileThatIsNotEmptyIsRefusedBeforeARowIsWritten() throws IOException {
        Files.writeString(folder.resolve("differences.jsonl"), "precious");

        assertThatThrownBy(() -> verify(STRING, TestRows.count(1)))
                .isInstanceOf(PlanException.class)
                .hasMessageStartingWith("differences file is not empty: ");
        assertThat(Files.readString(folder.resolve("differences.jsonl"), UTF_8)).isEqualTo("precious");
    }

    @Test
    void differencesOfRepeatedKeysAreDoubtedIfTheSourceHasNoOrder() {
        RowSource turning = TestRows.unordered(TestRows.of((row, opening, id) -> {
            row.clear(id + 1, 0);
            row.add(7);
            row.add(opening == 1 ? id : 1 - id);
            return id < 2;
        }));
        LoadOptions options = LoadOptions.builder().verify(Verification.FULL).build();

        LoadReport report = new Loader(REDIS.options()).run(new LoadPlan(turning, STRING, options), events::add);

        assertThat(report.verified().orElseThrow().mismatched()).isOne();
        assertThat(report.details().warnings())
                .singleElement()
                .asString()
                .startsWith("some differences may be no errors: several rows have the same key");
    }

    @Test
    void verificationOfNoRowsIsRefused() {
        Loader loader = new Loader(REDIS.options());

        assertThatThrownBy(() ->
                        loader.verify(new LoadPlan(TestRows.count(1), STRING, LoadOptions.defaults()), events::add))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("verify.share=0");
    }

    private void load(Target target, RowSource source) {
        LoadReport report =
                new Loader(REDIS.options()).run(new LoadPlan(source, target, LoadOptions.defaults()), event -> {});
        assertThat(report.ending()).isEqualTo(new Ending.Completed());
    }

    private LoadReport verify(Target target, RowSource source) {
        LoadOptions options = LoadOptions.builder()
                .verify(Verification.FULL)
                .differences(folder.resolve("differences.jsonl"))
                .build();
        return new Loader(REDIS.options()).verify(new LoadPlan(source, target, options), events::add);
    }

    private List<String> differences() throws IOException {
        return Files.readAllLines(folder.resolve("differences.jsonl"));
    }
}
