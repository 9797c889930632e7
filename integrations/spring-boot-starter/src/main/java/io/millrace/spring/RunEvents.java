// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.LoadEvent;
import java.util.List;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Tells the log, the meters and the listeners of the application about the runs of load jobs. A listener that fails does
 * not change the run.
 *
 * <p>The log is that of Spring, not {@code java.util.logging}: on SIGTERM, the latter removes its handlers while the jobs
 * still stop, so a load that the signal stops would leave no line.
 */
record RunEvents(ApplicationEventPublisher publisher, List<LoadObserver> observers, Log log) {

    /** Writes to the log of the starter. */
    RunEvents(ApplicationEventPublisher publisher, List<LoadObserver> observers) {
        this(publisher, observers, LogFactory.getLog("io.millrace.spring"));
    }

    /** The listeners of all observers for one run. They never throw. */
    Consumer<LoadEvent> listener(String job, RunKind kind) {
        Consumer<LoadEvent> all = event -> {};
        for (LoadObserver observer : observers) {
            all = all.andThen(GuardedListener.of(observer, job, kind, log));
        }
        return all;
    }

    /** Returns after all listeners. Never throws. */
    void started(String job, RunKind kind, long number) {
        publish(new LoadStarted(job, kind, number));
    }

    /** Writes the line about the end of a run. Does not wait for the application. */
    void logEnd(LoadRun ended) {
        String subject = ended.kind().subject(ended.job());
        if (ended.isComplete()) {
            log.info(subject + " is complete" + (ended.shared() ? " (loaded by another instance)" : "") + ": "
                    + ended.report().summary());
        } else {
            log.warn(subject + " did not complete: " + FailedLoadException.reason(ended));
        }
    }

    /** Returns after all listeners. Never throws. */
    void ended(LoadRun run, long number) {
        if (run.shared()) {
            observers.forEach(observer -> guarded(() -> observer.shared(run), "LoadObserver"));
        }
        publish(new LoadEnded(run, number));
    }

    private void publish(Object event) {
        guarded(() -> publisher.publishEvent(event), event.getClass().getSimpleName());
    }

    /** Also catches an error, such as a missing class of a listener. The callers of the run would wait for its end. */
    private void guarded(Runnable listener, String event) {
        try {
            listener.run();
        } catch (RuntimeException | Error failed) {
            log.warn("a listener of the load jobs has failed: " + event, failed);
        }
    }
}
