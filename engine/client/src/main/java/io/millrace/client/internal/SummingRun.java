// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.RequestEncoder;
import java.util.Arrays;

/**
 * {@code INCRBY} on one key: the sum. All of one sign, so that no step of the way lies outside of where it begins and ends, and
 * none overflows unless all do.
 */
final class SummingRun extends Run {

    private static final byte[] INCRBY = name("INCRBY");

    /** The sum of a run of these is a number still. */
    private static final long MOST_AMOUNT = Long.MAX_VALUE / MOST_COMMANDS;

    private final long[] amounts = new long[MOST_COMMANDS];
    private int commands;
    private long sum;

    @Override
    boolean takes(HeldArguments arguments) {
        long amount = arguments.count() == 2 ? arguments.number(1) : HeldArguments.NO_NUMBER;
        return amount != HeldArguments.NO_NUMBER && Math.abs(amount) <= MOST_AMOUNT;
    }

    @Override
    boolean joins(HeldArguments first, HeldArguments next) {
        boolean sameSign = (first.number(1) ^ next.number(1)) >= 0;
        return sameSign && next.sameAt(0, first);
    }

    @Override
    void begin(RequestEncoder encoder, HeldArguments first) {
        commands = 0;
        sum = 0;
        add(encoder, first);
    }

    @Override
    void add(RequestEncoder encoder, HeldArguments next) {
        long amount = next.number(1);
        amounts[commands++] = amount;
        sum += amount;
    }

    @Override
    Split finish(RequestEncoder encoder, HeldArguments first) {
        encoder.begin(INCRBY, 1);
        first.writeTo(encoder, 0, 1);
        encoder.arg(sum);
        return new Split.Running(Arrays.copyOf(amounts, commands));
    }
}
