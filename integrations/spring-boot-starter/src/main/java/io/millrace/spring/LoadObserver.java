// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.LoadEvent;
import java.util.function.Consumer;

/**
 * Observes the runs of all load jobs: a bean of this type is called for each run, for example for metrics. An observer that
 * fails does not change the run: its first failure in a run is logged.
 */
public interface LoadObserver {

    /**
     * Returns a listener for the events of one run of {@code job}. Called on the thread of the job before its load begins, and
     * once for each job at the start of the application, without a run. A slow listener slows the load down.
     */
    Consumer<LoadEvent> listener(String job);

    /**
     * Does the same for an observer that distinguishes the kinds of runs. The starter calls only this method.
     *
     * @param kind the kind of the run; {@link RunKind#CONFIGURED} at the start of the application
     */
    default Consumer<LoadEvent> listener(String job, RunKind kind) {
        return listener(job);
    }

    /** Called for a run that another instance of the fleet has done. */
    default void shared(LoadRun run) {}
}
