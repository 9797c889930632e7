// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.internal.range.Ranges;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Implements {@link BucketLayout#byNumber}. A key consists of a text and a number n. Its bucket is
 * <code>text{n / N}:N</code>, its field is {@code n % N}, where N is the number of pairs per bucket.
 */
record NumberedBuckets(KeyPrefix prefix, int pairsPerBucket) implements BucketLayout {

    /** Maximum number of digits of the number in a key. A number of 18 digits always fits into a {@code long}. */
    private static final int MAX_DIGITS = 18;

    private static final Optional<String> NO_NUMBER = Optional.of("the key does not end in a decimal number");
    private static final Optional<String> LEADING_ZERO = Optional.of("the number in the key begins with a zero");
    private static final Optional<String> TOO_LONG =
            Optional.of("the number in the key has more than " + MAX_DIGITS + " digits");

    NumberedBuckets {
        Ranges.check("pairsPerBucket", pairsPerBucket, MIN_PAIRS_BY_NUMBER, MAX_PAIRS_PER_BUCKET);
    }

    @Override
    public Optional<String> locate(byte[] key, int offset, int length, BucketLocation location) {
        if (!prefix.isPrefixOf(key, offset, length)) {
            return KeyPrefix.WRONG_PREFIX;
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
        if (digits > MAX_DIGITS) {
            return TOO_LONG;
        }
        if (digits > 1 && key[begin] == '0') {
            return LEADING_ZERO;
        }
        long number = number(key, begin, end);
        location.begin()
                .append(key, offset, begin - offset)
                .append('{')
                .append(number / pairsPerBucket)
                .append('}')
                .append(':')
                .append(pairsPerBucket)
                .endBucket()
                .append(number % pairsPerBucket);
        return Optional.empty();
    }

    @Override
    public String pattern() {
        return prefix.pattern() + "*{*}:" + pairsPerBucket;
    }

    @Override
    public boolean isBucketName(String name) {
        return Pattern.matches(prefix.regex() + "(?s:.*)\\{(0|[1-9][0-9]*)}:" + pairsPerBucket, name);
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
