// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 *     mr1 <id> <failures> <stalls> <pushed ms>\n<payload>        an element of a JobQueue
 *     <payload>                                                  an element that another program pushed
 *
 * The numbers of failed attempts and of stalls (attempts whose worker died) travel with the element. So no other key is
 * needed for a job, and an element has other bytes after each attempt: an acknowledgement of an earlier attempt matches
 * no element and changes nothing.
 */

/** An element of the lists of a {@link JobQueue}: a header and a payload. Immutable. */
final class JobElement {

    private static final Pattern HEADER =
            Pattern.compile("mr1 (?<id>\\S+) (?<failures>\\d{1,9}) (?<stalls>\\d{1,9}) (?<pushed>\\d{1,15})");

    /** Maximum length of a header. Also a constant in {@link JobScripts}. */
    private static final int MAX_HEADER = 400;

    private static final byte[] MAGIC = {'m', 'r', '1', ' '};

    private final byte[] bytes;
    private final String id;
    private final int failures;
    private final int stalls;
    private final long pushedMillis;
    private final int payloadStart;

    private JobElement(byte[] bytes, String id, int failures, int stalls, long pushedMillis, int payloadStart) {
        this.bytes = bytes;
        this.id = id;
        this.failures = failures;
        this.stalls = stalls;
        this.pushedMillis = pushedMillis;
        this.payloadStart = payloadStart;
    }

    /** Returns the element of a new job. The element has no blank in {@code id}. */
    static byte[] encode(String id, long pushedMillis, byte[] payload) {
        byte[] header = ("mr1 " + id + " 0 0 " + pushedMillis + "\n").getBytes(StandardCharsets.US_ASCII);
        byte[] element = Arrays.copyOf(header, header.length + payload.length);
        System.arraycopy(payload, 0, element, header.length, payload.length);
        return element;
    }

    /** Reads an element. An element without a valid header is a payload; it gets the id and the time of the caller. */
    static JobElement read(byte[] bytes, String idOfPayload, long nowMillis) {
        Matcher header = header(bytes);
        if (header == null) {
            return new JobElement(bytes, idOfPayload, 0, 0, nowMillis, 0);
        }
        return new JobElement(
                bytes,
                header.group("id"),
                Integer.parseInt(header.group("failures")),
                Integer.parseInt(header.group("stalls")),
                Long.parseLong(header.group("pushed")),
                header.end() + 1);
    }

    /** Returns a matched header, or null if {@code bytes} do not begin with a header. */
    private static @Nullable Matcher header(byte[] bytes) {
        if (!Arrays.equals(bytes, 0, Math.min(bytes.length, MAGIC.length), MAGIC, 0, MAGIC.length)) {
            return null;
        }
        int end = 0;
        int limit = Math.min(bytes.length, MAX_HEADER);
        while (end < limit && bytes[end] != '\n') {
            end++;
        }
        Matcher header = HEADER.matcher(new String(bytes, 0, end, StandardCharsets.ISO_8859_1));
        return end < limit && header.matches() ? header : null;
    }

    /** The whole element. The caller must not modify the array. */
    byte[] bytes() {
        return bytes;
    }

    String id() {
        return id;
    }

    int failures() {
        return failures;
    }

    /** Returns whether a worker died while this job ran. Such a job may be the cause of the death. */
    boolean isSuspect() {
        return stalls > 0;
    }

    /** The number of the attempt that begins when a worker takes this element, from 1. */
    int attempt() {
        return failures + stalls + 1;
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
