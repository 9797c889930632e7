// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ArgumentSink;
import io.millrace.resp.RequestEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Arguments that are not encoded yet: those of a command of which it is still open whether it goes out by itself. Numbers stay
 * numbers, so that whoever needs one as such does not read its digits. Used again and again; not thread-safe.
 */
final class HeldArguments implements ArgumentSink {

    /** What {@link #number} answers where there is none. No rule wants this number itself. */
    static final long NO_NUMBER = Long.MIN_VALUE;

    /** About what an argument takes on the wire besides its bytes: a dollar sign, digits and two line ends. */
    private static final int FRAME_BYTES = 10;

    /** A long has at most 19 digits and a sign. */
    private static final int NUMBER_BYTES = 20;

    /** What marks an argument as a number, in place of where it begins. */
    private static final int A_NUMBER = -1;

    private byte[] bytes = new byte[512];
    private int used;
    private int count;
    private int frames;

    // Of each argument.
    private int[] starts = new int[8];
    private int[] lengths = new int[8];
    private long[] numbers = new long[8];

    void clear() {
        used = 0;
        count = 0;
        frames = 0;
    }

    @Override
    public HeldArguments arg(byte[] source, int offset, int length) {
        ensureBytes(length);
        System.arraycopy(source, offset, bytes, used, length);
        return add(length);
    }

    @Override
    public HeldArguments arg(String text) {
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
        return add(length);
    }

    @Override
    public HeldArguments arg(long number) {
        int at = count;
        ensureOne();
        starts[at] = A_NUMBER;
        numbers[at] = number;
        frames += NUMBER_BYTES + FRAME_BYTES;
        count = at + 1;
        return this;
    }

    private HeldArguments add(int length) {
        ensureOne();
        starts[count] = used;
        lengths[count] = length;
        used += length;
        frames += FRAME_BYTES;
        count++;
        return this;
    }

    /** Takes the arguments {@code from} to {@code to} of {@code other} along, that one excluded. */
    void addSome(HeldArguments other, int from, int to) {
        for (int i = from; i < to; i++) {
            if (other.starts[i] == A_NUMBER) {
                arg(other.numbers[i]);
            } else {
                arg(other.bytes, other.starts[i], other.lengths[i]);
            }
        }
    }

    int count() {
        return count;
    }

    /** About how many bytes they take on the wire, rather more than less. */
    int encodedBytes() {
        return used + frames;
    }

    /** How many bytes argument {@code index} has; that of a number is not known. */
    int length(int index) {
        return lengths[index];
    }

    boolean isNumber(int index) {
        return starts[index] == A_NUMBER;
    }

    /** The number that the server would read in argument {@code index}; {@link #NO_NUMBER} if it would read none. */
    long number(int index) {
        return starts[index] == A_NUMBER ? numbers[index] : parsed(starts[index], lengths[index]);
    }

    /** As the server reads numbers: no sign but a minus, no zeros in front, nothing else. */
    private long parsed(int start, int length) {
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

    /** Whether argument {@code index} is {@code word}, which is in capitals, in capital or small letters. */
    boolean isWord(int index, String word) {
        boolean same = starts[index] != A_NUMBER && lengths[index] == word.length();
        for (int i = 0; same && i < word.length(); i++) {
            byte letter = bytes[starts[index] + i];
            same = (letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter) == word.charAt(i);
        }
        return same;
    }

    /**
     * Whether argument {@code index} is what every server reads as a decimal number: a sign perhaps, digits, and digits behind a
     * point perhaps, 30 characters at most.
     */
    boolean isPlainDecimal(int index) {
        if (starts[index] == A_NUMBER) {
            return true;
        }
        int at = starts[index];
        int end = at + lengths[index];
        if (at < end && (bytes[at] == '-' || bytes[at] == '+')) {
            at++;
        }
        int digits = digitsFrom(at, end);
        int point = at + digits;
        if (digits == 0 || lengths[index] > 30) {
            return false;
        }
        return point == end
                || (bytes[point] == '.' && point + 1 < end && digitsFrom(point + 1, end) == end - point - 1);
    }

    private int digitsFrom(int from, int end) {
        int at = from;
        while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
            at++;
        }
        return at - from;
    }

    /** Whether the arguments at {@code index} are the same; a number and its digits count as different. */
    boolean sameAt(int index, HeldArguments other) {
        if (starts[index] == A_NUMBER || other.starts[index] == A_NUMBER) {
            return starts[index] == other.starts[index] && numbers[index] == other.numbers[index];
        }
        int from = starts[index];
        int otherFrom = other.starts[index];
        int length = lengths[index];
        return length == other.lengths[index]
                && Arrays.equals(bytes, from, from + length, other.bytes, otherFrom, otherFrom + length);
    }

    /** Encodes the arguments from number {@code from} on. */
    void writeTo(RequestEncoder encoder, int from) {
        writeTo(encoder, from, count);
    }

    /** Encodes the arguments {@code from} to {@code to}, that one excluded. */
    void writeTo(RequestEncoder encoder, int from, int to) {
        for (int i = from; i < to; i++) {
            if (starts[i] == A_NUMBER) {
                encoder.arg(numbers[i]);
            } else {
                encoder.arg(bytes, starts[i], lengths[i]);
            }
        }
    }

    /** Encodes the arguments, of which none is a number, as a single one: all their bytes in a row. */
    void writeJoinedTo(RequestEncoder encoder) {
        encoder.arg(bytes, 0, used);
    }

    private void ensureBytes(int more) {
        if (bytes.length - used < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, Math.addExact(used, more)));
        }
    }

    private void ensureOne() {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            lengths = Arrays.copyOf(lengths, 2 * count);
            numbers = Arrays.copyOf(numbers, 2 * count);
        }
    }
}
