// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.Script;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.ErrorReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The commands of mappings, without a server. */
class RowMappingTest {

    private static final HashTarget HASH = HashTarget.of("c:{id}");

    @Test
    void stringRowIsWrittenWithOneSetCommand() {
        RowMapping mapping = StringTarget.of("c:{id}", "name").bind(Rows.columns("id", "name"));

        assertThat(arguments(mapping, Rows.row(1, "Ada"))).containsExactly("SET", "c:1", "Ada");
        assertThat(arguments(mapping, Rows.row(2, ""))).containsExactly("SET", "c:2", "");
    }

    @Test
    void expiryOfAStringIsPartOfItsSetCommand() {
        RowMapping mapping = StringTarget.of("c:{id}", "{name}/{id}")
                .withTtl(Duration.ofMinutes(1))
                .bind(Rows.columns("id", "name"));

        assertThat(arguments(mapping, Rows.row(1, "Ada"))).containsExactly("SET", "c:1", "Ada/1", "PX", "60000");
    }

    @Test
    void hashRowIsWrittenWithOneHsetOfAllColumns() {
        RowMapping mapping = HASH.bind(Rows.columns("id", "name", "city"));

        assertThat(arguments(mapping, Rows.row(1, "Ada", "Paris")))
                .containsExactly("HSET", "c:1", "id", "1", "name", "Ada", "city", "Paris");
    }

    @Test
    void nullIsLeftOutOfAHashUnlessThereIsATextForNull() {
        Row row = Rows.row(1, Rows.NULL, "");

        RowMapping without = HASH.bind(Rows.columns("id", "name", "city"));
        RowMapping with = HASH.withNullText("\\N").bind(Rows.columns("id", "name", "city"));

        assertThat(arguments(without, row)).containsExactly("HSET", "c:1", "id", "1", "city", "");
        assertThat(arguments(with, row)).containsExactly("HSET", "c:1", "id", "1", "name", "\\N", "city", "");
    }

    @Test
    void onlySelectedColumnsAreWritten() {
        RowMapping wanted = HASH.withFields("city", "name").bind(Rows.columns("id", "name", "city"));
        RowMapping excluded = HASH.withExclude("id", "city").bind(Rows.columns("id", "name", "city"));

        assertThat(arguments(wanted, Rows.row(1, "Ada", "Paris")))
                .containsExactly("HSET", "c:1", "city", "Paris", "name", "Ada");
        assertThat(arguments(excluded, Rows.row(1, "Ada", "Paris"))).containsExactly("HSET", "c:1", "name", "Ada");
    }

    @Test
    void rowOfAHashFieldTargetIsWrittenAsOneField() {
        RowMapping document = HashFieldTarget.of("c:{city}", "n:{id}").bind(Rows.columns("id", "city"));
        RowMapping value = HashFieldTarget.of("all", "{id}").withValue("city").bind(Rows.columns("id", "city"));

        assertThat(arguments(document, Rows.row(1, "Paris")))
                .containsExactly("HSET", "c:Paris", "n:1", "{\"id\":1,\"city\":\"Paris\"}");
        assertThat(arguments(value, Rows.row(1, "Paris"))).containsExactly("HSET", "all", "1", "Paris");
    }

    @Test
    void hashWithAnExpiryIsWrittenByOneScriptThatDeclaresItsKey() {
        RowMapping mapping = HASH.withTtl(Duration.ofHours(1)).bind(Rows.columns("id"));

        List<String> arguments = arguments(mapping, Rows.row(1));

        assertThat(arguments.getFirst()).isEqualTo("EVAL");
        assertThat(arguments.subList(2, arguments.size())).containsExactly("1", "c:1", "3600000", "2", "id", "1");
    }

    @Test
    void laterRowsSendTheDigestOfTheScript() {
        RowMapping mapping = HASH.withTtl(Duration.ofHours(1)).bind(Rows.columns("id"));

        String script = arguments(mapping, Rows.row(1)).get(1);

        assertThat(repeated(mapping, Rows.row(2)))
                .containsExactly("EVALSHA", Script.of(script).sha1(), "1", "c:2", "3600000", "2", "id", "2");
    }

    @Test
    void rowsThatReplaceTheirKeyHaveAGroupOfTheirOwn() {
        RowMapping replaced = HASH.withReplaceRow().bind(Rows.columns("id", "name"));
        RowMapping missing = HASH.withOnlyMissing().bind(Rows.columns("id", "name"));

        assertThat(repeated(replaced, Rows.row(1, "Ada"))).endsWith("1", "c:1", "0", "-4", "id", "1", "name", "Ada");
        assertThat(repeated(missing, Rows.row(1, "Ada"))).endsWith("1", "c:1", "0", "-4", "id", "1", "name", "Ada");
    }

