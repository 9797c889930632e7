// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.resp.RequestEncoder;
import java.util.Arrays;

/**
 * Fuses {@code INCRBY}s on one key into one {@code INCRBY} with the sum of the amounts. All amounts have the same sign,
 * so every intermediate value lies between the first and the last value. If the last value does not overflow, no
 * intermediate value overflows.
 */
final class SummingBatch extends FusedBatch {

    private static final byte[] INCRBY = name("INCRBY");

    /** Maximum amount of one command. With this maximum, the sum of the amounts of a batch cannot overflow. */
    private static final long MAX_AMOUNT = Long.MAX_VALUE / MAX_COMMANDS;

    private final long[] amounts = new long[MAX_COMMANDS];
    private int commands;
    private long sum;

    @Override
    boolean accepts(BufferedArguments arguments) {
        long amount = arguments.count() == 2 ? arguments.number(1) : BufferedArguments.NO_NUMBER;
        return amount != BufferedArguments.NO_NUMBER && Math.abs(amount) <= MAX_AMOUNT;
    }

    @Override
    boolean canFollow(BufferedArguments first, BufferedArguments next) {
        boolean sameSign = (first.number(1) ^ next.number(1)) >= 0;
        return sameSign && next.sameAt(0, first);
    }

    @Override
    void begin(RequestEncoder encoder, BufferedArguments first) {
        commands = 0;
        sum = 0;
        add(encoder, first);
    }

    @Override
    void add(RequestEncoder encoder, BufferedArguments next) {
        long amount = next.number(1);
        amounts[commands++] = amount;
        sum += amount;
    }

    @Override
    ReplySplitter finish(RequestEncoder encoder, BufferedArguments first) {
        encoder.begin(INCRBY, 1);
        first.writeTo(encoder, 0, 1);
        encoder.arg(sum);
        return new ReplySplitter.RunningTotal(Arrays.copyOf(amounts, commands));
    }
}
