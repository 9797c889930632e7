// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import static io.millrace.lab.bulk.BulkExperiment.HSETS;
import static io.millrace.lab.bulk.BulkExperiment.SETS;
import static io.millrace.lab.bulk.BulkExperiment.ratio;
import static io.millrace.lab.experiment.Bar.Limit.atLeast;
import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.RedisServer;
import io.millrace.load.CheckpointOptions;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.JsonTarget;
import io.millrace.load.target.StringTarget;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Loads of files and tables by the loader in a warm JVM: what a source, a target or an option costs. */
public final class LoadsExperiment {

    /** Figure: the duration that the report of a load states, from opening the source to the last reply. */
    public static final String REPORTED_SECONDS = LoadCommand.SECONDS;

    private static final long ROWS = 1_000_000;
    private static final long PAIRS = 1_500_000;
    private static final long MARKS = 10_000_000;

    /** A writer that waits for each reply takes so long that the table is smaller. */
    private static final long ROWS_ONE_BY_ONE = 100_000;

    private static final Duration TTL = Duration.ofHours(1);
    private static final Verification SAMPLE = new Verification(0.01);

    private static final String WARM = "millrace/warm";
    private static final String FROM_TABLE = "millrace/warm-256m";
    private static final String READING = "jdbc/read";
    private static final String JEDIS = "jedis/pipeline-" + JedisRows.PIPELINE;
    private static final String SPRING = "spring-batch/redis-item-writer";
    private static final String PLAIN = "millrace/plain";
    private static final String SAFE = "millrace/safe";
    private static final String EXPIRING = "millrace/ttl";

    private final Parameters parameters;
    private final RowData rows;

    private LoadsExperiment(Parameters parameters) {
        this.parameters = parameters;
        this.rows = new RowData(size(ROWS));
    }

    /** A quick run has a fiftieth of the rows. */
    private long size(long usual) {
        return parameters.size(parameters.quick() ? Math.ceilDiv(usual, 5) : usual);
    }

    public static Experiment of(Parameters parameters) {
        var loads = new LoadsExperiment(parameters);
        var scenarios = new ArrayList<>(List.of(
                loads.strings(), loads.jsonLines(), loads.postgres(), loads.documents(), loads.marks(), loads.safe()));
        scenarios.addAll(List.of(loads.expiringFields(), loads.expiringRows()));
        if (!parameters.quick()) { // the server takes long to start
            scenarios.add(loads.mariaDb());
        }
        return new Experiment(
                "loads",
                "Loads of tables and files",
                "What do a source, a target and an option of the loader cost, beside other ways to load the same rows?",
                scenarios);
    }

    /** A quick run shows only whether every contender works. */
    private RoundPlan plan(Duration expected) {
        return parameters.quick()
                ? RoundPlan.ONE_UNIT.withRounds(1).withExpectedUnit(expected.dividedBy(25))
                : RoundPlan.USUAL.withForks(2).withRounds(3).withExpectedUnit(expected);
    }

    private static JvmContender loader(String mode, String note, LoaderWork work) {
        return new JvmContender(description(mode, note), work);
    }

    private static Description description(String mode, String note) {
        return new Description("millrace", mode, "Loader, " + note + "; connects in every unit", "docs/load.md");
    }

    private static HashTarget hashes() {
        return HashTarget.of(LoadCommand.KEY_TEMPLATE);
    }

    private LoaderWork csvToHashes(HashTarget target) {
        return new LoaderWork(LoaderWork.csv(rows::writeCsv), target);
    }

    private Scenario strings() {
        var data = new StringData(size(PAIRS));
        var work = new LoaderWork(LoaderWork.csv(data::writeCsv), StringTarget.of(StringData.KEY_TEMPLATE, "value"));
        return Scenario.named("strings", "A CSV file of two columns into strings")
                .unit("rows")
                .contender(RedisTools.pipeSets(data.operations()))
                .contender(loader("warm", "default options", work)
                        .unfair("the JVM is warm, and the other contender is a whole process")
                        .asReference())
                .plan(plan(Duration.ofSeconds(1)))
                .server(data.server())
                .bars(ratio("wall", WARM, SETS, 0.65))
                .build();
    }

