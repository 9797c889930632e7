// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.Row.Kind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CsvTypesTest {

    @Test
    void textNamesTheColumnsInTheSameOrderInEachProcess() {
        CsvTypes types = new CsvTypes(
                false,
                Map.of(
                        "b",
                        CsvTypes.Type.INT,
                        "a",
                        CsvTypes.Type.NUMBER,
                        "d",
                        CsvTypes.Type.BOOL,
                        "c",
                        CsvTypes.Type.TEXT));

        assertThat(types).hasToString("CsvTypes[infer=false, columns={a=NUMBER, b=INT, c=TEXT, d=BOOL}]");
    }

    @Test
    void inferredTypesDependOnEachUnquotedField() {
        CsvOptions options = CsvOptions.builder().types(CsvTypes.INFERRED).build();

        List<Rows.Read> rows =
                Rows.read("a,b,c,d\n1,-2.50,true,\n007,+5,TRUE,\"1\"\n1e3,NaN,false,\"true\"\n", options);

        assertThat(rows)
                .extracting(Rows.Read::kinds)
                .containsExactly(
                        List.of(Kind.NUMBER, Kind.NUMBER, Kind.BOOLEAN, Kind.NULL),
                        List.of(Kind.TEXT, Kind.TEXT, Kind.TEXT, Kind.TEXT),
                        List.of(Kind.NUMBER, Kind.TEXT, Kind.BOOLEAN, Kind.TEXT));
        assertThat(rows.getFirst().values()).containsExactly("1", "-2.50", "true", Rows.NULL);
    }

    @Test
    void typeOfAColumnDecidesAlsoForQuotedFields() {
        CsvOptions options = CsvOptions.builder()
                .types(new CsvTypes(
                        true,
                        Map.of(
                                "n",
                                CsvTypes.Type.INT,
                                "x",
                                CsvTypes.Type.NUMBER,
                                "b",
                                CsvTypes.Type.BOOL,
                                "zip",
                                CsvTypes.Type.TEXT)))
                .build();

        List<Rows.Read> rows = Rows.read("n,x,b,zip,other\n\"1\",2.5,Yes,123,4\n-2,1e3,0,,z\n", options);

        assertThat(Rows.values(rows))
                .containsExactly(
                        List.of("1", "2.5", "true", "123", "4"), List.of("-2", "1e3", "false", Rows.NULL, "z"));
        assertThat(rows.getFirst().kinds())
                .containsExactly(Kind.NUMBER, Kind.NUMBER, Kind.BOOLEAN, Kind.TEXT, Kind.NUMBER);
        assertThat(rows).extracting(Rows.Read::rejection).containsOnly("");
    }

    @Test
    void fieldThatDoesNotHaveTheTypeOfItsColumnRejectsItsRow() {
        CsvOptions options = CsvOptions.builder()
                .types(new CsvTypes(
                        false, Map.of("n", CsvTypes.Type.INT, "x", CsvTypes.Type.NUMBER, "b", CsvTypes.Type.BOOL)))
                .build();

        List<Rows.Read> rows = Rows.read("n,x,b\n1.5,1,t\n1,one,f\n1,1,maybe\n\"\",1,y\n2,2,n\n", options);

        assertThat(rows)
                .extracting(Rows.Read::rejection)
                .containsExactly(
                        "UNREADABLE_VALUE: 'n' is not of type int: '1.5'",
                        "UNREADABLE_VALUE: 'x' is not of type number: 'one'",
                        "UNREADABLE_VALUE: 'b' is not of type bool: 'maybe'",
                        "UNREADABLE_VALUE: 'n' is not of type int: ''",
                        "");
        assertThat(rows.get(1).values()).containsExactly("1", "one", "false");
    }

    @Test
    void typeOfAMissingColumnIsRefused() {
        CsvOptions options = CsvOptions.builder()
                .types(new CsvTypes(false, Map.of("age", CsvTypes.Type.INT)))
                .build();

        assertThatThrownBy(() -> Rows.read("id,name\n1,Ada\n", options))
                .isInstanceOf(SourceException.class)
                .hasMessage(
                        "cannot read test.csv: there is no column 'age' for the type int. The columns are: id, name.");
    }

    @Test
    void linesBeforeTheHeaderAreSkippedWithoutRegardToQuotes() {
        CsvOptions options = CsvOptions.builder().skipLines(3).build();

        List<Rows.Read> rows = Rows.read("Report \"2026\r\n\r\n\"x,y\rid,name\n1,Ada\n", options);

        assertThat(Rows.values(rows)).containsExactly(List.of("1", "Ada"));
        assertThat(rows.getFirst().line()).isEqualTo(5);
    }

    @Test
    void moreSkippedLinesThanTheFileHasLeaveNoHeader() {
        CsvOptions options = CsvOptions.builder().skipLines(9).build();

        assertThatThrownBy(() -> Rows.read("id\n1\n", options))
                .hasMessage("cannot read test.csv: it is empty. The first line must contain the column names.");
    }

    @Test
    void commentsAreSkippedBeforeTheHeaderAndBetweenRecordsButNotInsideFields() {
        CsvOptions options = CsvOptions.builder().comment('#').build();

        List<Rows.Read> rows = Rows.read("# made \"today\nid,name\r\n#,x\r\n1,#Ada\n2,\"a\n#b\"\n\n# end", options);

        assertThat(Rows.values(rows)).containsExactly(List.of("1", "#Ada"), List.of("2", "a\n#b"));
        assertThat(rows).extracting(Rows.Read::line).containsExactly(4L, 5L);
        assertThat(rows).extracting(Rows.Read::rejection).containsOnly("");
    }

    @Test
    void commentCharacterMustDifferFromTheQuote() {
        assertThatThrownBy(() -> CsvOptions.builder().comment('"').build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("comment='\"' is also the delimiter or the quote; they must differ");
    }
}
