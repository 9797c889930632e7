// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.LoadEvent;
import java.util.function.Consumer;

/** Observes the runs of load jobs, for metrics. */
interface LoadObserver {

    /** Returns a listener for the events of one run of {@code job}. */
    Consumer<LoadEvent> listener(String job);

    /** Called for a run that another instance of the fleet has done. */
    void shared(LoadRun run);
}
