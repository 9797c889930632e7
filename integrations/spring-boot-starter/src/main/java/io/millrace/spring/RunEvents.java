// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.util.List;
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
record RunEvents(ApplicationEventPublisher publisher, List<LoadObserver> observers) {

    private static final Log LOG = LogFactory.getLog("io.millrace.spring");

    /** Runs on the thread of the job. */
    void started(String job, long number) {
        publish(new LoadStarted(job, number));
    }

    /** Runs on the thread of the job. Returns after all listeners. Never throws. */
    void ended(LoadRun run, long number) {
        log(run);
        if (run.shared()) {
            observers.forEach(observer -> guarded(() -> observer.shared(run), "LoadObserver"));
        }
        publish(new LoadEnded(run, number));
    }

    private void publish(Object event) {
        guarded(() -> publisher.publishEvent(event), event.getClass().getSimpleName());
    }

    /** Also catches an error, such as a missing class of a listener. The callers of the run would wait for its end. */
    private static void guarded(Runnable listener, String event) {
        try {
            listener.run();
        } catch (RuntimeException | Error failed) {
            LOG.warn("a listener of the load jobs has failed: " + event, failed);
        }
    }

    private static void log(LoadRun ended) {
        if (ended.isComplete()) {
            LOG.info("the load job " + ended.job() + " is complete"
                    + (ended.shared() ? " (loaded by another instance)" : "") + ": "
                    + ended.report().summary());
        } else {
            LOG.warn("the load job " + ended.job() + " did not complete: " + FailedLoadException.reason(ended));
        }
    }
}
