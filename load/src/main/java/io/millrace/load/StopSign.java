// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Why a load shall read no further: the first reason counts. Any thread. */
final class StopSign {

    private final AtomicReference<LoadReport.@Nullable Ending> reason = new AtomicReference<>();

    void interrupt() {
        reason.compareAndSet(null, new LoadReport.Ending.Interrupted());
    }

    void stop(String why) {
        reason.compareAndSet(null, new LoadReport.Ending.Stopped(why));
    }

    boolean isUp() {
        return reason.get() != null;
    }

    LoadReport.Ending ending() {
        LoadReport.Ending known = reason.get();
        return known == null ? new LoadReport.Ending.Completed() : known;
    }
}
