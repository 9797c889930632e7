// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.internal.slot.HashSlot;
import io.millrace.resp.RequestEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The arguments of a command that is not encoded yet, because it is not known whether the command is sent alone or
 * fused. Numbers are stored as numbers, so that their digits need not be parsed. Reused for many commands; not
 * thread-safe.
 */
final class BufferedArguments implements ArgumentSink {

    /**
     * Result of {@link #number} for an argument that is not a number. The argument {@code -9223372036854775808} has the
     * same result. The two cases need no distinction, because no fusion rule accepts a command with this argument.
     */
    static final long NO_NUMBER = Long.MIN_VALUE;

    /** Estimated overhead of an argument on the wire: a dollar sign, the length, and two line ends. */
    private static final int FRAME_BYTES = 10;

    /** Maximum length of a long: 19 digits and a sign. */
    private static final int NUMBER_BYTES = 20;

    /** Value in {@link #starts} that marks a number. */
    private static final int NUMBER_MARK = -1;

    /** Whether the arrays of arguments are copied. Otherwise they must not change until the arguments are encoded. */
    private final boolean copies;

    /** The bytes of texts and, with copies, the bytes of arrays. */
    private byte[] bytes = new byte[0];

    private int used;
    private int count;
    private int encodedBytes;

    // One entry per argument. The bytes of argument i are in the array sources[i], from starts[i] on.
    private byte[][] sources = new byte[8][];
    private int[] starts = new int[8];
    private int[] lengths = new int[8];
    private long[] numbers = new long[8];

    BufferedArguments(boolean copies) {
        this.copies = copies;
    }

    void clear() {
        if (!copies) {
            // The arrays belong to callers, and the garbage collector must be able to remove them.
            Arrays.fill(sources, 0, count, null);
        }
        used = 0;
        count = 0;
        encodedBytes = 0;
    }

    @Override
    public BufferedArguments arg(byte[] source, int offset, int length) {
        if (!copies) {
            return add(source, offset, length);
        }
        ensureBytes(length);
        System.arraycopy(source, offset, bytes, used, length);
        return addCopied(length);
    }

