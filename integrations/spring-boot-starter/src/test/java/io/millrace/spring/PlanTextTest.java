// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.source.Column;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.FilesSource;
import io.millrace.load.source.JdbcOptions;
import io.millrace.load.source.JdbcSource;
import io.millrace.load.source.JsonOptions;
import io.millrace.load.source.JsonSource;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.RowMapping;
import io.millrace.load.target.Target;
import io.millrace.load.target.TargetOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Tests by which text the instances of a fleet recognize the plan of a bean. */
class PlanTextTest {

    private static LoadPlan plan(RowSource source) {
        return new LoadPlan(source, HashTarget.of("c:{id}"), LoadOptions.defaults());
    }

    private static String digest(LoadPlan plan) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("shop", plan);
        return TestJobs.jobs("once-per=1h", beans).getFirst().planDigest();
    }

    private static RowSource csvFile(String name) {
        return CsvSource.of(Path.of(name), CsvOptions.builder().build());
    }

    static Stream<Function<String, RowSource>> sources() {
        JdbcDataSource database = new JdbcDataSource();
        return Stream.of(
                query -> JdbcSource.ofQuery(database, query, JdbcOptions.defaults()),
                query -> JdbcSource.ofQuery(database, query, JdbcOptions.defaults())
                        .partitioned("id", 4),
                PlanTextTest::csvFile,
                text -> CsvSource.of(
                        Path.of("a.csv"), CsvOptions.builder().nullText(text).build()),
                file -> FilesSource.of(List.of(csvFile("a.csv"), csvFile(file))),
                file -> JsonSource.of(Path.of(file), JsonOptions.defaults()));
    }

    @ParameterizedTest
    @MethodSource("sources")
    void sourceOfABeanIsAPartOfTheDigest(Function<String, RowSource> source) {
        assertThat(digest(plan(source.apply("b")))).isEqualTo(digest(plan(source.apply("b"))));
        assertThat(digest(plan(source.apply("b")))).isNotEqualTo(digest(plan(source.apply("c"))));
    }

    @Test
    void optionsOfABeanThatDecideItsRowsArePartOfTheDigest() {
        RowSource source = csvFile("a.csv");
        String digest = digest(plan(source));

        assertThat(digest(new LoadPlan(
                        source,
                        HashTarget.of("c:{id}"),
                        LoadOptions.builder().limit(5).build())))
                .isNotEqualTo(digest);
        assertThat(digest(new LoadPlan(
                        source,
                        HashTarget.of("c:{id}"),
                        LoadOptions.builder().connections(4).build())))
                .isEqualTo(digest);
    }

    /** A source of an application, whose text contains the text of a data source. */
    private record OwnSource(Object database, String query) implements RowSource {

        @Override
        public String name() {
            return "own";
        }

        @Override
        public boolean readableAgain() {
            return true;
        }

        @Override
        public RowReader open() {
            throw new IllegalStateException("not opened");
        }
    }

    /** A target of an application, whose text contains the text of its codec. */
    private record OwnTarget(Object codec) implements Target {

        @Override
        public String type() {
            return "hash";
        }

        @Override
        public TargetOptions options() {
            return HashTarget.of("c:{id}").options();
        }

        @Override
        public RowMapping bind(List<Column> columns) {
            throw new IllegalStateException("not bound");
        }
    }

    @Test
    void targetOfABeanWhoseTextDiffersInEachProcessIsRefusedForAFleet() {
        RowSource source = csvFile("a.csv");

        assertThatThrownBy(() -> digest(new LoadPlan(source, new OwnTarget(new Object()), LoadOptions.defaults())))
                .isInstanceOf(KeyException.class)
                .hasMessageStartingWith("millrace.load.jobs.shop.once-per cannot be used: the text of the target")
                .hasMessageContaining(OwnTarget.class.getName());
        assertThat(digest(new LoadPlan(source, new OwnTarget("json"), LoadOptions.defaults())))
                .isNotEqualTo(digest(new LoadPlan(source, new OwnTarget("cbor"), LoadOptions.defaults())));
    }

    @Test
    void sourceOfABeanWhoseTextDiffersInEachProcessIsRefusedForAFleet() {
        for (RowSource source :
                List.of(new OwnSource(new Object(), "q"), new OwnSource(new byte[1], "q"), GatedSource.open(1))) {
            assertThatThrownBy(() -> digest(plan(source)))
                    .isInstanceOf(KeyException.class)
                    .hasMessageStartingWith("millrace.load.jobs.shop.once-per cannot be used")
                    .hasMessageContaining(source.getClass().getName());
        }
        assertThat(digest(plan(new OwnSource("db", "where mail = 'ada.b@cafe.com'"))))
                .isNotEmpty();
    }
}
