// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.resp.RequestEncoder;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * Fuses commands by listing the arguments of all commands in one command, such as {@code MSET}, {@code HMGET key} or
 * {@code RPUSH key}.
 */
final class ListingBatch extends FusedBatch {

    /** How the reply to the fused command becomes the reply to each command. */
    enum ReplyShape {
        /** Each command gets the reply {@code OK}. */
        OK,
        /** Each command gets the same number. */
        NUMBER,
        /** Each command gets one item of the array. */
        ITEM,
        /** Each command gets the length of the list after its own elements were added. */
        RUNNING_COUNT
    }

    static final int COMMON_KEY = 0;

    private final byte[] name;
    private final int keyStep;
    private final Predicate<BufferedArguments> shape;
    private final ReplyShape answer;

    private final long[] added = new long[MAX_COMMANDS];
    private int commands;

    /**
     * Creates a batch of the command {@code name}.
     *
     * @param keyStep distance of two keys among the arguments of a command; {@link #COMMON_KEY} if the first argument of
     *     all commands is a common key
     * @param shape tests whether the arguments of a command can be listed
     */
    ListingBatch(String name, int keyStep, ReplyShape answer, Predicate<BufferedArguments> shape) {
        this.name = name(name);
        this.keyStep = keyStep;
        this.answer = answer;
        this.shape = shape;
    }

    @Override
    boolean accepts(BufferedArguments arguments) {
        return shape.test(arguments);
    }

    @Override
    boolean canFollow(BufferedArguments first, BufferedArguments next) {
        return keyStep != COMMON_KEY || next.sameAt(0, first);
    }

    @Override
    int hashSlot(BufferedArguments arguments) {
        if (keyStep == COMMON_KEY) {
            return ANY_SLOT;
        }
        int slot = arguments.hashSlot(0);
        for (int i = keyStep; i < arguments.count(); i += keyStep) {
            if (arguments.hashSlot(i) != slot) {
                return SEVERAL_SLOTS;
            }
        }
        return slot;
    }

    @Override
    void begin(RequestEncoder encoder, BufferedArguments first) {
        encoder.begin(name, 1);
        first.writeTo(encoder, 0);
        commands = 0;
        count(first);
    }

    @Override
    void add(RequestEncoder encoder, BufferedArguments next) {
        next.writeTo(encoder, keyStep == COMMON_KEY ? 1 : 0);
        count(next);
    }

    private void count(BufferedArguments arguments) {
        added[commands++] = arguments.count() - 1L;
    }

    @Override
    ReplySplitter finish(RequestEncoder encoder, BufferedArguments first) {
        return switch (answer) {
            case OK -> new ReplySplitter.AllOk();
            case NUMBER -> new ReplySplitter.SameNumber();
            case ITEM -> new ReplySplitter.Items();
            case RUNNING_COUNT -> new ReplySplitter.RunningTotal(Arrays.copyOf(added, commands));
        };
    }
}
