// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.LoadEvent;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;

/**
 * The listener of a {@link LoadObserver} for one run. If the listener fails, the load continues: the first failure of the run
 * is logged, and the listener still gets the later events. The exception of a listener would end the load otherwise.
 */
final class GuardedListener implements Consumer<LoadEvent> {

    private final String job;
    private final LoadObserver observer;
    private final Consumer<LoadEvent> listener;
    private final Log log;

    /** Guarded by the loader, which passes one event at a time. */
    private boolean hasFailed;

    private GuardedListener(String job, LoadObserver observer, Consumer<LoadEvent> listener, Log log) {
        this.job = job;
        this.observer = observer;
        this.listener = listener;
        this.log = log;
    }

    /** Returns the listener of {@code observer}, or one that does nothing if the observer fails. */
    static Consumer<LoadEvent> of(LoadObserver observer, String job, RunKind kind, Log log) {
        try {
            return new GuardedListener(job, observer, observer.listener(job, kind), log);
        } catch (RuntimeException | Error failure) {
            warn(log, job, observer, "returned no listener", failure);
            return event -> {};
        }
    }

    /** Also catches an error, such as a missing class of the listener. */
    @Override
    public void accept(LoadEvent event) {
        try {
            listener.accept(event);
        } catch (RuntimeException | Error failure) {
            if (!hasFailed) {
                hasFailed = true;
                warn(
                        log,
                        job,
                        observer,
                        "failed at the event " + event.getClass().getSimpleName(),
                        failure);
            }
        }
    }

    private static void warn(Log log, String job, LoadObserver observer, String what, Throwable failure) {
        log.warn(
                "an observer of the load job " + job + " " + what + ": class="
                        + observer.getClass().getName() + ". The load continues.",
                failure);
    }
}
