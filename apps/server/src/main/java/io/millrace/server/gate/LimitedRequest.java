// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A request whose body has a maximum size and a maximum time. Used by the thread of the request. */
final class LimitedRequest extends HttpServletRequestWrapper {

    private final int limit;
    private final Duration time;
    private final LongSupplier nanoTime;

    private @Nullable LimitedBody body;

    LimitedRequest(HttpServletRequest request, int limit, Duration time, LongSupplier nanoTime) {
        super(request);
        this.limit = limit;
        this.time = time;
        this.nanoTime = nanoTime;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        return limited();
    }

    private LimitedBody limited() throws IOException {
        LimitedBody opened = body;
        if (opened == null) {
            opened = new LimitedBody(super.getInputStream(), limit, time, nanoTime);
            body = opened;
        }
        return opened;
    }

    /** Whether the route has not read the whole body, and the limits permit to read the rest. */
    boolean hasRest() throws IOException {
        return limited().hasRest();
    }

    /** Reads what the route has not read of the body. Blocks at most for the maximum time of the body and of one read. */
    void drain() throws IOException {
        limited().drain();
    }

    @Override
    public BufferedReader getReader() throws IOException {
        return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
    }
}
