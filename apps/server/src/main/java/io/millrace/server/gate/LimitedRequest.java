// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A request whose body has a maximum size and a maximum time. Used by the thread of the request. */
final class LimitedRequest extends HttpServletRequestWrapper {

    private final int limit;
    private final LongSupplier nanoTime;

    private @Nullable LimitedBody body;

    LimitedRequest(HttpServletRequest request, int limit, LongSupplier nanoTime) {
        super(request);
        this.limit = limit;
        this.nanoTime = nanoTime;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        LimitedBody opened = body;
        if (opened == null) {
            opened = new LimitedBody(super.getInputStream(), limit, nanoTime);
            body = opened;
        }
        return opened;
    }

    @Override
    public BufferedReader getReader() throws IOException {
        return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
    }
}
