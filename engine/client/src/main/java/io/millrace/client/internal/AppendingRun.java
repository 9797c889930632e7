// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.RequestEncoder;
import java.util.Arrays;

/** {@code APPEND} to one key: one with the bytes of all. */
final class AppendingRun extends Run {

    private static final byte[] APPEND = name("APPEND");

    private final HeldArguments values = new HeldArguments();
    private final long[] lengths = new long[MOST_COMMANDS];

    @Override
    boolean takes(HeldArguments arguments) {
        return arguments.count() == 2 && !arguments.isNumber(0) && !arguments.isNumber(1);
    }

    @Override
    boolean joins(HeldArguments first, HeldArguments next) {
        return next.sameAt(0, first);
    }

    @Override
    void begin(RequestEncoder encoder, HeldArguments first) {
        values.clear();
        add(encoder, first);
    }

    @Override
    void add(RequestEncoder encoder, HeldArguments next) {
        lengths[values.count()] = next.length(1);
        values.addSome(next, 1, 2);
    }

    @Override
    Split finish(RequestEncoder encoder, HeldArguments first) {
        encoder.begin(APPEND, 1);
        first.writeTo(encoder, 0, 1);
        values.writeJoinedTo(encoder);
        return new Split.Running(Arrays.copyOf(lengths, values.count()));
    }
}
