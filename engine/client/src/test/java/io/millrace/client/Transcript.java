// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/** All that was said in a test by whatever way, to be searched for a secret. Any thread adds. */
final class Transcript {

    /** So much of a secret tells something of it. */
    private static final int TELLING = 4;

    private final ConcurrentLinkedQueue<String> said = new ConcurrentLinkedQueue<>();

    void add(Object value) {
        said.add(String.valueOf(value));
    }

    /** With its causes and what it suppressed. */
    void add(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        said.add(text.toString());
    }

    /** Something that must fail: what it throws is added. */
    void failing(Runnable what) {
        try {
            what.run();
        } catch (RuntimeException e) {
            add(e);
            return;
        }
        throw new AssertionError("nothing failed");
    }

    int size() {
        return said.size();
    }

    /** What gives away any part of {@code secret}. */
    List<String> tellingOf(String secret) {
        List<String> parts = IntStream.rangeClosed(0, secret.length() - TELLING)
                .mapToObj(at -> secret.substring(at, at + TELLING))
                .toList();
        List<String> telling = new ArrayList<>();
        for (String text : said) {
            if (parts.stream().anyMatch(text::contains)) {
                telling.add(text);
            }
        }
        return telling;
    }
}
