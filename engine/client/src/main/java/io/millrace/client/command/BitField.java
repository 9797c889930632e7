// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Operations of a {@code BITFIELD} command, executed in order:
 * {@code BitField.begin().set("u8", 0, 255).get("i5", 100)}. Immutable.
 *
 * <p>A type consists of a letter and a number of bits: {@code u1} to {@code u63} are unsigned, {@code i1} to
 * {@code i64} are signed. Offsets count bits from 0 to 4,294,967,295. Each {@link #get}, {@link #set} and
 * {@link #increment} adds one number to the reply.
 */
public final class BitField {

    private static final Pattern TYPE = Pattern.compile("([ui])([1-9]\\d?)");
    private static final BitField EMPTY = new BitField(Optional.empty(), List.of(), 0);

    /**
     * The earlier operations. Each operation links to the operation before it, so a new operation needs no copy of the
     * earlier operations.
     */
    private final Optional<BitField> previous;

    private final List<Object> operation;
    private final int results;

    private BitField(Optional<BitField> previous, List<Object> operation, int results) {
        this.previous = previous;
        this.operation = operation;
        this.results = results;
    }

    /** Returns an empty list of operations. Overflow wraps around by default. */
    public static BitField begin() {
        return EMPTY;
    }

    /** Adds an operation that reads the number at {@code offset}. */
    public BitField get(String type, long offset) {
        return and(1, "GET", checked(type), Bitmaps.checked(offset));
    }

    /**
     * Adds an operation that writes {@code value} to the number at {@code offset}. The result of the operation is the
     * old number. In the mode {@link #failing}, the result is empty if {@code value} overflows.
     */
    public BitField set(String type, long offset, long value) {
        return and(1, "SET", checked(type), Bitmaps.checked(offset), value);
    }

    /**
     * Adds an operation that increments the number at {@code offset} by {@code by}. The result of the operation is the
     * sum. In the mode {@link #failing}, the result is empty if the sum overflows.
     */
    public BitField increment(String type, long offset, long by) {
        return and(1, "INCRBY", checked(type), Bitmaps.checked(offset), by);
    }

    /** Makes the numbers of all following operations wrap around on overflow. */
    public BitField wrapping() {
        return and(0, "OVERFLOW", "WRAP");
    }

    /**
     * Makes the numbers of all following operations stop at the limits of the type: on overflow, a number becomes the
     * largest or the smallest number of the type.
     */
    public BitField saturating() {
        return and(0, "OVERFLOW", "SAT");
    }

    /** Makes all following operations leave the number unchanged on overflow. */
    public BitField failing() {
        return and(0, "OVERFLOW", "FAIL");
    }

    /**
     * Returns the arguments of all operations.
     *
     * @throws IllegalArgumentException if there is no operation
     */
    List<Object> arguments() {
        Arguments.notEmpty("operations", results);
        Deque<BitField> steps = new ArrayDeque<>();
        for (BitField step = this; step.previous.isPresent(); step = step.previous.get()) {
            steps.push(step);
        }
        return steps.stream().flatMap(step -> step.operation.stream()).toList();
    }

    private BitField and(int moreResults, Object... more) {
        return new BitField(Optional.of(this), List.of(more), results + moreResults);
    }

    private static String checked(String type) {
        Matcher matcher = TYPE.matcher(type);
        if (!matcher.matches()
                || Integer.parseInt(matcher.group(2)) > (matcher.group(1).equals("u") ? 63 : 64)) {
            throw new IllegalArgumentException("type must be u1 to u63 or i1 to i64, not " + type);
        }
        return type;
    }
}
