// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.load.source.JsonNumber;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.BulkString;
import java.util.Arrays;
import java.util.Optional;

/**
 * The column with the score of a row. A score that the server would refuse is found here, because such a score would
 * refuse the scores of all rows of a fused command.
 */
record ScoreColumn(int column, String name) {

    /** Maximum length of a score. A longer number without an exponent could be out of the range of a double. */
    private static final int MAX_LENGTH = 128;

    /** A rejection if the score of {@code row} is not a decimal number that the server can read. */
    Optional<Rejection> check(Row row) {
        byte[] bytes = row.bytes();
        int start = row.start(column);
        int length = row.length(column);
        boolean isScore =
                length <= MAX_LENGTH && (JsonNumber.matches(bytes, start, length) ? isInRange(row) : isInfinite(row));
        return isScore
                ? Optional.empty()
                : Optional.of(new Rejection(
                        Rejection.Reason.NUMBER_INVALID,
                        "score is not a decimal number: " + name + "="
                                + (row.isNull(column) ? "NULL" : "'" + row.text(column) + "'")));
    }

    void write(Row row, ArgumentSink sink) {
        sink.arg(row.bytes(), row.start(column), row.length(column));
    }

    /** Whether {@code reply}, a reply of ZSCORE, is the score of {@code row}. */
    boolean matches(Row row, Reply reply) {
        return reply instanceof BulkString found && number(found.text()) == number(row.text(column));
    }

    /** How {@code reply}, a reply of ZSCORE for {@code member}, differs from the score of {@code row}. */
    Difference difference(Row row, byte[] member, Reply reply) {
        int start = row.start(column);
        byte[] expected = Arrays.copyOfRange(row.bytes(), start, start + row.length(column));
        return reply instanceof BulkString(byte[] found)
                ? Difference.of(Difference.Kind.VALUE, member, expected, found)
                : Difference.of(Difference.Kind.TYPE);
    }

    /** Whether the server can read the number. It refuses a number whose exponent is too large or too small. */
    private boolean isInRange(Row row) {
        byte[] bytes = row.bytes();
        int end = row.start(column) + row.length(column);
        for (int i = row.start(column); i < end; i++) {
            if (bytes[i] == 'e' || bytes[i] == 'E') {
                double number = number(row.text(column));
                return Double.isFinite(number) && (number != 0 || isZero(bytes, row.start(column), i));
            }
        }
        return true;
    }

    /** Whether the digits before the exponent are all zero. Otherwise, a number that is read as 0 is too small. */
    private static boolean isZero(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] >= '1' && bytes[i] <= '9') {
                return false;
            }
        }
        return true;
    }

    private boolean isInfinite(Row row) {
        return switch (row.text(column)) {
            case "inf", "+inf", "-inf" -> true;
            default -> false;
        };
    }

    private static double number(String text) {
        return switch (text) {
            case "inf", "+inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }
}
