// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.measure.WorkerMessages.MeasuredPart;
import io.millrace.lab.server.LabException;
import java.util.function.Consumer;

/**
 * A contender that is ready for rounds, as the lab sees the contender. Each method throws {@link LabException} if the
 * contender fails, and {@link LabInterrupted} if the lab is interrupted.
 */
interface ReadyContender {

    /** Longest wait for one step of a contender. */
    long LIMIT_MINUTES = 30;

    /** False if the process of the contender has ended, so the contender must be opened again. */
    boolean isAlive();

    void prepare();

    void fill();

    /** The measured part of a round. */
    MeasuredPart run(Consumer<ProgressEvent> listener);

    RoundDetails details();

    /** Closes the connections of the contender. Returns when nothing of the contender is running. */
    void close();

    /** Ends a contender that failed, without waiting for its own cleanup if its process is not shared. */
    void abort();
}