    @Test
    void stringIsLeftOutIfTheServerRepliesNull() {
        RowMapping missing = StringTarget.of("{id}", "id").withOnlyMissing().bind(Rows.columns("id"));
        RowMapping always = StringTarget.of("{id}", "id").bind(Rows.columns("id"));

        assertThat(arguments(missing, Rows.row(1))).containsExactly("SET", "1", "1", "NX");
        assertThat(missing.leftOut(Reply.Null.NULL)).isTrue();
        assertThat(missing.leftOut(Reply.OK)).isFalse();
        assertThat(always.leftOut(Reply.Null.NULL)).isFalse();
    }

    @Test
    void replacedHashIsImportedWithItsFieldSet() {
        RowMapping mapping = HASH.withReplaceRow().withExclude("name").bind(Rows.columns("id", "name", "city"));
        HashImport hashImport = mapping.hashImport().orElseThrow();
        Row whole = Rows.row(1, "Ada", "Paris");
        Row partial = Rows.row(2, "Bob", Rows.NULL);

        int first = hashImport.fieldSet(whole);
        int second = hashImport.fieldSet(partial);

        assertThat(List.of(first, second, hashImport.fieldSet(whole))).containsExactly(0, 1, 0);
        assertThat(texts(sink -> hashImport.writeFieldSet(first, sink))).containsExactly("0", "id", "city");
        assertThat(texts(sink -> hashImport.writeFieldSet(second, sink))).containsExactly("1", "id");
        mapping.prepare(partial);
        assertThat(texts(sink -> hashImport.write(partial, second, sink))).containsExactly("c:2", "1", "2");
        mapping.prepare(whole);
        assertThat(texts(sink -> hashImport.write(whole, first, sink))).containsExactly("c:1", "0", "1", "Paris");
    }

    @Test
    void onlyReplacedHashesWithoutExpiryAreImported() {
        HashTarget replaced = HASH.withReplaceRow();

        assertThat(replaced.bind(Rows.columns("id")).hashImport()).isPresent();
        for (Target other : List.of(
                HASH,
                replaced.withTtl(Duration.ofHours(1)),
                HashFieldTarget.of("c:{id}", "{id}"),
                JsonTarget.of("c:{id}"))) {
            assertThat(other.bind(Rows.columns("id")).hashImport())
                    .as("%s", other)
                    .isEmpty();
        }
    }

    @Test
    void moreThanSixteenFieldSetsAreNotImported() {
        String[] names = {"id", "a", "b", "c", "d", "e"};
        HashImport hashImport =
                HASH.withReplaceRow().bind(Rows.columns(names)).hashImport().orElseThrow();

        for (int i = 0; i < 32; i++) {
            Object[] values = new Object[names.length];
            Arrays.fill(values, Rows.NULL);
            values[0] = i;
            for (int column = 0; column < 5; column++) {
                values[column + 1] = (i & 1 << column) == 0 ? Rows.NULL : "v";
            }
            assertThat(hashImport.fieldSet(Rows.row(values))).isEqualTo(i < 16 ? i : HashImport.NONE);
        }
    }

    @Test
    void nullOrEmptyColumnInTheKeyRejectsTheRow() {
        RowMapping mapping = HashTarget.of("c:{id}:{name}").withNullText("-").bind(Rows.columns("id", "name"));

        assertThat(mapping.prepare(Rows.row(Rows.NULL, "Ada")))
                .contains(new Rejection(
                        Rejection.Reason.KEY_EMPTY, "name is incomplete: key=c:{id}:{name}, column=id (NULL)"));
        assertThat(mapping.keyLength()).isZero();
        assertThat(mapping.prepare(Rows.row(1, "")))
                .contains(new Rejection(
                        Rejection.Reason.KEY_EMPTY, "name is incomplete: key=c:{id}:{name}, column=name (empty)"));
        assertThat(mapping.prepare(Rows.row(1, "Ada"))).isEmpty();
    }

    @Test
    void emptyFieldNameRejectsTheRowWithItsKey() {
        RowMapping mapping = HashFieldTarget.of("all", "{name}").bind(Rows.columns("id", "name"));

        assertThat(mapping.prepare(Rows.row(1, "")))
                .contains(new Rejection(
                        Rejection.Reason.NAME_EMPTY, "name is incomplete: field={name}, column=name (empty)"));
        assertThat(key(mapping)).isEqualTo("all");
        assertThat(mapping.keyAndFieldLength()).isEqualTo(mapping.keyLength());
    }

