// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ArgumentSink;
import io.millrace.client.Command;
import io.millrace.resp.RequestEncoder;

/** Encodes commands into a chain of segments, where each is ready to go at once. Belongs to whoever sends. */
final class CommandWriter implements ArgumentSink {

    private final SegmentChain chain;
    private final RequestEncoder encoder;

    CommandWriter(SegmentChain chain) {
        this.chain = chain;
        this.encoder = new RequestEncoder(chain);
    }

    /** Returns how many bytes it became. */
    int write(Command<?> command) {
        encoder.begin(command.spec().encodedName(), command.spec().words());
        command.writeTo(this);
        return end();
    }

    /** Writes a command of one word without arguments; {@code encodedName} is from {@link RequestEncoder#encodeName}. */
    int write(byte[] encodedName) {
        encoder.begin(encodedName, 1);
        return end();
    }

    private int end() {
        int length = encoder.end();
        chain.publish(encoder.finished(), length);
        return length;
    }

    @Override
    public ArgumentSink arg(byte[] bytes, int offset, int length) {
        encoder.arg(bytes, offset, length);
        return this;
    }

    @Override
    public ArgumentSink arg(String text) {
        encoder.arg(text);
        return this;
    }

    @Override
    public ArgumentSink arg(long number) {
        encoder.arg(number);
        return this;
    }
}
