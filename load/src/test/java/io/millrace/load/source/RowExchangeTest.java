// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the hand-over without threads. */
final class RowExchangeTest {

    private static final List<RowExchange.Part> NONE = List.of();

    private final RowExchange exchange = new RowExchange(2);

    @Test
    void failureIsThrownAfterTheRowsThatWereHandedOver() throws InterruptedException {
        RowBatch batch = exchange.emptyBatch().orElseThrow();
        exchange.put(batch);

        exchange.fail(new IllegalStateException("first"));
        exchange.fail(new IllegalStateException("second"));

        assertThat(exchange.exchange(new RowBatch(), NONE)).containsSame(batch);
        assertThatThrownBy(() -> exchange.exchange(batch, NONE)).hasMessage("first");
    }

    @Test
    void otherPartsHandOverNoMoreRowsAfterAFailure() {
        exchange.fail(new IllegalStateException("the disk is broken"));

        assertThat(exchange.emptyBatch()).isEmpty();
    }

    @Test
    void failureAfterTheOpeningIsNotThrownByTheOpening() throws InterruptedException {
        RowExchange one = new RowExchange(1);
        one.opened();
        one.fail(new IllegalStateException("the disk is broken"));

        one.awaitOpened();

        assertThatThrownBy(() -> one.exchange(new RowBatch(), NONE)).hasMessage("the disk is broken");
    }

    @Test
    void sourceEndsAfterItsLastPart() throws InterruptedException {
        exchange.ended();
        exchange.ended();

        assertThat(exchange.exchange(new RowBatch(), NONE)).isEmpty();
    }
}