    @Override
    public BufferedArguments arg(String text) {
        int length = text.length();
        ensureBytes(length);
        byte[] target = bytes;
        int at = used;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                return arg(utf8, 0, utf8.length);
            }
            target[at++] = (byte) c;
        }
        return addCopied(length);
    }

    @Override
    public BufferedArguments arg(long number) {
        int at = count;
        ensureEntry();
        starts[at] = NUMBER_MARK;
        numbers[at] = number;
        encodedBytes += NUMBER_BYTES + FRAME_BYTES;
        count = at + 1;
        return this;
    }

    /** Adds the next {@code length} bytes of {@link #bytes}. */
    private BufferedArguments addCopied(int length) {
        int start = used;
        used += length;
        return add(bytes, start, length);
    }

    private BufferedArguments add(byte[] source, int start, int length) {
        int at = count;
        ensureEntry();
        sources[at] = source;
        starts[at] = start;
        lengths[at] = length;
        encodedBytes += length + FRAME_BYTES;
        count = at + 1;
        return this;
    }

    /** Adds the arguments {@code from} (inclusive) to {@code to} (exclusive) of {@code other}. */
    void addRange(BufferedArguments other, int from, int to) {
        for (int i = from; i < to; i++) {
            if (other.starts[i] == NUMBER_MARK) {
                arg(other.numbers[i]);
            } else {
                arg(other.sources[i], other.starts[i], other.lengths[i]);
            }
        }
    }

    int count() {
        return count;
    }

    /** Estimated number of bytes on the wire. The estimate is usually too high. */
    int encodedBytes() {
        return encodedBytes;
    }

    /** Length of argument {@code index} in bytes; undefined for a number. */
    int length(int index) {
        return lengths[index];
    }

    boolean isNumber(int index) {
        return starts[index] == NUMBER_MARK;
    }

    /**
     * Returns the number that the server would read from argument {@code index}. Returns {@link #NO_NUMBER} if the
     * server would not accept the argument as a number.
     */
    long number(int index) {
        return starts[index] == NUMBER_MARK ? numbers[index] : parsed(sources[index], starts[index], lengths[index]);
    }

    /** Returns the hash slot of argument {@code index}, which is a key. */
    int hashSlot(int index) {
        return starts[index] == NUMBER_MARK
                ? HashSlot.of(Long.toString(numbers[index]))
                : HashSlot.of(sources[index], starts[index], lengths[index]);
    }

    /** Parses a number like the server: an optional minus sign, then digits without leading zeros. */
    private static long parsed(byte[] bytes, int start, int length) {
        boolean negative = length > 0 && bytes[start] == '-';
        int digits = negative ? length - 1 : length;
        int first = negative ? start + 1 : start;
        boolean zeroInFront = digits > 0 && bytes[first] == '0' && (digits > 1 || negative);
        if (digits == 0 || digits > 18 || zeroInFront) {
            return NO_NUMBER;
        }
        long value = 0;
        for (int i = first; i < first + digits; i++) {
            int digit = bytes[i] - '0';
            if (digit < 0 || digit > 9) {
                return NO_NUMBER;
            }
            value = 10 * value + digit;
        }
        return negative ? -value : value;
    }

    /**
     * Returns whether argument {@code index} equals {@code word}, ignoring case. {@code word} must be in upper case.
     */
    boolean isWord(int index, String word) {
        boolean same = starts[index] != NUMBER_MARK && lengths[index] == word.length();
        for (int i = 0; same && i < word.length(); i++) {
            byte letter = sources[index][starts[index] + i];
            same = (letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter) == word.charAt(i);
        }
        return same;
    }

    /**
     * Returns whether every server reads argument {@code index} as a decimal number: an optional sign, digits, and
     * optionally a point with more digits; 30 characters at most.
     */
    boolean isPlainDecimal(int index) {
        if (starts[index] == NUMBER_MARK) {
            return true;
        }
        byte[] bytes = sources[index];
        int at = starts[index];
        int end = at + lengths[index];
        if (at < end && (bytes[at] == '-' || bytes[at] == '+')) {
            at++;
        }
        int digits = digitsFrom(bytes, at, end);
        int point = at + digits;
        if (digits == 0 || lengths[index] > 30) {
            return false;
        }
        return point == end
                || (bytes[point] == '.' && point + 1 < end && digitsFrom(bytes, point + 1, end) == end - point - 1);
    }

    private static int digitsFrom(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
            at++;
        }
        return at - from;
    }

    /** Same as {@link #same}, for the arguments at {@code index} of both objects. */
    boolean sameAt(int index, BufferedArguments other) {
        return same(index, other, index);
    }

    /**
     * Returns whether argument {@code index} of this object equals argument {@code otherIndex} of {@code other}. An
     * argument added as a number never equals the same number added as text.
     */
    boolean same(int index, BufferedArguments other, int otherIndex) {
        if (starts[index] == NUMBER_MARK || other.starts[otherIndex] == NUMBER_MARK) {
            return starts[index] == other.starts[otherIndex] && numbers[index] == other.numbers[otherIndex];
        }
        int from = starts[index];
        int otherFrom = other.starts[otherIndex];
        int length = lengths[index];
        return length == other.lengths[otherIndex]
                && Arrays.equals(
                        sources[index], from, from + length, other.sources[otherIndex], otherFrom, otherFrom + length);
    }

    /** Encodes argument {@code from} and all later arguments. */
    void writeTo(RequestEncoder encoder, int from) {
        writeTo(encoder, from, count);
    }

    /** Encodes the arguments {@code from} (inclusive) to {@code to} (exclusive). */
    void writeTo(RequestEncoder encoder, int from, int to) {
        for (int i = from; i < to; i++) {
            if (starts[i] == NUMBER_MARK) {
                encoder.arg(numbers[i]);
            } else {
                encoder.arg(sources[i], starts[i], lengths[i]);
            }
        }
    }

    /** Encodes the concatenated bytes of all arguments, which were copied, as one argument. None may be a number. */
    void writeJoinedTo(RequestEncoder encoder) {
        encoder.arg(bytes, 0, used);
    }

    private void ensureBytes(int more) {
        if (bytes.length - used < more) {
            // Earlier arguments keep the smaller array.
            bytes = Arrays.copyOf(bytes, Math.max(Math.max(512, 2 * bytes.length), Math.addExact(used, more)));
        }
    }

    private void ensureEntry() {
        if (count == starts.length) {
            sources = Arrays.copyOf(sources, 2 * count);
            starts = Arrays.copyOf(starts, 2 * count);
            lengths = Arrays.copyOf(lengths, 2 * count);
            numbers = Arrays.copyOf(numbers, 2 * count);
        }
    }
}
