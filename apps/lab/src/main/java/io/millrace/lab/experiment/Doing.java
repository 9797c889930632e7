// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Idiom;
import io.millrace.lab.library.Library;
import io.millrace.lab.library.Way;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.List;
import java.util.Optional;

/**
 * A library that does an activity over one connection, in one of its ways.
 *
 * @param batch how many commands go together, where they do
 * @param first whether it is the first use of a new JVM that is measured, and after which warm-up
 */
record Doing(Library library, Way way, Activity activity, int batch, Optional<FirstUse> first)
        implements WarmContender {

    /** What has been done with a connection before its first round is measured. */
    enum FirstUse {
        COLD("cold", 0),
        WARMED("warmed", 20);

        private final String word;
        private final int times;

        FirstUse(String word, int times) {
            this.word = word;
            this.times = times;
        }
    }

    @Override
    public String name() {
        return library.name();
    }

    @Override
    public String variant() {
        var suffix = way.name().equals(Way.PIPELINE_FUSED) ? "-fused" : "";
        return first.map(use -> use.word + suffix).orElse(way.name());
    }

    /** All that a library does, it does in one JVM. */
    @Override
    public String jvm() {
        return name();
    }

    @Override
    public boolean isFreshEachRound() {
        return first.isPresent();
    }

    @Override
    public boolean waits() {
        return way.waits();
    }

    @Override
    public String note() {
        return way.note()
                + (way.waits() ? "" : "; " + batch + " at a time")
                + first.map(use -> "; a new JVM for each round"
                                + (use.times == 0 ? "" : ", which has done the same " + use.times + " times before"))
                        .orElse("");
    }

    @Override
    public Rounds open(Task task) throws Exception {
        var idiom = way.opener().open(task.endpoint());
        var work = activity.work(task.operations());
        for (int i = 0; i < first.map(use -> use.times).orElse(0); i++) {
            work.run(idiom, batch);
        }
        return new DoingRounds(idiom, work, batch);
    }

    private record DoingRounds(Idiom idiom, Activity.Work work, int batch) implements Rounds {

        @Override
        public Optional<Outcomes> run() throws Exception {
            work.run(idiom, batch);
            return Optional.empty();
        }

        @Override
        public List<String> complaints() {
            return work.complaints();
        }

        @Override
        public void close() throws Exception {
            idiom.close();
        }
    }
}
