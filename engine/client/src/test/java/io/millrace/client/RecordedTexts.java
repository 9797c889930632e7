// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/** Collects texts that a test produces, such as exceptions, and searches these texts for a secret. Thread-safe. */
final class RecordedTexts {

    /** A text leaks a secret if the text contains this number of consecutive characters of the secret. */
    private static final int PART_LENGTH = 4;

    private final ConcurrentLinkedQueue<String> texts = new ConcurrentLinkedQueue<>();

    void add(Object value) {
        texts.add(String.valueOf(value));
    }

    /** Adds an exception with its causes and suppressed exceptions. */
    void add(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        texts.add(text.toString());
    }

    /** Runs an action that must fail, and adds its exception. */
    void addFailureOf(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            add(e);
            return;
        }
        throw new AssertionError("the action did not fail");
    }

    int size() {
        return texts.size();
    }

    /** Returns the texts that contain at least four consecutive characters of {@code secret}. */
    List<String> leaksOf(String secret) {
        List<String> parts = IntStream.rangeClosed(0, secret.length() - PART_LENGTH)
                .mapToObj(at -> secret.substring(at, at + PART_LENGTH))
                .toList();
        List<String> leaks = new ArrayList<>();
        for (String text : texts) {
            if (parts.stream().anyMatch(text::contains)) {
                leaks.add(text);
            }
        }
        return leaks;
    }
}
