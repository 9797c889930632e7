// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ArgumentSink;
import io.millrace.resp.RequestEncoder;

/** Gives arguments to an encoder. */
record EncoderArguments(RequestEncoder encoder) implements ArgumentSink {

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
