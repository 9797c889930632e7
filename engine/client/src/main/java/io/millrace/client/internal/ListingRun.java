// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.RequestEncoder;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * Commands whose arguments are listed one after the other in a command of another name, or of the same: {@code MSET}, {@code
 * HMGET key}, {@code RPUSH key}.
 */
final class ListingRun extends Run {

    /** What each is answered. */
    enum Answer {
        /** {@code OK}, as all of them. */
        OK,
        /** The number for all of them. */
        NUMBER,
        /** An item of it. */
        ITEM,
        /** The sum of what it and those before it have added. */
        RUNNING_COUNT
    }

    private final byte[] name;
    private final boolean sharesKey;
    private final Predicate<HeldArguments> shape;
    private final Answer answer;

    private final long[] added = new long[MOST_COMMANDS];
    private int commands;

    /**
     * Lists in {@code name}.
     *
     * @param sharesKey whether their first argument is a key that they have in common
     * @param shape which of them can be listed
     */
    ListingRun(String name, boolean sharesKey, Answer answer, Predicate<HeldArguments> shape) {
        this.name = name(name);
        this.sharesKey = sharesKey;
        this.answer = answer;
        this.shape = shape;
    }

    @Override
    boolean takes(HeldArguments arguments) {
        return shape.test(arguments);
    }

    @Override
    boolean joins(HeldArguments first, HeldArguments next) {
        return !sharesKey || next.sameAt(0, first);
    }

    @Override
    void begin(RequestEncoder encoder, HeldArguments first) {
        encoder.begin(name, 1);
        first.writeTo(encoder, 0);
        commands = 0;
        count(first);
    }

    @Override
    void add(RequestEncoder encoder, HeldArguments next) {
        next.writeTo(encoder, sharesKey ? 1 : 0);
        count(next);
    }

    private void count(HeldArguments arguments) {
        added[commands++] = arguments.count() - 1L;
    }

    @Override
    Split finish(RequestEncoder encoder, HeldArguments first) {
        return switch (answer) {
            case OK -> new Split.AllOk();
            case NUMBER -> new Split.SameNumber();
            case ITEM -> new Split.Items();
            case RUNNING_COUNT -> new Split.Running(Arrays.copyOf(added, commands));
        };
    }
}
