// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.resp.RequestEncoder;
import java.util.Arrays;

/** Fuses {@code APPEND}s to one key into a single {@code APPEND} of all the bytes. */
final class AppendingBatch extends FusedBatch {

    private static final byte[] APPEND = name("APPEND");

    private final BufferedArguments values = new BufferedArguments(true);
    private final long[] lengths = new long[MAX_COMMANDS];

    @Override
    boolean accepts(BufferedArguments arguments) {
        return arguments.count() == 2 && !arguments.isNumber(0) && !arguments.isNumber(1);
    }

    @Override
    boolean canFollow(BufferedArguments first, BufferedArguments next) {
        return next.sameAt(0, first);
    }

    @Override
    void begin(RequestEncoder encoder, BufferedArguments first) {
        values.clear();
        add(encoder, first);
    }

    @Override
    void add(RequestEncoder encoder, BufferedArguments next) {
        lengths[values.count()] = next.length(1);
        values.addRange(next, 1, 2);
    }

    @Override
    ReplySplitter finish(RequestEncoder encoder, BufferedArguments first) {
        encoder.begin(APPEND, 1);
        first.writeTo(encoder, 0, 1);
        values.writeJoinedTo(encoder);
        return new ReplySplitter.RunningTotal(Arrays.copyOf(lengths, values.count()));
    }
}
