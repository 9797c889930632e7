// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import java.io.IOException;

/** The transport of a connection that is not connected yet. Every read and every write fails. */
final class NoTransport implements Transport {

    @Override
    public int read(byte[] buffer) throws IOException {
        throw new IOException(HandshakeResult.NOT_CONNECTED);
    }

    @Override
    public int readWithin(byte[] buffer, int millis) throws IOException {
        throw new IOException(HandshakeResult.NOT_CONNECTED);
    }

    @Override
    public int write(byte[] bytes, int offset, int length) throws IOException {
        throw new IOException(HandshakeResult.NOT_CONNECTED);
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
        return true;
    }

    @Override
    public boolean failedWriteSendsNothing() {
        return true;
    }

    @Override
    public void close() {}
}
