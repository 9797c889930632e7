// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Optional;
import java.util.regex.Pattern;

/** {@link Packing#numbered}: text and a number n behind it lie in the hash <code>text{n / N}:N</code>, in the field {@code n % N}. */
record NumberedPacking(KeyPrefix prefix, int perHash) implements Packing {

    /** Each command on a compact hash looks through it, so that already this is more than anybody should want. */
    static final int MOST_PER_HASH = 1_000_000;

    /** What fits into 63 bits, whatever the digits. */
    private static final int MOST_DIGITS = 18;

    private static final Optional<String> NO_NUMBER = Optional.of("it does not end in a decimal number");
    private static final Optional<String> LEADING_ZERO = Optional.of("its number begins with a zero");
    private static final Optional<String> TOO_LONG = Optional.of("its number has more than " + MOST_DIGITS + " digits");

    NumberedPacking {
        Ranges.check("pairs per hash", perHash, 2, MOST_PER_HASH);
    }

    @Override
    public Optional<String> locate(byte[] key, int offset, int length, PairPlace place) {
        if (!prefix.begins(key, offset, length)) {
            return KeyPrefix.MISSING;
        }
        int first = offset + prefix.length();
        int end = offset + length;
        int begin = end;
        while (begin > first && isDigit(key[begin - 1])) {
            begin--;
        }
        int digits = end - begin;
        if (digits == 0) {
            return NO_NUMBER;
        }
        if (digits > MOST_DIGITS) {
            return TOO_LONG;
        }
        if (digits > 1 && key[begin] == '0') {
            return LEADING_ZERO;
        }
        long number = number(key, begin, end);
        place.begin()
                .append(key, offset, begin - offset)
                .append('{')
                .append(number / perHash)
                .append('}')
                .append(':')
                .append(perHash)
                .endHash()
                .append(number % perHash);
        return Optional.empty();
    }

    @Override
    public String pattern() {
        return prefix.pattern() + "*{*}:" + perHash;
    }

    @Override
    public boolean isHash(String name) {
        return Pattern.matches(prefix.regex() + "(?s:.*)\\{(0|[1-9][0-9]*)}:" + perHash, name);
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    private static long number(byte[] digits, int begin, int end) {
        long number = 0;
        for (int i = begin; i < end; i++) {
            number = number * 10 + (digits[i] - '0');
        }
        return number;
    }
}
