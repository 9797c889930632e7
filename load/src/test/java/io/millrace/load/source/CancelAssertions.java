// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;

/** Cancels readers that are blocked. */
final class CancelAssertions {

    private CancelAssertions() {}

    /**
     * Checks that a cancellation ends a blocked read. The method reads {@code rows} rows of {@code source}. The next
     * row never arrives. While the method waits for this row, another thread cancels the reader.
     */
    static void assertCancelEndsReading(RowSource source, int rows) throws InterruptedException {
        Row row = new Row();
        try (RowReader reader = source.open()) {
            for (int i = 0; i < rows; i++) {
                assertThat(reader.next(row)).isTrue();
            }
            Thread reading = Thread.currentThread();
            Thread canceller = Thread.ofPlatform().start(() -> {
                awaitBusy(reading);
                reader.cancel();
            });

            SourceException e = catchThrowableOfType(SourceException.class, () -> reader.next(row));
            SourceException later = catchThrowableOfType(SourceException.class, () -> reader.next(row));

            assertThat(canceller.join(Duration.ofSeconds(30))).isTrue();
            assertThat(e.kind()).isEqualTo(SourceException.Kind.BROKEN);
            assertThat(later).as("a later read").isNotNull();
            assertThat(row.isRejected()).isFalse();
        }
    }

    /** Waits until {@code thread} is inside {@link RowReader#next}. */
    private static void awaitBusy(Thread thread) {
        long inside = 0;
        while (inside < 100) {
            for (StackTraceElement frame : thread.getStackTrace()) {
                if (frame.getMethodName().equals("next") && frame.getClassName().endsWith("RowReader")) {
                    inside++;
                }
            }
            Thread.onSpinWait();
        }
    }
}
