// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.target.HashTarget;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.JarOutputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;

/** Tests jobs of a context: their sources, their triggers, and beans of the application. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LoadAutoConfigurationTest {

    private static final String JOB = "millrace.load.jobs.shop.";

    private static EmbeddedRedis server;

    @TempDir
    private Path folder;

    private ApplicationContextRunner runner;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void prepare() {
        runner = TestRunners.of(server.uri())
                .withConfiguration(AutoConfigurations.of(MillraceLoadAutoConfiguration.class))
                .withPropertyValues(JOB + "key=shop:{id}", JOB + "as=hash");
    }

    private static JdbcDataSource database(String name) throws SQLException {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
        try (Connection connection = database.getConnection()) {
            connection.createStatement().execute("CREATE TABLE IF NOT EXISTS shop (id INT, name VARCHAR(20))");
            connection.createStatement().execute("DELETE FROM shop");
            connection.createStatement().execute("INSERT INTO shop VALUES (1, 'pen'), (2, 'ink')");
        }
        return database;
    }

    /** Calls the runner, as the start of an application does. */
    private static void start(AssertableApplicationContext context) {
        context.getBean(StartUpLoads.class).run(new DefaultApplicationArguments());
    }

    private static Map<String, String> row(AssertableApplicationContext context, int id) {
        return context.getBean(RedisClient.class).call(Hashes.getAll("shop:" + id));
    }

    private static void flush(AssertableApplicationContext context) {
        context.getBean(RedisClient.class).call(Server.flush());
    }

    @ParameterizedTest
    @CsvSource({"table,shop", "query,select id ID; name NAME from shop"})
    void jobLoadsATableOrAQueryOfTheOnlyDataSource(String key, String value) throws SQLException {
        JdbcDataSource database = database("only");

        runner.withBean(DataSource.class, () -> database)
                .withPropertyValues(
                        JOB + key + "=" + value.replace(';', ','), JOB + "key=shop:{ID}", JOB + "verify=full")
                .run(context -> {
                    flush(context);
                    start(context);

                    assertThat(row(context, 2)).isEqualTo(Map.of("ID", "2", "NAME", "ink"));
                    assertThat(context.getBean(LoadJobs.class)
                                    .last("shop")
                                    .orElseThrow()
                                    .report()
                                    .verified())
                            .hasValueSatisfying(
                                    verified -> assertThat(verified.checked()).isEqualTo(2));
                });
    }

    @Test
    void jobLoadsTheNamedDataSourceOfSeveral() throws SQLException {
        JdbcDataSource first = database("first");
        JdbcDataSource second = database("second");
        ApplicationContextRunner both = runner.withBean("first", DataSource.class, () -> first)
                .withBean("second", DataSource.class, () -> second)
                .withPropertyValues(JOB + "table=shop", JOB + "key=shop:{ID}");

        both.withPropertyValues(JOB + "data-source=second").run(context -> {
            start(context);
            assertThat(context.getBean(LoadJobs.class)
                            .last("shop")
                            .orElseThrow()
                            .report()
                            .job()
                            .source())
                    .isEqualTo("second");
        });
        both.run(context -> assertThat(TestRunners.description(context))
                .startsWith("millrace.load.jobs.shop.data-source is missing")
                .contains("first", "second"));
    }

    @Test
    void jobWithoutADataSourceFailsTheStart() {
        runner.withPropertyValues(JOB + "table=shop")
                .run(context -> assertThat(TestRunners.description(context))
                        .startsWith("millrace.load.jobs.shop.table needs a data source"));
    }

    @Test
    void absentDriverFailsTheStartInOneSentence() {
        List<Environment> environments = new ArrayList<>();

        runner.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues(JOB + "table=shop", "spring.datasource.url=jdbc:mysql://127.0.0.1:1/shop")
                .withInitializer(context -> environments.add(context.getEnvironment()))
                .run(context -> {
                    Throwable failure = Objects.requireNonNull(context.getStartupFailure());
                    FailureAnalysis analysis = Objects.requireNonNull(Analyses.of(failure, environments.getFirst()));
                    assertThat(analysis.getDescription())
                            .isEqualTo("The data source of the load jobs (spring.datasource.url) needs the driver "
                                    + "com.mysql.cj.jdbc.Driver, which is not on the class path.");
                    assertThat(new DriverFailureAnalyzer(new StandardEnvironment()).analyze(failure))
                            .isNull();
                });
    }

    @Test
    void brokenDataSourceOfALaterBeanFailsTheStartWithTheJob() {
        runner.withBean(
                        "broken",
                        DataSource.class,
                        () -> {
                            throw new IllegalStateException("no such\nhost");
                        },
                        definition -> definition.setLazyInit(true))
                .withPropertyValues(JOB + "table=shop")
                .run(context -> assertThat(TestRunners.description(context))
                        .isEqualTo("millrace.load.jobs.shop cannot use the data source broken: no such host."));
    }

    @Test
    void jobLoadsFilesAndResources() throws IOException {
        Path plain = Files.writeString(folder.resolve("a.csv"), "id;name\n1;pen\n");
        Path compressed = folder.resolve("b.csv.gz");
        try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(compressed))) {
            out.write("id;name\n2;ink\n".getBytes(StandardCharsets.UTF_8));
        }
        Path jar = folder.resolve("c.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new ZipEntry("c.csv"));
            out.write("id;name\n3;gum\n".getBytes(StandardCharsets.UTF_8));
        }

        runner.withPropertyValues(
                        JOB + "csv=" + plain + ",file:" + compressed + ",jar:file:" + jar + "!/c.csv",
                        JOB + "csv-format.delimiter=;",
                        JOB + "verify=full")
                .run(context -> {
                    flush(context);
                    start(context);

                    assertThat(row(context, 1)).isEqualTo(Map.of("id", "1", "name", "pen"));
                    assertThat(row(context, 2)).isEqualTo(Map.of("id", "2", "name", "ink"));
                    assertThat(row(context, 3)).isEqualTo(Map.of("id", "3", "name", "gum"));
                });
    }

    @Test
    void formOfTheCsvFilesHasKeys() throws IOException {
        Path file = Files.writeString(folder.resolve("a.csv"), "ignored\n# comment\n1|'a|b'|\\N|7\n");

        runner.withPropertyValues(
                        JOB + "csv=" + file,
                        JOB + "csv-format.delimiter=|",
                        JOB + "csv-format.quote='",
                        JOB + "csv-format.columns=id,name,nothing,count",
                        JOB + "csv-format.null-text=\\N",
                        JOB + "csv-format.skip-lines=1",
                        JOB + "csv-format.comment=#",
                        JOB + "csv-format.encoding=UTF-8",
                        JOB + "csv-format.types=count:int",
                        JOB + "csv-format.field-limit=1KB")
                .run(context -> {
                    flush(context);
                    start(context);

                    assertThat(row(context, 1)).isEqualTo(Map.of("id", "1", "name", "a|b", "count", "7"));
                });
    }

    @Test
    void planThatIsABeanIsAJobWithTheTriggerOfItsKeys() {
        LoadPlan plan = new LoadPlan(GatedSource.open(2), HashTarget.of("bean:{id}"), LoadOptions.defaults());
        ApplicationContextRunner bean = TestRunners.of(server.uri())
                .withConfiguration(AutoConfigurations.of(MillraceLoadAutoConfiguration.class))
                .withBean("prices", LoadPlan.class, () -> plan);

        bean.run(context -> assertThat(context.getBean(LoadJobs.class)
                        .run("prices")
                        .report()
                        .rows()
                        .written())
                .isEqualTo(2));
        bean.withPropertyValues("millrace.load.jobs.prices.when=manual")
                .run(context -> assertThat(context.getBean(LoadJobs.class)
                                .jobs()
                                .getFirst()
                                .trigger())
                        .isEqualTo(LoadTrigger.MANUAL));
        bean.withPropertyValues("millrace.load.jobs.prices.table=shop")
                .run(context -> assertThat(TestRunners.description(context))
                        .contains("two sources", "millrace.load.jobs.prices.table"));
    }

    @Test
    void jobBeforeThePortRunsInAPhaseBelowThatOfTheWebServer() throws IOException {
        Path file = Files.writeString(folder.resolve("a.csv"), "id\n9\n");

        assertThat(LoadLifecycle.PHASE).isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE);
        runner.withPropertyValues(JOB + "csv=" + file, JOB + "when=before-port")
                .run(context -> assertThat(row(context, 9)).isEqualTo(Map.of("id", "9")));
    }

    @Test
    void jobBeforeThePortThatFailsEndsTheStart() {
        runner.withPropertyValues(JOB + "csv=/no/such.csv", JOB + "when=before-port")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("FailedLoadException")
                        .hasStackTraceContaining("/no/such.csv"));
    }

    @Test
    void restartedContextDoesNotLoadBeforeThePortAgain() throws IOException {
        Path file = Files.writeString(folder.resolve("a.csv"), "id\n9\n");

        runner.withPropertyValues(JOB + "csv=" + file, JOB + "when=before-port").run(context -> {
            LoadLifecycle lifecycle = context.getBean(LoadLifecycle.class);
            LoadRun first = context.getBean(LoadJobs.class).last("shop").orElseThrow();

            lifecycle.start();

            assertThat(context.getBean(LoadJobs.class).last("shop")).containsSame(first);
            assertThat(lifecycle.isPauseable()).isFalse();
        });
    }

    @Test
    void jobInTheBackgroundDoesNotDelayTheStart() {
        GatedSource source = GatedSource.closed(1);
        LoadPlan plan = new LoadPlan(source, HashTarget.of("bean:{id}"), LoadOptions.defaults());

        TestRunners.of(server.uri())
                .withConfiguration(AutoConfigurations.of(MillraceLoadAutoConfiguration.class))
                .withBean("prices", LoadPlan.class, () -> plan)
                .withPropertyValues("millrace.load.jobs.prices.when=background")
                .run(context -> {
                    start(context);
                    source.awaitOpened();

                    assertThat(context.getBean(LoadJobs.class).isRunning("prices"))
                            .isTrue();
                });
    }

    @Test
    void jobThatIsManualDoesNotRunAtStart() throws IOException {
        Path file = Files.writeString(folder.resolve("a.csv"), "id\n9\n");

        runner.withPropertyValues(JOB + "csv=" + file, JOB + "when=manual").run(context -> {
            start(context);

            assertThat(context.getBean(LoadJobs.class).last("shop")).isEmpty();
        });
    }

    @Test
    void jobsOfTheApplicationReplaceTheJobsOfTheKeys() {
        TestRunners.of(server.uri())
                .withConfiguration(AutoConfigurations.of(MillraceLoadAutoConfiguration.class))
                .withUserConfiguration(OwnJobs.class)
                .run(context ->
                        assertThat(context.getBean(LoadJobs.class).names()).containsExactly("own"));
    }

    @Test
    void twoClientsFailTheStartOnlyIfThereAreJobsAndNoPrimary() {
        ApplicationContextRunner two = TestRunners.of(server.uri())
                .withConfiguration(AutoConfigurations.of(
                        MillraceLoadAutoConfiguration.class, MillraceEndpointAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=*")
                .withBean("first", RedisClient.class, LoadAutoConfigurationTest::client, bean -> {});
        ApplicationContextRunner equal =
                two.withBean("second", RedisClient.class, LoadAutoConfigurationTest::client, bean -> {});

        equal.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LoadJobs.class));
        equal.withPropertyValues(JOB + "csv=a.csv", JOB + "key=shop:{id}", JOB + "as=hash")
                .run(context -> assertThat(TestRunners.description(context))
                        .isEqualTo("millrace.load.jobs cannot choose between several clients: [first, second]."));
        equal.withBean(
                        "prices",
                        LoadPlan.class,
                        () -> new LoadPlan(GatedSource.open(1), HashTarget.of("c:{id}"), LoadOptions.defaults()))
                .run(context -> assertThat(TestRunners.description(context))
                        .isEqualTo("A bean of type LoadPlan cannot choose between several clients: [first, second]."));
        two.withBean("second", RedisClient.class, LoadAutoConfigurationTest::client, bean -> bean.setPrimary(true))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(LoadJobs.class));
    }

    private static RedisClient client() {
        return RedisClient.connect(RedisUri.parse(server.uri()));
    }

    @Test
    void leaseOutOfItsRangeFailsTheStart() {
        runner.withPropertyValues(JOB + "csv=a.csv", "millrace.load.lease=1ms")
                .run(context -> assertThat(TestRunners.description(context)).startsWith("millrace.load.lease=1 ms"));
    }

    @Test
    void failedJobThrowsFromTheRunner() {
        runner.withPropertyValues(JOB + "csv=/no/such.csv")
                .run(context -> assertThatThrownBy(() -> start(context)).isInstanceOf(FailedLoadException.class));
    }
}
