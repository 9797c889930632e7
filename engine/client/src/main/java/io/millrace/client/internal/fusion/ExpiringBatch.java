// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.resp.RequestEncoder;

/**
 * Fuses {@code SET key value EX seconds} with equal times into {@code MSETEX n key value … EX seconds}. Fuses {@code
 * PX} in the same way.
 */
final class ExpiringBatch extends FusedBatch {

    private static final byte[] MSETEX = name("MSETEX");

    /**
     * Commands with a longer time to live are not fused. The server may refuse a longer time, and its error names the
     * command. With fusion, the error would name {@code MSETEX} instead of {@code SET}.
     */
    private static final long MAX_TIME = 10_000_000_000L;

    private final BufferedArguments pairs = new BufferedArguments(true);

    @Override
    boolean accepts(BufferedArguments arguments) {
        return arguments.count() == 4
                && (arguments.isWord(2, "EX") || arguments.isWord(2, "PX"))
                && arguments.number(3) > 0
                && arguments.number(3) <= MAX_TIME;
    }

    @Override
    boolean canFollow(BufferedArguments first, BufferedArguments next) {
        return next.sameAt(2, first) && next.number(3) == first.number(3);
    }

    @Override
    int hashSlot(BufferedArguments arguments) {
        return arguments.hashSlot(0);
    }

    @Override
    void begin(RequestEncoder encoder, BufferedArguments first) {
        pairs.clear();
        pairs.addRange(first, 0, 2);
    }

    @Override
    void add(RequestEncoder encoder, BufferedArguments next) {
        pairs.addRange(next, 0, 2);
    }

    @Override
    ReplySplitter finish(RequestEncoder encoder, BufferedArguments first) {
        encoder.begin(MSETEX, 1);
        encoder.arg(pairs.count() / 2);
        pairs.writeTo(encoder, 0);
        first.writeTo(encoder, 2);
        return new ReplySplitter.OneForAll();
    }
}
