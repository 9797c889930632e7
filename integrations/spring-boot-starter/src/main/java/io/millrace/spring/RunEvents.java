// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.lang.System.Logger.Level;
import java.util.List;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Tells the log, the meters and the listeners of the application about the runs of load jobs. A listener that fails does
 * not change the run.
 */
record RunEvents(ApplicationEventPublisher publisher, List<LoadObserver> observers) {

    private static final System.Logger LOGGER = System.getLogger("io.millrace.spring");

    /** Runs on the thread of the job. */
    void started(String job) {
        publish(new LoadStarted(job));
    }

    /** Runs on the thread of the job. Returns after all listeners. Never throws. */
    void ended(LoadRun run) {
        log(run);
        if (run.shared()) {
            observers.forEach(observer -> guarded(() -> observer.shared(run), "LoadObserver"));
        }
        publish(new LoadEnded(run));
    }

    private void publish(Object event) {
        guarded(() -> publisher.publishEvent(event), event.getClass().getSimpleName());
    }

    /** Also catches an error, such as a missing class of a listener. The callers of the run would wait for its end. */
    private static void guarded(Runnable listener, String event) {
        try {
            listener.run();
        } catch (RuntimeException | Error failed) {
            LOGGER.log(Level.WARNING, "a listener of the load jobs has failed: " + event, failed);
        }
    }

    private static void log(LoadRun ended) {
        if (ended.isComplete()) {
            LOGGER.log(
                    Level.INFO,
                    "the load job {0} is complete{1}: {2}",
                    ended.job(),
                    ended.shared() ? " (loaded by another instance)" : "",
                    ended.report().summary());
        } else {
            LOGGER.log(
                    Level.WARNING,
                    "the load job {0} did not complete: {1}",
                    ended.job(),
                    FailedLoadException.reason(ended));
        }
    }
}
