// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.source.GeneratedSource;
import io.millrace.load.target.HashTarget;
import io.millrace.server.api.ValueSource;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;

/** What the server of the tests has in addition: values that are computed at once, and jobs. */
class TestBeans {

    /** Counts the computations. */
    static final AtomicInteger COMPUTATIONS = new AtomicInteger();

    /** The computations of keys that begin with {@code held} wait for a permit. */
    static final Semaphore HELD = new Semaphore(0);

    /** The port of the server that was started last. Its start may still wait for a job. */
    static final AtomicInteger NEWEST_PORT = new AtomicInteger();

    static final GatedSource GATED = GatedSource.withLastRowRejected(3);
    static final GatedSource SECOND = GatedSource.withLastRowRejected(3);
    static final GatedSource THIRD = GatedSource.ofGoodRows(3);

    @EventListener
    void onPort(WebServerInitializedEvent event) {
        NEWEST_PORT.set(event.getWebServer().getPort());
    }

    @Bean
    ValueSource values() {
        return key -> {
            if (key.startsWith("fail")) {
                throw new IllegalStateException("secret text of the source");
            }
            if (key.startsWith("held")) {
                HELD.acquire();
            }
            return key + "-value-" + COMPUTATIONS.incrementAndGet();
        };
    }

    @Bean
    LoadPlan customers() {
        return new LoadPlan(
                GeneratedSource.customers(1_000, 1), HashTarget.of("customer:{id}"), LoadOptions.defaults());
    }

    /** A load that is longer than each test. */
    @Bean
    LoadPlan endless() {
        return new LoadPlan(
                GeneratedSource.customers(1_000_000, 1),
                HashTarget.of("endless:{id}"),
                LoadOptions.builder().rate(100).build());
    }

    @Bean
    LoadPlan gated() {
        return plan(GATED);
    }

    @Bean
    LoadPlan second() {
        return plan(SECOND);
    }

    @Bean
    LoadPlan third() {
        return plan(THIRD);
    }

    private static LoadPlan plan(GatedSource source) {
        return new LoadPlan(source, HashTarget.of("gated:{id}"), LoadOptions.defaults());
    }
}
