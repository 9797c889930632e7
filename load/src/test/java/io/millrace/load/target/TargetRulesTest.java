// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.PlanException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TargetRulesTest {

    private static final Target STRING = Target.of(TargetType.STRING, "k:{id}").withValue("name");
    private static final Target HASH = Target.of(TargetType.HASH, "k:{id}");
    private static final Target JSON = Target.of(TargetType.JSON, "k:{id}");

    @ParameterizedTest
    @MethodSource("contradictions")
    void aContradictionIsRefusedWithoutColumns(Target target, String words) {
        assertThatThrownBy(target::check)
                .isInstanceOf(PlanException.class)
                .hasMessageContaining(words)
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> target.bind(Rows.columns("id", "name"))).isInstanceOf(PlanException.class);
    }

    static Stream<Arguments> contradictions() {
        return Stream.of(
                Arguments.of(Target.of(TargetType.STRING, "k:{id}"), "no value for a string: type=string, key=k:{id}"),
                Arguments.of(STRING.withField("{id}"), "field does not go with this target: type=string"),
                Arguments.of(STRING.withFields("id"), "fields does not go with this target"),
                Arguments.of(STRING.withExclude("id"), "exclude does not go with this target"),
                Arguments.of(
                        HASH.withValue("name"), "value does not go with this target: type=hash, key=k:{id}. A hash"),
                Arguments.of(HASH.withField("{id}").withReplaceRow(), "replaceRow does not go"),
                Arguments.of(
                        HASH.withField("{id}").withValue("name").withFields("id"), "fields or exclude does not go"),
                Arguments.of(
                        HASH.withField("{id}").withValue("name").withExclude("id"), "fields or exclude does not go"),
                Arguments.of(JSON.withField("{id}"), "field does not go with this target: type=json"),
                Arguments.of(JSON.withValue("name"), "value does not go with this target: type=json"),
                Arguments.of(HASH.withFields("id", "id"), "column named twice: fields=[id, id]"),
                Arguments.of(HASH.withFields("id", "name").withExclude("name"), "both wanted and excluded"),
                Arguments.of(HASH.withTtl(Duration.ZERO), "ttl is out of range: ttl=PT0S (1 ms to"),
                Arguments.of(HASH.withTtl(Duration.ofNanos(999_999)), "ttl is out of range"),
                Arguments.of(HASH.withTtl(Duration.ofSeconds(-1)), "ttl is out of range"),
                Arguments.of(STRING.withTtl(Duration.ofSeconds(Long.MAX_VALUE)), "ttl is out of range"),
                Arguments.of(HASH.withBucket(Bucket.of(100)), "bucket does not go with this target: type=hash"),
                Arguments.of(JSON.withBucket(Bucket.of(100)), "bucket does not go with this target: type=json"),
                Arguments.of(STRING.withBucket(Bucket.of(100)).withTtl(Duration.ofHours(1)), "before Redis 7.4"),
                Arguments.of(STRING.withBucket(Bucket.of(100)).withReplaceRow(), "replaceRow with bucket does not go"),
                Arguments.of(
                        STRING.withBucket(Bucket.of(1)),
                        "bucket is out of range: pairs per hash must be 2 to 1000000, not 1."),
                Arguments.of(STRING.withBucket(Bucket.of(15).withPairs(9)), "must be 16 to 1000000, not 15"),
                Arguments.of(STRING.withBucket(Bucket.of(16).withPairs(0)), "pairs must be 1 to 1000000000000, not 0"));
    }

    @ParameterizedTest
    @MethodSource("misfits")
    void aTargetThatDoesNotFitItsColumnsIsRefused(Target target, String words) {
        target.check();

        assertThatThrownBy(() -> target.bind(Rows.columns("id", "name")))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining(words)
                .hasMessageContaining("columns=[id, name]")
                .hasMessageNotContaining("\n");
    }

    static Stream<Arguments> misfits() {
        return Stream.of(
                Arguments.of(Target.of(TargetType.HASH, "k:{ix}"), "no such column: column=ix, key=k:{ix}"),
                Arguments.of(STRING.withValue("nam"), "no such column: column=nam, value=nam"),
                Arguments.of(STRING.withValue("{nam}!"), "no such column: column=nam, value={nam}!"),
                Arguments.of(HASH.withField("{f}"), "no such column: column=f, field={f}"),
                Arguments.of(HASH.withFields("id", "x"), "no such column: column=x, fields=[id, x]"),
                Arguments.of(JSON.withFields("x"), "no such column: column=x, fields=[x]"),
                Arguments.of(HASH.withExclude("x"), "no such column: column=x, exclude=x"),
                Arguments.of(HASH.withExclude("id", "name"), "no column is left to write: exclude=[id, name]"),
                Arguments.of(Target.of(TargetType.HASH, "id"), "every row would overwrite the one before it: key=id"),
                Arguments.of(Target.of(TargetType.JSON, "{{id}}"), "every row would overwrite the one before it"),
                Arguments.of(
                        Target.of(TargetType.STRING, "id").withValue("name").withBucket(Bucket.of(100)),
                        "every row would overwrite the one before it: key=id"),
                Arguments.of(HASH.withField("f"), "every row would overwrite the same field: field=f"));
    }

    @Test
    void anEmptyKeyIsRefused() {
        Target target = Target.of(TargetType.HASH, "");

        assertThatThrownBy(() -> target.bind(Rows.columns("id")))
                .isInstanceOf(PlanException.class)
                .hasMessage("key is empty: type=hash. Give a template such as customer:{id}.");
    }

    @Test
    void aKeyWithoutAColumnIsOneHashForAllRowsWhenEachIsAField() {
        RowMapping mapping = Target.of(TargetType.HASH, "all").withField("{id}").bind(Rows.columns("id"));

        assertThat(mapping.prepare(Rows.row(7))).isEmpty();
        assertThat(new String(mapping.key(), 0, mapping.keyLength(), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("all");
    }

    @Test
    void columnsThatCannotBeToldApartAreRefusedWhereTheyWouldBeWritten() {
        var twins = Rows.columns("id", "name", "name");

        assertThatThrownBy(() -> HASH.bind(twins))
                .hasMessageContaining("more than one column of that name: column=name");
        assertThatThrownBy(() -> JSON.bind(twins))
                .hasMessageContaining("more than one column of that name: column=name");
        assertThat(HASH.withFields("id").bind(twins).prepare(Rows.row(1, "a", "b")))
                .isEmpty();
    }
}
