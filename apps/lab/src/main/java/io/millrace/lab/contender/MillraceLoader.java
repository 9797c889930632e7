// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import io.millrace.lab.workload.RowData;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.Loader;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.target.HashTarget;
import java.nio.file.Path;
import java.util.Optional;

/** Millrace's loader as a library: a CSV file into hashes. */
public final class MillraceLoader implements WarmContender {

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String note() {
        return "Loader with default options, from opening the file to the account; JVM warm, connects in every round";
    }

    @Override
    public Rounds open(Task task) {
        var loader = new Loader(MillraceConnections.builder(task.endpoint()).build());
        var plan = new LoadPlan(
                CsvSource.of(Path.of(task.input(MillraceCommand.SOURCE)), CsvOptions.defaults()),
                HashTarget.of(RowData.KEY),
                LoadOptions.defaults());
        return new LoaderRounds(loader, plan);
    }

    private record LoaderRounds(Loader loader, LoadPlan plan) implements Rounds {

        @Override
        public Optional<Outcomes> run() {
            var commands = loader.run(plan, event -> {}).commands();
            return Optional.of(new Outcomes(
                    commands.ok(), commands.error(), commands.timedOut(), commands.refused(), commands.lost()));
        }

        @Override
        public void close() {}
    }
}
