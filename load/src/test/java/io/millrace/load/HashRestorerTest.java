// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.load.source.Column;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply.ErrorReply;
import io.millrace.resp.Reply.IntegerReply;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HashRestorerTest {

    private static final HashTarget TARGET = HashTarget.of("k:{id}").withTtl(Duration.ofHours(1));
    private static final HashLimits LIMITS = new HashLimits("listpack", OptionalLong.of(2), OptionalLong.of(4));
    private static final Outcome EXISTS = new Outcome.Failed(new ErrorReply("BUSYKEY Target key name already exists."));
    private static final Outcome NO_PERMISSION =
            new Outcome.Failed(new ErrorReply("NOPERM User app has no permissions to run the 'restore' command"));

    private final BulkWriter writer = (BulkWriter) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {BulkWriter.class}, (proxy, method, values) -> proxy);

    @Test
    void connectionWaitsForFewRowsAndBeginsAgainWhenItIsReplaced() {
        HashRestorer restorer = restorer(TARGET, LIMITS);

        assertThat(waits(restorer, 5_000)).containsExactly(1, 8, 64, 512, 4_096);
        restorer.connectionReplaced();
        assertThat(waits(restorer, 10)).containsExactly(1, 8);
    }

    @Test
    void rowsThatAreNotRestoredDoNotWait() {
        HashRestorer restorer = restorer(TARGET, LIMITS);

        assertThat(restorer.begin(row("1", "x"), writer)).isTrue();
        assertThat(restorer.awaitsOutcome()).isTrue();
        assertThat(restorer.begin(row("1", "xxxxx"), writer)).isFalse();
        assertThat(restorer.awaitsOutcome()).isFalse();
        restorer.stop();
        assertThat(restorer.begin(row("1", "x"), writer)).isFalse();
        assertThat(restorer.awaitsOutcome()).isFalse();
    }

    @Test
    void limitsOfAServerThatReportsNoneAreTheDefaults() {
        HashRestorer restorer = restorer(TARGET, HashLimits.NONE);

        assertThat(restorer.begin(row("1", "x".repeat(64)), writer)).isTrue();
        assertThat(restorer.begin(row("1", "x".repeat(65)), writer)).isFalse();
    }

    @Test
    void errorForAnExistingKeyIsTheReplyOfTheScriptOnlyIfOnlyMissingRowsAreWritten() {
        HashRestorer merging = restorer(TARGET, LIMITS);
        HashRestorer onlyMissing = restorer(TARGET.withOnlyMissing(), LIMITS);

        assertThat(merging.meaning(EXISTS)).isEqualTo(EXISTS);
        assertThat(onlyMissing.meaning(EXISTS)).isEqualTo(new Outcome.Ok(new IntegerReply(0)));
        assertThat(onlyMissing.meaning(NO_PERMISSION)).isEqualTo(NO_PERMISSION);
    }

    @ParameterizedTest
    @CsvSource({"6.2.14, false", "4.0.0, false", "7.0.0, true", "7.2.4, true", "8.10.0, true", "10.0.0, true", ", true"
    })
    void onlyServersOfThisVersionReadTheDumps(String version, boolean reads) {
        ServerFacts facts = ServerFacts.parsed(version == null ? "" : "redis_version:" + version + "\r\n");

        assertThat(facts.readsDumpsOfRedis7()).isEqualTo(reads);
    }

    private List<Integer> waits(HashRestorer restorer, int rows) {
        Row row = row("1", "x");
        return IntStream.rangeClosed(1, rows)
                .filter(i -> restorer.begin(row, writer) && restorer.awaitsOutcome())
                .boxed()
                .toList();
    }

    private static HashRestorer restorer(HashTarget target, HashLimits limits) {
        RowMapping mapping = target.bind(List.of(new Column("id"), new Column("note")));
        var unused = mapping.prepare(row("1", "x"));
        return new HashRestorer(mapping.hashRestore().orElseThrow(), limits);
    }

    private static Row row(String id, String note) {
        Row row = new Row();
        row.clear(1, 0);
        row.add(Row.Kind.TEXT, id);
        row.add(Row.Kind.TEXT, note);
        return row;
    }
}
