// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.exception.ConnectException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Connects the client at start. While the server cannot be reached, the start tries again until its patience ends. A
 * server that refuses the login or the certificate would refuse it again, so the start fails at once.
 */
final class ClientStarter {

    private static final Log LOG = LogFactory.getLog("io.millrace.spring");

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private ClientStarter() {}

    /**
     * Connects with {@code options}.
     *
     * @param patience time during which attempts are repeated; zero for one attempt
     * @throws ConnectException if the server cannot be reached, or refuses the login
     */
    static RedisClient connect(ClientOptions options, Duration patience) {
        long endNanos = System.nanoTime() + patience.toNanos();
        Duration pause = FIRST_PAUSE;
        while (true) {
            try {
                return RedisClient.connect(options);
            } catch (ConnectException failed) {
                long leftNanos = endNanos - System.nanoTime();
                if (isPermanent(failed) || leftNanos <= 0) {
                    throw failed;
                }
                if (pause.equals(FIRST_PAUSE)) {
                    LOG.warn("Redis cannot be reached yet; the start tries again: patience=" + patience + ", reason="
                            + failed.getMessage());
                }
                pause(Math.min(leftNanos, pause.toNanos()), failed);
                pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : pause;
            }
        }
    }

    private static boolean isPermanent(ConnectException failed) {
        return switch (failed.reason()) {
            case AUTHENTICATION, TLS -> true;
            case UNREACHABLE, HANDSHAKE -> false;
        };
    }

    private static void pause(long nanos, ConnectException failed) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw failed;
        }
    }
}
