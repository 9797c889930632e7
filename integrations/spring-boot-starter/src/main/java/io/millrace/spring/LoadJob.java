// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.springframework.scheduling.support.CronExpression;

/**
 * A load job: a plan, and when it runs.
 *
 * @param planDigest digest of the source, the target and the options; instances of a fleet with the same digest load the
 *     same data
 * @param trigger when the job runs at start
 * @param required whether the start fails if the job does not complete
 * @param deadline maximum time of a run; includes the wait for another instance
 * @param cron times at which the job runs again
 * @param oncePer time during which a fleet loads once; zero if each instance loads
 */
record LoadJob(
        String name,
        LoadPlan plan,
        String planDigest,
        LoadTrigger trigger,
        boolean required,
        Duration deadline,
        Optional<CronExpression> cron,
        Duration oncePer) {

    /** Whether the instances of a fleet share the load. */
    boolean isShared() {
        return !oncePer.isZero();
    }

    /** Returns this job with changed options. A job with other options does not share its load. */
    LoadJob with(UnaryOperator<LoadOptions> change) {
        LoadOptions changed = change.apply(plan.options());
        return changed.equals(plan.options())
                ? this
                : new LoadJob(
                        name,
                        new LoadPlan(plan.source(), plan.target(), changed),
                        planDigest,
                        trigger,
                        required,
                        deadline,
                        cron,
                        Duration.ZERO);
    }
}
