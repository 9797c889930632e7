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
import io.millrace.load.target.HashTarget;

/** Millrace's loader as a library: a CSV file into hashes. Each unit opens the file and connects. */
record LoaderWork(RowData rows) implements Work {

    @Override
    public ReadyWork open(WorkContext context) {
        var file = rows.writeCsv(context.folder().resolve("rows.csv"));
        var loader = new Loader(MillraceClients.options(context.target()).build());
        var plan = new LoadPlan(
                CsvSource.of(file, CsvOptions.defaults()),
                HashTarget.of(LoadCommand.KEY_TEMPLATE),
                LoadOptions.defaults());
        return new Ready(loader, plan);
    }

    private static final class Ready implements ReadyWork {

        private final Loader loader;
        private final LoadPlan plan;
        private Outcomes outcomes = Outcomes.NONE;

        Ready(Loader loader, LoadPlan plan) {
            this.loader = loader;
            this.plan = plan;
        }

        @Override
        public void prepare() {
            outcomes = Outcomes.NONE;
        }

        @Override
        public long run() {
            var counts = loader.run(plan, event -> {}).commands();
            outcomes = outcomes.plus(
                    new Outcomes(counts.ok(), counts.error(), counts.timedOut(), counts.refused(), counts.lost()));
            return counts.ok();
        }

        @Override
        public RoundDetails details() {
            return RoundDetails.NONE.withOutcomes(outcomes);
        }

        @Override
        public void close() {}
    }
}
