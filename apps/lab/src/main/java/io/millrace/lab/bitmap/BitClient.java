// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.lab.client.Target;
import java.util.Locale;
import java.util.Map;

/** A library that stores bits at {@link RandomBits#KEY} over one connection. Used by one thread. A method throws if the server answers an error. */
interface BitClient extends AutoCloseable {

    /** Commands in one pipeline, for libraries whose caller decides. */
    int BATCH = 10_000;

    /** {@code SETBIT} for each of the first {@code count} bits. Waits for each reply. */
    void call(byte[] packed, long count) throws Exception;

    /** {@code SETBIT} for each of the first {@code count} bits, in pipelines. Waits for all replies. */
    void pipeline(byte[] packed, long count) throws Exception;

    /** Makes the bits, packs the bits, and stores the bits. */
    void store(RandomBits bits) throws Exception;

    /** {@code BITCOUNT} of {@link RandomBits#KEY}. */
    long count() throws Exception;

    @Override
    void close() throws Exception;

    /** How the bits get to the server. */
    enum Mode {
        CALLS,
        PIPELINE,
        PACKED;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A library.
     *
     * @param notes calls and settings of each mode that the library is measured in
     */
    record Library(String name, String documentation, Map<Mode, String> notes, Opener opener) {}

    /** Connects. */
    @FunctionalInterface
    interface Opener {
        BitClient open(Target target) throws Exception;
    }
}
