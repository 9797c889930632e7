// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/*
 * DESIGN
 *
 *     mr1 <id> <failures> <deaths> <pushed ms>\n<payload>     an element of a JobQueue
 *     <payload>                                               an element that another program pushed
 *
 * The numbers of failed attempts and of deaths (attempts whose worker died, and others that count as such) travel with
 * the element. So no other key is needed for a job, and an element has other bytes after each attempt that counts: an
 * acknowledgement of an earlier attempt matches no element and changes nothing.
 *
 * A worker that takes an element without a header gives the element a header. So each job that runs has an id, and two
 * equal payloads are two jobs.
 */

/** An element of the lists of a {@link JobQueue}: a header and a payload. Immutable. */
final class JobElement {

    /** Maximum length of a header. Also a constant in {@link JobScripts}. */
    private static final int MAX_HEADER = 400;

    /** Maximum number of digits of a number in a header. The largest such number fits into a {@code long}. */
    private static final int MAX_DIGITS = 15;

    private static final byte[] MAGIC = {'m', 'r', '1', ' '};

    private final byte[] bytes;
    private final String id;
    private final int failures;
    private final int deaths;
    private final long pushedMillis;
    private final int payloadStart;

    private JobElement(byte[] bytes, String id, int failures, int deaths, long pushedMillis, int payloadStart) {
        this.bytes = bytes;
        this.id = id;
        this.failures = failures;
        this.deaths = deaths;
        this.pushedMillis = pushedMillis;
        this.payloadStart = payloadStart;
    }

    /** Returns the element of a new job. The id has no blank. */
    static byte[] encode(String id, long pushedMillis, byte[] payload) {
        byte[] header = ("mr1 " + id + " 0 0 " + pushedMillis + "\n").getBytes(StandardCharsets.US_ASCII);
        byte[] element = Arrays.copyOf(header, header.length + payload.length);
        System.arraycopy(payload, 0, element, header.length, payload.length);
        return element;
    }

    /** Reads an element. An element without a valid header is a payload; it gets the id and the time of the caller. */
    static JobElement read(byte[] bytes, String idOfPayload, long nowMillis) {
        JobElement payload = new JobElement(bytes, idOfPayload, 0, 0, nowMillis, 0);
        if (bytes.length < MAGIC.length || !Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            return payload;
        }
        int idEnd = end(bytes, MAGIC.length, ' ');
        int failuresEnd = end(bytes, idEnd + 1, ' ');
        int deathsEnd = end(bytes, failuresEnd + 1, ' ');
        int pushedEnd = end(bytes, deathsEnd + 1, '\n');
        long failures = number(bytes, idEnd + 1, failuresEnd);
        long deaths = number(bytes, failuresEnd + 1, deathsEnd);
        long pushed = number(bytes, deathsEnd + 1, pushedEnd);
        if (idEnd == MAGIC.length || failures < 0 || deaths < 0 || pushed < 0) {
            return payload;
        }
        String id = new String(bytes, MAGIC.length, idEnd - MAGIC.length, StandardCharsets.UTF_8);
        return new JobElement(bytes, id, (int) failures, (int) deaths, pushed, pushedEnd + 1);
    }

    /**
     * Returns the index of the first {@code last} in the header, from {@code from}. Returns the length of {@code bytes} if
     * there is none, or if the line ends before.
     */
    private static int end(byte[] bytes, int from, char last) {
        int limit = Math.min(bytes.length, MAX_HEADER);
        for (int i = from; i < limit; i++) {
            if (bytes[i] == last) {
                return i;
            }
            if (bytes[i] == '\n') {
                break;
            }
        }
        return bytes.length;
    }

    /** Returns the number of the digits from {@code from} to {@code to}, or -1 if there is no such number. */
    private static long number(byte[] bytes, int from, int to) {
        if (from >= to || to >= bytes.length || to - from > MAX_DIGITS) {
            return -1;
        }
        long number = 0;
        for (int i = from; i < to; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') {
                return -1;
            }
            number = 10 * number + (bytes[i] - '0');
        }
        return number;
    }

    /** The whole element. The caller must not modify the array. */
    byte[] bytes() {
        return bytes;
    }

    String id() {
        return id;
    }

    /** The number of attempts that failed. */
    int failures() {
        return failures;
    }

    /** The number of attempts that count as deaths. */
    int deaths() {
        return deaths;
    }

    /** Whether the element has a header, so that the id belongs to the element. */
    boolean hasHeader() {
        return payloadStart > 0;
    }

    /** The number of attempts that have failed, and of attempts whose worker has died. */
    int earlierAttempts() {
        return failures + deaths;
    }

    /** The number of the attempt that begins when a worker takes this element, from 1. */
    int attempt() {
        return earlierAttempts() + 1;
    }

    long pushedMillis() {
        return pushedMillis;
    }

    byte[] payload() {
        return Arrays.copyOfRange(bytes, payloadStart, bytes.length);
    }

    /** Decodes the payload. Throws the exception of the codec. */
    <T> T decode(Codec<T> codec) {
        return codec.decode(bytes, payloadStart, bytes.length - payloadStart);
    }
}