    private Scenario jsonLines() {
        var work = new LoaderWork(LoaderWork.jsonLines(rows::writeJsonLines), hashes());
        return Scenario.named("json-lines", "The same rows from CSV and from JSON lines into hashes")
                .unit("rows")
                .contender(loader("csv", "a CSV file", csvToHashes(hashes())))
                .contender(loader("json-lines", "a file with a JSON object on each line", work))
                .plan(plan(Duration.ofMillis(2_500)))
                .server(rows.server())
                .notCompared()
                .bars(ratio("wall", "millrace/json-lines", "millrace/csv", 1.2))
                .build();
    }

    private Scenario postgres() {
        var jedis = new Description(
                "jedis",
                "pipeline-" + JedisRows.PIPELINE,
                "reads as jdbc/read does; Pipeline with hset() of a map, syncAndReturnAll() every " + JedisRows.PIPELINE
                        + " rows, all results looked at",
                "https://redis.io/docs/latest/develop/clients/jedis/transpipe/");
        var work = new TableWork(RowSource.table(rows), JedisRows::open);
        return table(
                        "postgres",
                        "A table of PostgreSQL into hashes",
                        reading(RowSource.table(rows), "https://jdbc.postgresql.org/documentation/query/"),
                        fromTable(RowSource.table(rows)))
                .contender(new JvmContender(jedis, work, List.of(), Connections::missingForJedis))
                .bars(Bar.ratio("rows per second", FROM_TABLE, Figure.PER_SECOND, List.of(JEDIS), atLeast(1.2)))
                .build();
    }

    private Scenario mariaDb() {
        return table(
                        "mariadb",
                        "A table of MariaDB into hashes",
                        reading(
                                RowSource.mariaDb(rows),
                                "https://mariadb.com/docs/connectors/mariadb-connector-j/about-mariadb-connector-j"),
                        fromTable(RowSource.mariaDb(rows)))
                .notCompared()
                .build();
    }

    /** A load reads and writes at the same time, so its limit is the part that takes longer alone. */
    private Scenario.Builder table(String name, String title, JvmContender reading, JvmContender loader) {
        return Scenario.named(name, title + ", with a heap of 256 MB; and reading and writing alone")
                .unit("rows")
                .contender(BulkExperiment.pipeRows(rows).asReference())
                .contender(reading)
                .contender(loader)
                .plan(plan(Duration.ofSeconds(3)))
                .server(ServerUse.checkedBy(this::tableComplaints))
                .bars(Bar.toLargestPart(
                        "wall, to the larger of reading and writing alone",
                        FROM_TABLE,
                        Figure.UNIT_SECONDS,
                        List.of(READING, HSETS),
                        atMost(1.15)));
    }

    private List<String> tableComplaints(RedisServer server, Sample sample) {
        return TableWork.isReading(sample)
                ? TableWork.readingComplaints(server, sample, rows)
                : rows.hashes().complaints(server, sample);
    }

    private static JvmContender reading(RowSource source, String documentation) {
        var description = new Description(
                "jdbc",
                "read",
                "reads every value with getString() and writes nothing; forward only, no auto-commit, fetch size "
                        + TableReader.FETCH_SIZE,
                documentation);
        return new JvmContender(description, TableWork.reading(source), List.of(), source::missing).asReference();
    }

    /** A quick run uses the JVM of the other loads, and so a larger heap. */
    private JvmContender fromTable(RowSource source) {
        return new JvmContender(
                description("warm-256m", "default options, -Xmx256m"),
                new LoaderWork(LoaderWork.table(source), hashes()),
                parameters.quick() ? List.of() : List.of("-Xmx256m"),
                source::missing);
    }

    /** Spring Batch's writer, one JSON document for each row of a table. */
    public static JvmContender springBatch(RowData rows) {
        var description = new Description(
                "spring-batch",
                "redis-item-writer",
                "RedisItemWriter with a RedisTemplate on one connection of Lettuce, keys and JSON documents as text, chunks of "
                        + SpringBatchRows.CHUNK + " rows; reads as jdbc/read does, without a step and a job repository",
                "https://docs.spring.io/spring-batch/reference/readers-and-writers/item-reader-writer-implementations.html");
        return new JvmContender(description, new TableWork(RowSource.table(rows), SpringBatchRows::open));
    }

    /** The loader alone with a table, as the contender {@code millrace/loader}. */
    public static JvmContender tableLoader(RowData rows, boolean isDocuments, String heap) {
        var input = LoaderWork.table(RowSource.table(rows));
        var work = isDocuments
                ? new LoaderWork(input, JsonTarget.of(LoadCommand.KEY_TEMPLATE))
                : new LoaderWork(input, hashes());
        return new JvmContender(
                description("loader", "default options, " + heap), work, List.of(heap), target -> Optional.empty());
    }

