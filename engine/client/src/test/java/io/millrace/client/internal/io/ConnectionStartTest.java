// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ReplyLimits;
import io.millrace.client.internal.connect.Transport;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a connection whose threads cannot be started, as if the process had too many threads. */
@ExtendWith(NoThreadLeft.class)
class ConnectionStartTest {

    private final List<String> ends = Collections.synchronizedList(new ArrayList<>());

    @ParameterizedTest
    @ValueSource(strings = {"millrace-reader-", "millrace-writer-"})
    void connectionEndsAndItsTransportIsClosedIfAThreadCannotBeStarted(String refused) {
        IdleTransport transport = new IdleTransport();
        Connection connection = new Connection(
                transport,
                new EndSink(),
                ReplyLimits.DEFAULT,
                System::nanoTime,
                (name, work) -> name.startsWith(refused) ? new RefusedThread() : ClientThreads.platform(name, work));

        assertThatThrownBy(() -> connection.start(new Outbox(System::nanoTime)))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessage("no more threads");

        assertThat(transport.closed.getCount()).as("not closed").isZero();
        connection.awaitEnd();
        assertThat(connection.isOpen()).isFalse();
        assertThat(ends).hasSize(1);
    }

    /** A thread that cannot be started. */
    private static final class RefusedThread extends Thread {

        @Override
        public void start() {
            throw new OutOfMemoryError("no more threads");
        }
    }

    /** Records the ends of the connection. */
    private final class EndSink implements ReplySink {

        @Override
        public boolean reply(Reply reply) {
            return false;
        }

        @Override
        public boolean batchEnd() {
            return false;
        }

        @Override
        public void ended(String cause) {
            ends.add(cause);
        }
    }

    /** A transport that receives nothing. A read waits until the transport is closed. */
    private static final class IdleTransport implements Transport {

        private final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public int read(byte[] buffer) {
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return -1;
        }

        @Override
        public int readWithin(byte[] buffer, int millis) {
            return read(buffer);
        }

        @Override
        public int write(byte[] bytes, int offset, int length) {
            return length;
        }

        @Override
        public boolean isNonBlocking() {
            return false;
        }

        @Override
        public void wakeReader() {}

        @Override
        public void awaitWritable() {}

        @Override
        public boolean readsEverythingAvailable() {
            return false;
        }

        @Override
        public boolean failedWriteSendsNothing() {
            return false;
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }
}
