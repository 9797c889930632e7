// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.resp.RequestEncoder;

/** Fuses {@code LPOP}s or {@code RPOP}s of one list into one {@code LPOP} or {@code RPOP} with a count. */
final class PoppingBatch extends FusedBatch {

    private final byte[] name;
    private int commands;

    PoppingBatch(String name) {
        this.name = name(name);
    }

    @Override
    boolean accepts(BufferedArguments arguments) {
        return arguments.count() == 1;
    }

    @Override
    boolean canFollow(BufferedArguments first, BufferedArguments next) {
        return next.sameAt(0, first);
    }

    @Override
    void begin(RequestEncoder encoder, BufferedArguments first) {
        commands = 1;
    }

    @Override
    void add(RequestEncoder encoder, BufferedArguments next) {
        commands++;
    }

    @Override
    ReplySplitter finish(RequestEncoder encoder, BufferedArguments first) {
        encoder.begin(name, 1);
        first.writeTo(encoder, 0);
        encoder.arg(commands);
        return new ReplySplitter.PoppedItems();
    }
}
