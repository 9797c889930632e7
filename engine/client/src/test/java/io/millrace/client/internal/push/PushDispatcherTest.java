// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PushDispatcherTest {

    @Test
    void pushesAreDeliveredAfterADeliveryThatCouldNotBeStarted() {
        List<Reply.Push> delivered = new ArrayList<>();
        List<Runnable> starts = new ArrayList<>();
        PushDispatcher dispatcher = new PushDispatcher(delivered::add, delivery -> {
            starts.add(delivery);
            if (starts.size() == 1) {
                throw new OutOfMemoryError("no more threads");
            }
            delivery.run();
        });
        Reply.Push first = new Reply.Push(List.of(Reply.OK));
        Reply.Push second = new Reply.Push(List.of());

        assertThatThrownBy(() -> dispatcher.offer(first)).isInstanceOf(OutOfMemoryError.class);
        dispatcher.offer(second);

        assertThat(delivered).containsExactly(first, second);
        assertThat(dispatcher.dropped()).isZero();
    }
}
