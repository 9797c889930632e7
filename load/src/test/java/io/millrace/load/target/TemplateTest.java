// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.Row;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateTest {

    private static final ColumnNames NAMES = new ColumnNames(Rows.columns("id", "name", "größe"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "customer:{id}         | customer:42",
                "{id}                  | 42",
                "{id}{name}            | 42Ada",
                "{name}-{id}-{name}    | Ada-42-Ada",
                "{{{id}}}              | {42}",
                "{{tag}}:{id}          | {tag}:42",
                "a{{b}}c               | a{b}c",
                "ü:{größe}             | ü:groß",
                "}}{id}{{              | }42{"
            })
    void columnsInBracesBecomeValuesAndDoubledBracesBecomeBraces(String template, String expected) {
        Row row = Rows.row(42, "Ada", "groß");

        String rendered = render(template, row);

        assertThat(rendered).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a{id", "a}b", "{id}}", "{", "}", "{}", "a{i{d}", "{{id}"})
    void unpairedBracesAreRefused(String template) {
        assertThatThrownBy(() -> Template.parse("key", template))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("key=" + template)
                .hasMessageContaining("{{ or }}");
    }

    @Test
    void unknownColumnIsReportedWithItsTemplateAndAllColumns() {
        Template template = Template.parse("key", "customer:{nmae}");

        assertThatThrownBy(() -> template.bind(NAMES))
                .isInstanceOf(PlanException.class)
                .hasMessage("no such column: column=nmae, key=customer:{nmae}, columns=[id, name, größe]."
                        + " Did you mean 'name'?");
    }

    @Test
    void columnWithDifferentCaseIsSuggestedAndNotUsed() {
        assertThatThrownBy(() -> Template.parse("key", "{ID}").bind(NAMES)).hasMessageEndingWith("Did you mean 'id'?");
    }

    @Test
    void headerWithOneColumnSuggestsADelimiter() {
        ColumnNames semicolons = new ColumnNames(Rows.columns("id;name;city"));
        ColumnNames tabs = new ColumnNames(Rows.columns("id\tname"));

        assertThatThrownBy(() -> Template.parse("key", "{id}").bind(semicolons))
                .hasMessageEndingWith("set the delimiter, --delimiter ';'.");
        assertThatThrownBy(() -> Template.parse("key", "{id}").bind(tabs))
                .hasMessageEndingWith("set the delimiter, --delimiter '\\t'.");
    }

    @Test
    void nameUnlikeAllColumnsGetsNoSuggestion() {
        assertThatThrownBy(() -> Template.parse("key", "{postcode}").bind(NAMES))
                .hasMessageEndingWith("Name one of these columns.");
    }

    @Test
    void messageStaysOnOneLineForAnyColumnName() {
        ColumnNames garbage = new ColumnNames(Rows.columns("a\nb", "c\r\u001b[31m"));

        assertThatThrownBy(() -> Template.parse("key", "{x}").bind(garbage))
                .hasMessageContaining("columns=[a?b, c??[31m]")
                .hasMessageNotContainingAny("\n", "\r", "\u001b");
    }

    @Test
    void messageContainsAtMostFortyColumns() {
        String[] many = new String[1000];
        for (int i = 0; i < many.length; i++) {
            many[i] = "column" + i;
        }

        assertThatThrownBy(() -> Template.parse("key", "{x}").bind(new ColumnNames(Rows.columns(many))))
                .hasMessageContaining("column39, … and 960 more]");
    }

    @Test
    void columnThatExistsTwiceIsRefused() {
        ColumnNames twins = new ColumnNames(Rows.columns("id", "name", "id"));

        assertThatThrownBy(() -> Template.parse("key", "{id}").bind(twins))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("several columns have this name: column=id");
    }

    @Test
    void textWithDoubledBracesIsRenderedUnchanged() {
        long seed = new Random().nextLong();
        System.out.println("TemplateTest: seed=" + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            String before = RandomText.next(random);
            String value = RandomText.next(random);
            String after = RandomText.next(random);
            Row row = Rows.row(value, "", "");

            String rendered = render(doubled(before) + "{id}" + doubled(after), row);

            assertThat(rendered).as("seed=%d, round=%d", seed, round).isEqualTo(before + value + after);
        }
    }

    private static String doubled(String text) {
        return text.replace("{", "{{").replace("}", "}}");
    }

    private static String render(String template, Row row) {
        Bytes out = new Bytes();
        Template.parse("key", template).bind(NAMES).render(row, new byte[0], out);
        return new String(out.array(), 0, out.length(), StandardCharsets.UTF_8);
    }
}
