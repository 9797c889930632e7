// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TargetTest {

    private static final StringTarget STRING = StringTarget.of("k:{id}", "name");
    private static final HashTarget HASH = HashTarget.of("k:{id}");
    private static final JsonTarget JSON = JsonTarget.of("k:{id}");

    @ParameterizedTest
    @MethodSource("contradictions")
    void invalidOptionsAreRefusedWithoutColumns(Target target, String words) {
        assertThatThrownBy(target::check)
                .isInstanceOf(PlanException.class)
                .hasMessageContaining(words)
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> target.bind(Rows.columns("id", "name"))).isInstanceOf(PlanException.class);
    }

    static Stream<Arguments> contradictions() {
        return Stream.of(
                Arguments.of(
                        HashFieldTarget.of("k:{id}", "{id}").withValue("name").withFields("id"),
                        "fields or exclude cannot be combined"),
                Arguments.of(
                        HashFieldTarget.of("k:{id}", "{id}").withValue("name").withExclude("id"),
                        "fields or exclude cannot be combined"),
                Arguments.of(HASH.withFields("id", "id"), "column named twice: fields=[id, id]"),
                Arguments.of(HASH.withFields("id", "name").withExclude("name"), "both selected and excluded"),
                Arguments.of(HASH.withTtl(Duration.ZERO), "ttl=zero is out of range: 1 ms to 36,500 days."),
                Arguments.of(HASH.withTtl(Duration.ofNanos(999_999)), "ttl=PT0.000999999S is out of range"),
                Arguments.of(HASH.withTtl(Duration.ofSeconds(-1)), "ttl=-1 s is out of range"),
                Arguments.of(STRING.withTtl(Duration.ofDays(36_501)), "ttl=36,501 days is out of range"),
                Arguments.of(HASH.withTtlJitter(0.1), "jitter needs an expiry: ttlJitter=0.1"),
                Arguments.of(
                        HASH.withTtl(Duration.ofHours(1)).withTtlJitter(0.6),
                        "ttlJitter=0.6 is out of range: 0 to 0.5."),
                Arguments.of(HASH.withReplaceRow().withOnlyMissing(), "onlyMissing cannot be combined with replaceRow"),
                Arguments.of(
                        new ListTarget(
                                TargetOptions.of("l").withTtlField("name"), Optional.empty(), ColumnSelection.ALL),
                        "ttlField needs a key for each row: type=list"),
                Arguments.of(
                        new BitmapTarget(TargetOptions.of("b").withOnlyMissing(), "id"),
                        "onlyMissing needs a key for each row: type=bitmap"),
                Arguments.of(
                        new JsonSetTarget(TargetOptions.of("k:{id}").withOnlyMissing(), ColumnSelection.ALL),
                        "onlyMissing cannot be combined with JSON.SET"),
                Arguments.of(
                        new SetTarget(TargetOptions.of("s"), Optional.of("name"), ColumnSelection.ALL.withFields("id")),
                        "fields or exclude cannot be combined with value: type=set"),
                Arguments.of(STRING.withTtl(Duration.ofHours(1)).withBucket(BucketOptions.of(100)), "before Redis 7.4"),
                Arguments.of(
                        STRING.withBucket(BucketOptions.of(1)), "pairsPerBucket=1 is out of range: 2 to 1,000,000."),
                Arguments.of(
                        STRING.withBucket(BucketOptions.of(15).withPairs(9)),
                        "pairsPerBucket=15 is out of range: 16 to 1,000,000."),
                Arguments.of(
                        STRING.withBucket(BucketOptions.of(16).withPairs(0)),
                        "pairs=0 is out of range: 1 to 1,000,000,000,000."));
    }

    @ParameterizedTest
    @MethodSource("misfits")
    void targetThatDoesNotFitTheColumnsIsRefused(Target target, String words) {
        target.check();

        assertThatThrownBy(() -> target.bind(Rows.columns("id", "name")))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining(words)
                .hasMessageContaining("columns=[id, name]")
                .hasMessageNotContaining("\n");
    }

    static Stream<Arguments> misfits() {
        return Stream.of(
                Arguments.of(HashTarget.of("k:{ix}"), "no such column: column=ix, key=k:{ix}"),
                Arguments.of(StringTarget.of("k:{id}", "nam"), "no such column: column=nam, value=nam"),
                Arguments.of(StringTarget.of("k:{id}", "{nam}!"), "no such column: column=nam, value={nam}!"),
                Arguments.of(HashFieldTarget.of("k:{id}", "{f}"), "no such column: column=f, field={f}"),
                Arguments.of(HASH.withTtlField("x"), "no such column: column=x, ttlField=x"),
                Arguments.of(SortedSetTarget.of("z", "x"), "no such column: column=x, score=x"),
                Arguments.of(BitmapTarget.of("b", "x"), "no such column: column=x, offset=x"),
                Arguments.of(JsonSetTarget.of("k"), "every row would overwrite the previous row: key=k"),
                Arguments.of(HASH.withFields("id", "x"), "no such column: column=x, fields=[id, x]"),
                Arguments.of(JSON.withFields("x"), "no such column: column=x, fields=[x]"),
                Arguments.of(HASH.withExclude("x"), "no such column: column=x, exclude=x"),
                Arguments.of(HASH.withExclude("id", "name"), "no column is left to write: exclude=[id, name]"),
                Arguments.of(HashTarget.of("id"), "every row would overwrite the previous row: key=id"),
                Arguments.of(JsonTarget.of("{{id}}"), "every row would overwrite the previous row"),
                Arguments.of(
                        StringTarget.of("id", "name").withBucket(BucketOptions.of(100)),
                        "every row would overwrite the previous row: key=id"),
                Arguments.of(HashFieldTarget.of("k:{id}", "f"), "every row would overwrite the same field: field=f"));
    }

    @Test
    void emptyKeyIsRefused() {
        HashTarget target = HashTarget.of("");

        assertThatThrownBy(() -> target.bind(Rows.columns("id")))
                .isInstanceOf(PlanException.class)
                .hasMessage("key is empty: type=hash. Give a template such as customer:{id}.");
    }

    @Test
    void hashFieldTargetMayHaveAConstantKey() {
        RowMapping mapping = HashFieldTarget.of("all", "{id}").bind(Rows.columns("id"));

        assertThat(mapping.prepare(Rows.row(7))).isEmpty();
        assertThat(new String(mapping.key(), 0, mapping.keyLength(), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("all");
    }

    @Test
    void writtenColumnsWithTheSameNameAreRefused() {
        var twins = Rows.columns("id", "name", "name");

        assertThatThrownBy(() -> HASH.bind(twins)).hasMessageContaining("several columns have this name: column=name");
        assertThatThrownBy(() -> JSON.bind(twins)).hasMessageContaining("several columns have this name: column=name");
        assertThat(HASH.withFields("id").bind(twins).prepare(Rows.row(1, "a", "b")))
                .isEmpty();
    }
}
