// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.RequestEncoder;

/** {@code SET key value EX seconds} of one and the same time: {@code MSETEX n key value … EX seconds}. Or {@code PX}. */
final class ExpiringRun extends Run {

    private static final byte[] MSETEX = name("MSETEX");

    /** More may be too much for the server, which says so in words that name the command. */
    private static final long LONGEST = 10_000_000_000L;

    private final HeldArguments pairs = new HeldArguments();

    @Override
    boolean takes(HeldArguments arguments) {
        return arguments.count() == 4
                && (arguments.isWord(2, "EX") || arguments.isWord(2, "PX"))
                && arguments.number(3) > 0
                && arguments.number(3) <= LONGEST;
    }

    @Override
    boolean joins(HeldArguments first, HeldArguments next) {
        return next.sameAt(2, first) && next.number(3) == first.number(3);
    }

    @Override
    void begin(RequestEncoder encoder, HeldArguments first) {
        pairs.clear();
        pairs.addSome(first, 0, 2);
    }

    @Override
    void add(RequestEncoder encoder, HeldArguments next) {
        pairs.addSome(next, 0, 2);
    }

    @Override
    Split finish(RequestEncoder encoder, HeldArguments first) {
        encoder.begin(MSETEX, 1);
        encoder.arg(pairs.count() / 2);
        pairs.writeTo(encoder, 0);
        first.writeTo(encoder, 2);
        return new Split.AllSet();
    }
}
