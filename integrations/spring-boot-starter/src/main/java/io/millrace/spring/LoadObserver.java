// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.LoadEvent;
import java.util.function.Consumer;

/** Observes the runs of all load jobs: a bean of this type is called for each run, for example for metrics. */
public interface LoadObserver {

    /**
     * Returns a listener for the events of one run of {@code job}. Called on the thread of the job before its load begins, and
     * once for each job at the start of the application, without a run. A slow listener slows the load down.
     */
    Consumer<LoadEvent> listener(String job);

    /** Called for a run that another instance of the fleet has done. */
    default void shared(LoadRun run) {}
}