    @Test
    void rowWithoutAValueIsRejectedWithItsKey() {
        RowMapping hash = HASH.withExclude("id").bind(Rows.columns("id", "name"));
        RowMapping json = JsonTarget.of("c:{id}").withExclude("id").bind(Rows.columns("id", "name"));
        RowMapping string = StringTarget.of("c:{id}", "mr {name}").bind(Rows.columns("id", "name"));
        RowMapping field =
                HashFieldTarget.of("c:{id}", "{id}").withValue("name").bind(Rows.columns("id", "name"));

        for (RowMapping mapping : List.of(hash, json, string, field)) {
            assertThat(mapping.prepare(Rows.row(1, Rows.NULL)).orElseThrow().reason())
                    .isEqualTo(Rejection.Reason.NO_VALUE);
            assertThat(key(mapping)).isEqualTo("c:1");
        }
    }

    @Test
    void textForNullIsWrittenForNull() {
        RowMapping mapping =
                StringTarget.of("c:{id}", "mr {name}").withNullText("X").bind(Rows.columns("id", "name"));

        assertThat(arguments(mapping, Rows.row(1, Rows.NULL))).containsExactly("SET", "c:1", "mr X");
    }

    @Test
    void arbitraryBytesAreWrittenUnchanged() {
        RowMapping mapping = StringTarget.of("{k}", "v").bind(Rows.columns("k", "v"));
        byte[] key = {0, '\r', '\n', -1};
        byte[] value = {-128, 10, 0, 36};
        Row row = Rows.row(key, value);

        List<byte[]> arguments = rawArguments(mapping, row);

        assertThat(arguments.get(0)).isEqualTo(key);
        assertThat(arguments.get(1)).isEqualTo(value);
    }

    @Test
    void placesDifferIfKeyOrFieldDiffer() {
        RowMapping mapping = HashFieldTarget.of("{k}", "{f}").bind(Rows.columns("k", "f"));

        assertThat(place(mapping, "a", "bc"))
                .isEqualTo(place(mapping, "a", "bc"))
                .isNotEqualTo(place(mapping, "ab", "c"))
                .isNotEqualTo(place(mapping, "a", "bd"))
                .isNotEqualTo(place(mapping, "b", "bc"));
    }

    @Test
    void errorReplyNeverMatches() {
        Row row = Rows.row(1, "Ada");
        var columns = Rows.columns("id", "name");
        ErrorReply error = new ErrorReply("WRONGTYPE Operation against a key holding the wrong kind of value");

        for (RowMapping mapping : List.of(
                HASH.bind(columns),
                HASH.withReplaceRow().bind(columns),
                HashFieldTarget.of("c:{id}", "{id}").bind(columns),
                JsonTarget.of("{id}").bind(columns))) {
            mapping.prepare(row);

            assertThat(mapping.matches(row, error, Duration.ZERO)).isFalse();
            assertThat(mapping.matches(row, Reply.Null.NULL, Duration.ZERO)).isFalse();
            assertThat(mapping.matches(row, new Reply.ArrayReply(List.of()), Duration.ZERO))
                    .isFalse();
        }
    }

    private static String key(RowMapping mapping) {
        return new String(mapping.key(), 0, mapping.keyLength(), StandardCharsets.UTF_8);
    }

    private static byte[] place(RowMapping mapping, String key, String field) {
        assertThat(mapping.prepare(Rows.row(key, field))).isEmpty();
        return Arrays.copyOf(mapping.key(), mapping.keyAndFieldLength());
    }

    private static List<String> arguments(RowMapping mapping, Row row) {
        List<String> arguments = new ArrayList<>(List.of(mapping.command().name()));
        rawArguments(mapping, row).forEach(bytes -> arguments.add(new String(bytes, StandardCharsets.UTF_8)));
        return arguments;
    }

    private static List<String> repeated(RowMapping mapping, Row row) {
        assertThat(mapping.prepare(row)).isEmpty();
        List<String> arguments =
                new ArrayList<>(List.of(mapping.repeatedCommand().name()));
        arguments.addAll(texts(sink -> mapping.writeRepeated(row, sink)));
        return arguments;
    }

    private static List<byte[]> rawArguments(RowMapping mapping, Row row) {
        assertThat(mapping.prepare(row)).isEmpty();
        return taken(sink -> mapping.write(row, sink));
    }

    private static List<String> texts(Consumer<ArgumentSink> writing) {
        return taken(writing).stream()
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .toList();
    }

    private static List<byte[]> taken(Consumer<ArgumentSink> writing) {
        List<byte[]> arguments = new ArrayList<>();
        writing.accept(new ArgumentSink() {
            @Override
            public ArgumentSink arg(byte[] bytes, int offset, int length) {
                arguments.add(Arrays.copyOfRange(bytes, offset, offset + length));
                return this;
            }
        });
        return arguments;
    }
}
