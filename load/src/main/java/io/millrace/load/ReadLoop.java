// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.SourceException;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * Reads rows until the source ends, the row limit is reached, {@code enough} returns true, or the load is stopped. A
 * failure of the source and an interrupt of the thread stop the load. Confined to the loading thread.
 */
record ReadLoop(RowReader reader, OptionalLong limit, CancelSignal stop, SampledTime time, BooleanSupplier enough) {

    /** Handles each row. */
    interface RowHandler {
        /**
         * Handles {@code row}, and returns the row object that receives the next record: {@code row}, or another row
         * object if {@code row} is still in use.
         */
        Row handle(Row row);
    }

    /**
     * Runs the loop. Blocks while the source blocks, and while the window of a connection is full.
     *
     * @param first the row object that receives the first record
     * @param failurePrefix text that precedes the message of the source, if reading the source fails
     */
    void run(Row first, String failurePrefix, RowHandler use) {
        long maxRows = limit.orElse(Long.MAX_VALUE);
        Row row = first;
        try (CancelActions.Registration ignored = stop.onInterrupt(reader::cancel)) {
            for (long read = 0; read < maxRows && !isStopped() && !enough.getAsBoolean(); read++) {
                time.start();
                if (!reader.next(row)) {
                    break;
                }
                time.read();
                row = use.handle(row);
                time.ended();
            }
        } catch (SourceException e) {
            if (!isStopped()) {
                stop.stop(failurePrefix + e.getMessage());
            }
        }
        time.finish();
    }

    private boolean isStopped() {
        if (Thread.currentThread().isInterrupted()) {
            stop.interrupt();
        }
        return stop.isRaised();
    }
}
