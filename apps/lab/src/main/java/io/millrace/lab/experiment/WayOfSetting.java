// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Idiom;
import io.millrace.lab.library.Library;
import io.millrace.lab.library.Pair;
import io.millrace.lab.library.Way;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.List;
import java.util.Optional;

/**
 * A library that sets numbered pairs over one connection, in one of its ways.
 *
 * @param batch how many go together, where they do
 */
record WayOfSetting(Library library, Way way, int batch) implements WarmContender {

    @Override
    public String name() {
        return library.name();
    }

    @Override
    public String variant() {
        return way.waits() ? way.name() : way.name() + "-" + batch;
    }

    @Override
    public String jvm() {
        return name();
    }

    @Override
    public boolean waits() {
        return way.waits();
    }

    @Override
    public String note() {
        return way.note();
    }

    @Override
    public Rounds open(Task task) throws Exception {
        return new SettingRounds(way.opener().open(task.endpoint()), Pairs.first(task.operations()), batch);
    }

    private record SettingRounds(Idiom idiom, List<Pair> pairs, int batch) implements Rounds {

        @Override
        public Optional<Outcomes> run() throws Exception {
            idiom.set(pairs, batch);
            return Optional.empty();
        }

        @Override
        public void close() throws Exception {
            idiom.close();
        }
    }
}
