// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Readers whose cancellation blocks, as with a database that does not react. */
@ExtendWith(NoThreadLeft.class)
class ParallelRowReaderTest {

    private static final int PARTS = 3;

    /** Counts the parts in {@link RowReader#cancel}. */
    private final CountDownLatch cancelling = new CountDownLatch(PARTS);

    private final CountDownLatch released = new CountDownLatch(1);

    @Test
    void partsAreCancelledAtTheSameTime() throws InterruptedException {
        try (RowReader reader = open()) {
            Thread cancel = Thread.ofPlatform().start(reader::cancel);

            boolean all = cancelling.await(10, TimeUnit.SECONDS);
            released.countDown();

            assertThat(cancel.join(Duration.ofMinutes(1))).isTrue();
            assertThat(all).as("all parts are being cancelled").isTrue();
        }
    }

    @Test
    void partsOfAClosedReaderAreCancelledAtTheSameTime() throws InterruptedException {
        Thread closing = Thread.ofPlatform().start(open()::close);

        boolean all = cancelling.await(10, TimeUnit.SECONDS);
        released.countDown();

        assertThat(closing.join(Duration.ofMinutes(1))).isTrue();
        assertThat(all).as("all parts are being cancelled").isTrue();
    }

    private RowReader open() {
        List<RowSource> parts = IntStream.range(0, PARTS).mapToObj(i -> part()).toList();
        return ParallelRowReader.open("parts", parts, new TableSize(OptionalLong.empty(), false), cancel -> {});
    }

    /** A part whose first row never arrives. */
    private RowSource part() {
        return new RowSource() {
            @Override
            public String name() {
                return "part";
            }

            @Override
            public boolean readableAgain() {
                return false;
            }

            @Override
            public RowReader open() {
                return reader();
            }
        };
    }

    private RowReader reader() {
        return new RowReader() {
            @Override
            public List<Column> columns() {
                return List.of(new Column("id"));
            }

            @Override
            public boolean next(Row row) {
                await();
                return false;
            }

            @Override
            public void cancel() {
                cancelling.countDown();
                await();
            }

            @Override
            public void close() {}
        };
    }

    private void await() {
        try {
            released.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
