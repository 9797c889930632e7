// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.SourceException;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * Reads rows to the end of the source, to the limit, until it is enough, or to the stop sign, whichever comes first. A source
 * that breaks and an interrupt of the thread put the sign up. Belongs to the loading thread.
 */
record RowLoop(RowReader reader, OptionalLong limit, StopSign stop, SampledTime time, BooleanSupplier enough) {

    /** What is done with each row. */
    interface Use {
        /** Returns the row to read into next: the same, or another if that one was given away. */
        Row use(Row row);
    }

    /**
     * Reads.
     *
     * @param first to read into
     * @param broken what to say before the words of a source that breaks
     */
    void run(Row first, String broken, Use use) {
        long most = limit.orElse(Long.MAX_VALUE);
        Row row = first;
        try (Alarm.Watch ignored = stop.onInterrupt(reader::cancel)) {
            for (long read = 0; read < most && !isStopped() && !enough.getAsBoolean(); read++) {
                time.start();
                if (!reader.next(row)) {
                    break;
                }
                time.read();
                row = use.use(row);
                time.ended();
            }
        } catch (SourceException e) {
            if (!isStopped()) {
                stop.stop(broken + e.getMessage());
            }
        }
        time.finish();
    }

    private boolean isStopped() {
        if (Thread.currentThread().isInterrupted()) {
            stop.interrupt();
        }
        return stop.isUp();
    }
}
