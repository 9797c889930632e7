// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What to do, in order, with numbers of any width in a bitmap: {@code BitField.begin().set("u8", 0, 255).get("i5", 100)}.
 *
 * <p>A type is {@code u} and 1 to 63 bits, unsigned, or {@code i} and 1 to 64 bits, signed. Offsets count bits from 0 to
 * 4,294,967,295. Each of {@link #get}, {@link #set} and {@link #increment} gives one number of the answer.
 */
public final class BitField {

    private static final Pattern TYPE = Pattern.compile("([ui])([1-9]\\d?)");
    private static final BitField EMPTY = new BitField(Optional.empty(), List.of(), 0);

    /** What comes before {@link #own}: each step adds to a chain instead of copying it. */
    private final Optional<BitField> before;

    private final List<Object> own;
    private final int answers;

    private BitField(Optional<BitField> before, List<Object> own, int answers) {
        this.before = before;
        this.own = own;
        this.answers = answers;
    }

    /** Nothing yet. Overflows wrap. */
    public static BitField begin() {
        return EMPTY;
    }

    /** And reads a number. */
    public BitField get(String type, long offset) {
        return and(1, "GET", checked(type), Bitmaps.checked(offset));
    }

    /** And overwrites a number; answers what it was, or nothing if {@code value} does not fit and overflows fail. */
    public BitField set(String type, long offset, long value) {
        return and(1, "SET", checked(type), Bitmaps.checked(offset), value);
    }

    /** And adds to a number; answers the sum, or nothing if it does not fit and overflows fail. */
    public BitField increment(String type, long offset, long by) {
        return and(1, "INCRBY", checked(type), Bitmaps.checked(offset), by);
    }

    /** From here on, what does not fit starts again at the other end. */
    public BitField wrapping() {
        return and(0, "OVERFLOW", "WRAP");
    }

    /** From here on, what does not fit becomes the largest or smallest number that does. */
    public BitField saturating() {
        return and(0, "OVERFLOW", "SAT");
    }

    /** From here on, what does not fit leaves the number as it is. */
    public BitField failing() {
        return and(0, "OVERFLOW", "FAIL");
    }

    /**
     * The arguments of all steps.
     *
     * @throws IllegalArgumentException if there is nothing to do
     */
    List<Object> arguments() {
        Arguments.notEmpty("operations", answers);
        Deque<BitField> steps = new ArrayDeque<>();
        for (BitField step = this; step.before.isPresent(); step = step.before.get()) {
            steps.push(step);
        }
        return steps.stream().flatMap(step -> step.own.stream()).toList();
    }

    private BitField and(int moreAnswers, Object... more) {
        return new BitField(Optional.of(this), List.of(more), answers + moreAnswers);
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
