// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Replies;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Loads strings into buckets on a real server. */
@ExtendWith(NoThreadLeft.class)
class BucketLoadTest {

    private static final StringTarget TARGET = StringTarget.of("user:{id}", "name");
    private static final LoadOptions VERIFIED =
            LoadOptions.builder().connections(2).verify(Verification.FULL).build();

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private final List<LoadEvent> events = new ArrayList<>();

    @Test
    void rowsWithNumberedKeysBecomeFieldsAndAreVerified() {
        LoadReport report = run(TARGET.withBucket(BucketOptions.of(100)), TestRows.count(20_050));

        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(report.rows()).isEqualTo(new RowCounts(20_050, 20_050, 0, 0, 0));
        assertThat(report.verified()).contains(new Verified(20_050, 0));
        assertThat(integer("DBSIZE")).isEqualTo(201);
        assertThat(integer("HLEN", "user:{7}:100")).isEqualTo(100);
        assertThat(integer("HLEN", "user:{200}:100")).isEqualTo(50);
        assertThat(text("HGET", "user:{7}:100", "77")).isEqualTo("Customer 777");
        assertThat(text("OBJECT", "ENCODING", "user:{7}:100")).isEqualTo("listpack");
        assertThat(warnings()).isEmpty();
    }

    @Test
    void rowsWithKeysOfAnyFormBecomeFieldsAndAreVerified() {
        StringTarget target = StringTarget.of("name:{name}", "id");

        LoadReport report = run(target.withBucket(BucketOptions.of(128).withPairs(20_000)), TestRows.count(20_000));

        assertThat(report.rows()).isEqualTo(new RowCounts(20_000, 20_000, 0, 0, 0));
        assertThat(report.verified()).contains(new Verified(20_000, 0));
        assertThat(integer("DBSIZE")).isBetween(20_000L / 128, 20_000L / 40);
        assertThat(warnings()).isEmpty();
    }

    @Test
    void verificationFindsDeletedAndChangedFields() {
        RowSource disturbing = TestRows.before(TestRows.count(1_000), opening -> opening == 2, () -> {
            REDIS.call("HSET", "user:{3}:100", "14", "changed");
            REDIS.call("HDEL", "user:{3}:100", "15", "16");
        });

        LoadReport report = run(TARGET.withBucket(BucketOptions.of(100)), disturbing);

        assertThat(report.verified()).contains(new Verified(1_000, 3));
    }

    @Test
    void keysWithoutANumberAreRejectedAndOtherRowsAreWritten() {
        RowSource mixed = TestRows.of((row, opening, id) -> {
            row.clear(id + 1, 0);
            row.add(Row.Kind.TEXT, List.of("1", "x", "02", "3").get((int) Math.min(id, 3)));
            row.add(Row.Kind.TEXT, "v" + id);
            return id < 4;
        });

        LoadReport report = run(TARGET.withBucket(BucketOptions.of(100)), mixed);

        assertThat(report.rows()).isEqualTo(new RowCounts(4, 2, 2, 0, 0));
        assertThat(events.stream()
                        .filter(event -> event instanceof LoadEvent.Rejected)
                        .map(event -> ((LoadEvent.Rejected) event).key()))
                .containsExactly("user:x", "user:02");
        assertThat(report.verified()).contains(new Verified(2, 0));
    }

    @Test
    void onlyTheRowsOfABucketWhoseKeyHasAnotherTypeAreRejected() {
        REDIS.call("SADD", "user:{1}:100", "member");

        LoadReport report = run(TARGET.withBucket(BucketOptions.of(100)), TestRows.count(300));

        assertThat(report.rows()).isEqualTo(new RowCounts(300, 200, 100, 0, 0));
        assertThat(text("TYPE", "user:{1}:100")).isEqualTo("set");
        assertThat(report.verified()).contains(new Verified(200, 0));
    }

    @Test
    void bucketAboveTheServerLimitIsRefusedBeforeTheFirstRow() {
        Target above = TARGET.withBucket(BucketOptions.of(1_000));
        AtomicLong asked = new AtomicLong();
        RowSource rows = TestRows.of((row, opening, id) -> {
            asked.incrementAndGet();
            return id < 2_000 && TestRows.fill(row, id, "x");
        });

        assertThatThrownBy(() -> run(above, rows))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("bucket=1000, hash-max-listpack-entries=512. Choose 512 or less");

        assertThat(asked).as("rows read").hasValue(0);
        assertThat(integer("DBSIZE")).isZero();
    }

    @Test
    void optionAllowsBucketsAboveTheServerLimitWithAWarning() {
        Target above = TARGET.withBucket(BucketOptions.of(1_000).withAboveLimit());

        LoadReport report = run(above, TestRows.count(2_000));

        assertThat(report.rows().written()).isEqualTo(2_000);
        assertThat(text("OBJECT", "ENCODING", "user:{1}:1000"))
                .as("not compact")
                .isEqualTo("hashtable");
        assertThat(warnings()).singleElement().asString().contains("hash-max-listpack-entries=512");
    }

    @Test
    void unknownServerLimitGivesAWarning() {
        REDIS.call("ACL", "SETUSER", "default", "-config");
        try {
            LoadReport report = run(TARGET.withBucket(BucketOptions.of(1_000)), TestRows.count(10));

            assertThat(report.rows().written()).isEqualTo(10);
            assertThat(warnings()).singleElement().asString().contains("does not report its limit");
        } finally {
            REDIS.call("ACL", "SETUSER", "default", "+@all");
        }
    }

    @Test
    void valuesTooLongForTheCompactFormAreCountedInAWarning() {
        RowSource rows = TestRows.of((row, opening, id) ->
                id < 100 && TestRows.fill(row, id, "x".repeat(id % 10 == 0 ? 65 : 64)));

        LoadReport report = run(TARGET.withBucket(BucketOptions.of(100)), rows);

        assertThat(report.rows().written()).isEqualTo(100);
        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith("10 rows have a field or a value of more than hash-max-listpack-value=64 bytes");
    }

    private LoadReport run(Target target, RowSource rows) {
        return new Loader(REDIS.options()).run(new LoadPlan(rows, target, VERIFIED), events::add);
    }

    private List<String> warnings() {
        return events.stream()
                .filter(event -> event instanceof LoadEvent.Warned)
                .map(event -> ((LoadEvent.Warned) event).message())
                .toList();
    }

    private static String text(String... command) {
        return Replies.text(REDIS.call(command[0], Arrays.copyOfRange(command, 1, command.length)));
    }

    private static long integer(String... command) {
        return Replies.integer(REDIS.call(command[0], Arrays.copyOfRange(command, 1, command.length)));
    }
}
