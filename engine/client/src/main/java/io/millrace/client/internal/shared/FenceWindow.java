// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.ClientOptions;
import java.util.function.LongSupplier;

/**
 * The limit of the submissions that callers have added to the fences of a lane: together as many as one connection may have in
 * flight. Such a submission holds no permits of a connection, so it does not delay commands of other slots. Thread-safe.
 */
public final class FenceWindow {

    private final Window window;

    public FenceWindow(ClientOptions options, LongSupplier clock) {
        this.window = new Window(options.inFlight(), options.inFlightBytes(), clock);
    }

    Window window() {
        return window;
    }

    void release(long cost) {
        window.release(cost);
    }
}
