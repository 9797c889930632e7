// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The keys in Redis that belong to one run of a job.
 *
 * <pre>
 *   millrace:{job}:lock        string: the run that may change the keys of the job; expires
 *   millrace:{job}:state       hash: run, owner, phase, and the target of the job
 *   millrace:{job}:keys        set: the manifest, the keys that the job has written
 *   millrace:{job}:new:run     set: the keys that this run writes
 *   millrace:shadow:job:run:…  shadow keys: the new values of the keys
 * </pre>
 *
 * @param run random text that no other run has. So a run that lost its lock cannot write to the keys of the next run
 */
record JobKeys(String job, String run) {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int RUN_BYTES = 8;

    static JobKeys ofNewRun(String job) {
        byte[] random = new byte[RUN_BYTES];
        RANDOM.nextBytes(random);
        return new JobKeys(job, HexFormat.of().formatHex(random));
    }

    /** The keys of another run of the same job. */
    JobKeys ofRun(String otherRun) {
        return new JobKeys(job, otherRun);
    }

    String lock() {
        return "millrace:{" + job + "}:lock";
    }

    String state() {
        return "millrace:{" + job + "}:state";
    }

    String manifest() {
        return "millrace:{" + job + "}:keys";
    }

    String newManifest() {
        return "millrace:{" + job + "}:new:" + run;
    }

    /** A key that exists for a moment, to test the permissions of the user. */
    String probe() {
        return newManifest() + ":probe";
    }

    /**
     * The shadow key of {@code key}. It is in the same hash slot, with one exception: the slot differs if the key has no
     * hash tag and contains a closing brace. A cluster would not rename such a key.
     */
    byte[] shadow(byte[] key, int length) {
        boolean tagged = hasHashTag(key, length);
        byte[] prefix =
                ("millrace:shadow:" + job + ":" + run + ":" + (tagged ? "" : "{")).getBytes(StandardCharsets.US_ASCII);
        byte[] shadow = new byte[prefix.length + length + (tagged ? 0 : 1)];
        System.arraycopy(prefix, 0, shadow, 0, prefix.length);
        System.arraycopy(key, 0, shadow, prefix.length, length);
        if (!tagged) {
            shadow[shadow.length - 1] = '}';
        }
        return shadow;
    }

    byte[] shadow(byte[] key) {
        return shadow(key, key.length);
    }

    /** Whether the slot of {@code key} depends only on the text between its first braces. */
    private static boolean hasHashTag(byte[] key, int length) {
        for (int open = 0; open < length; open++) {
            if (key[open] == '{') {
                for (int close = open + 1; close < length; close++) {
                    if (key[close] == '}') {
                        return close > open + 1;
                    }
                }
                return false;
            }
        }
        return false;
    }
}
