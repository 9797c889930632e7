// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.recovery;

import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.Target;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.time.Duration;

/**
 * Callers at a steady rate, and one fault.
 *
 * @param callers number of virtual threads
 * @param perSecond commands per second of all callers together
 * @param before time before the fault
 * @param after time after the server was lost
 * @param timeout time limit of a command
 */
record RecoveryWork(
        ClientLibrary library,
        UsageMode mode,
        Fault fault,
        int callers,
        long perSecond,
        Duration before,
        Duration after,
        Duration timeout)
        implements Work {

    @Override
    public ReadyWork open(WorkContext context) {
        return new RecoveryRounds(this, context.folder());
    }

    Target target(FaultyServer server) {
        return Target.of(server.host(), server.port()).withTimeout(timeout);
    }

    /** Time between two commands of one caller. */
    Duration interval() {
        return Duration.ofSeconds(1).multipliedBy(callers).dividedBy(perSecond);
    }
}