    /** {@code millrace load} with a CSV file, as the contender {@code millrace/process}. */
    public static ProcessContender csvCommand(RowData rows) {
        return LoadCommand.contender(RowSource.csv(rows), false);
    }

    private Scenario documents() {
        var small = new RowData(size(ROWS_ONE_BY_ONE));
        return Scenario.named("documents", "A table of PostgreSQL into a JSON document for each row")
                .unit("rows")
                .contender(springBatch(small))
                .contender(loader(
                        "warm",
                        "default options",
                        new LoaderWork(
                                LoaderWork.table(RowSource.table(small)), JsonTarget.of(LoadCommand.KEY_TEMPLATE))))
                .plan(plan(Duration.ofSeconds(5)))
                .server(ServerUse.checkedBy(small.documents()))
                .bars(Bar.ratio("rows per second", WARM, Figure.PER_SECOND, List.of(SPRING), atLeast(15)))
                .build();
    }

    private Scenario marks() {
        var marks = Marks.of(size(MARKS));
        return Scenario.named("marks", "A month of active users, from a CSV file into a bitmap for each day")
                .unit("marks")
                .contender(marks.jedis())
                .contender(loader(
                        "warm",
                        "default options, the file is sorted by day and id",
                        new LoaderWork(
                                LoaderWork.csv(marks::writeCsv), BitmapTarget.of(Marks.KEY_TEMPLATE, Marks.OFFSET))))
                .plan(plan(Duration.ofSeconds(7)))
                .server(marks.server())
                .bars(Bar.ratio("marks per second", WARM, Figure.PER_SECOND, List.of("jedis/setbit"), atLeast(10)))
                .build();
    }

    private Scenario safe() {
        var safe = new LoaderWork(LoaderWork.csv(rows::writeCsv), hashes(), LoadsExperiment::safeOptions);
        return Scenario.named("safe", "A CSV file into hashes, with a rejects file, a checkpoint and a verification")
                .unit("rows")
                .contender(loader("plain", "default options", csvToHashes(hashes())))
                .contender(loader("safe", "with rejects, checkpoint, and verification of 1 % of the rows", safe))
                .plan(plan(Duration.ofMillis(2_500)))
                .server(rows.server())
                .notCompared()
                .bars(ratio("wall", SAFE, PLAIN, 1.08))
                .build();
    }

    private static LoadOptions safeOptions(Path folder, int unit) {
        return LoadOptions.builder()
                .rejects(folder.resolve("rejects-" + unit + ".jsonl"))
                .checkpoint(CheckpointOptions.of("load-" + unit).in(folder))
                .verify(SAMPLE)
                .build();
    }

    /** The rows share the key, and so the expiry. */
    private Scenario expiringFields() {
        var input = LoaderWork.csv(rows::writeCsv);
        var target =
                HashFieldTarget.of(ExpiryCheck.SHARED_KEY, ExpiryCheck.FIELD).withValue(ExpiryCheck.VALUE);
        return expiring(
                        "ttl-fields",
                        "A CSV file into one hash with a field for each row, without and with an expiry",
                        new LoaderWork(input, target),
                        new LoaderWork(input, target.withTtl(TTL)))
                .server(new ExpiryCheck(rows).sharedHash())
                .bars(ratio("wall", EXPIRING, PLAIN, 1.1), bytesSent(1.05))
                .build();
    }

    private Scenario expiringRows() {
        return expiring(
                        "ttl-rows",
                        "A CSV file into a hash for each row, without and with an expiry",
                        csvToHashes(hashes()),
                        csvToHashes(hashes().withTtl(TTL)))
                .server(new ExpiryCheck(rows).hashes())
                .bars(ratio("wall", EXPIRING, PLAIN, 1.5), bytesSent(1.4))
                .build();
    }

    private static Bar bytesSent(double limit) {
        return Bar.ratio("bytes sent", EXPIRING, Figure.own(LoaderWork.BYTES), List.of(PLAIN), atMost(limit));
    }

    private Scenario.Builder expiring(String name, String title, LoaderWork plain, LoaderWork expiring) {
        return Scenario.named(name, title)
                .unit("rows")
                .contender(loader("plain", "without an expiry", plain))
                .contender(loader("ttl", "with an expiry of " + TTL.toHours() + " h", expiring))
                .plan(plan(Duration.ofMillis(2_500)))
                .figure("bytes sent", Figure.own(LoaderWork.BYTES))
                .notCompared();
    }
}
