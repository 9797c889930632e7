// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.client.MillraceClients;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.Loader;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.JdbcOptions;
import io.millrace.load.source.JdbcSource;
import io.millrace.load.source.JsonOptions;
import io.millrace.load.source.JsonSource;
import io.millrace.load.target.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Millrace's loader as a library. Each unit opens the source and connects.
 *
 * @param input made in the JVM of the contender
 * @param options options of the unit with a number, from 0, whose files are in a folder
 */
record LoaderWork(Input input, Target target, BiFunction<Path, Integer, LoadOptions> options) implements Work {

    /** Bytes that one load sends. */
    static final String BYTES = "bytesSent";

    LoaderWork(Input input, Target target) {
        this(input, target, (folder, unit) -> LoadOptions.defaults());
    }

    /** Makes the rows of a load. */
    @FunctionalInterface
    interface Input {
        Opened open(WorkContext context) throws IOException;
    }

    /** Rows that are ready to be read, and the resources that must be closed afterwards. */
    record Opened(io.millrace.load.source.RowSource source, Closing closing) {

        Opened(io.millrace.load.source.RowSource source) {
            this(source, () -> {});
        }
    }

    @FunctionalInterface
    interface Closing {
        void close() throws IOException;
    }

    /** A CSV file that {@code writer} writes. */
    static Input csv(UnaryOperator<Path> writer) {
        return context ->
                new Opened(CsvSource.of(writer.apply(context.folder().resolve("rows.csv")), CsvOptions.defaults()));
    }

    /** A file with a JSON object on each line, which {@code writer} writes. */
    static Input jsonLines(UnaryOperator<Path> writer) {
        return context ->
                new Opened(JsonSource.of(writer.apply(context.folder().resolve("rows.jsonl")), JsonOptions.defaults()));
    }

    /** The table of a database. */
    static Input table(RowSource table) {
        return context -> {
            table.prepare(context);
            return new Opened(
                    JdbcSource.ofTable(table.location(context), RowSource.TABLE, JdbcOptions.defaults()),
                    table::release);
        };
    }

    @Override
    public ReadyWork open(WorkContext context) throws IOException {
        var loader = new Loader(MillraceClients.options(context.target()).build());
        return new Ready(this, context.folder(), loader, input.open(context));
    }

    private static final class Ready implements ReadyWork {

        private final LoaderWork work;
        private final Path folder;
        private final Loader loader;
        private final Opened opened;
        private Outcomes outcomes = Outcomes.NONE;
        private FusedCalls fused = FusedCalls.NONE;
        private long bytesSent;
        private int units;

        Ready(LoaderWork work, Path folder, Loader loader, Opened opened) {
            this.work = work;
            this.folder = folder;
            this.loader = loader;
            this.opened = opened;
        }

        @Override
        public void prepare() {
            outcomes = Outcomes.NONE;
            fused = FusedCalls.NONE;
        }

        @Override
        public long run() {
            var plan = new LoadPlan(opened.source, work.target, work.options.apply(folder, units++));
            var report = loader.run(plan, event -> {});
            var counts = report.commands();
            outcomes = outcomes.plus(
                    new Outcomes(counts.ok(), counts.error(), counts.timedOut(), counts.refused(), counts.lost()));
            fused = fused.plus(FusedCalls.of(report.fusion()));
            bytesSent = report.bytesSent();
            return report.rows().written();
        }

        @Override
        public RoundDetails details() {
            var details = RoundDetails.NONE.withOutcomes(outcomes).withFigure(BYTES, (double) bytesSent);
            return fused.addTo(ExpiryCheck.addTo(details, work.target.options().ttl()));
        }

        @Override
        public void close() throws IOException {
            opened.closing.close();
        }
    }
}
