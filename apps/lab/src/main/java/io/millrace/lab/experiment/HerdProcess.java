// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Endpoint;
import io.millrace.lab.library.TextCache;
import io.millrace.lab.run.LabException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.SynchronousQueue;
import tools.jackson.databind.json.JsonMapper;

/**
 * The other process of a stampede. Its first line is a {@link Place} as JSON, which it answers with {@link #READY}; then each is a
 * {@link Herd.Call}, which it answers with a {@link Herd.Rush}. Ends with its input, at once.
 */
public final class HerdProcess {

    static final String READY = "ready";

    /**
     * What is to be rushed at.
     *
     * @param source its label
     * @param computeMillis how long a computation takes
     */
    record Place(String source, Endpoint endpoint, long computeMillis) {}

    /** Takes no arguments: there is a password among what it needs to know. */
    public static void main(String[] args) throws Exception {
        var answers = System.out;
        System.setOut(System.err); // what a library prints must not end up between the answers
        var questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var place = JsonMapper.shared().readValue(questions.readLine(), Place.class);
        try (var cache =
                source(place).opener().open(place.endpoint(), Endpoint.REPLY_TIMEOUT, Stampeding.CONNECTIONS)) {
            var herd = new Herd(cache, "elsewhere", Duration.ofMillis(place.computeMillis()));
            answers.println(READY);
            var calls = new SynchronousQueue<Herd.Call>();
            Thread.ofPlatform().daemon().name("lab-questions").start(() -> read(questions, calls));
            while (true) {
                answers.println(JsonMapper.shared().writeValueAsString(herd.rush(calls.take())));
            }
        }
    }

    /** Ends this process with its input, whatever it does just then: whoever had started it may have been killed. */
    private static void read(BufferedReader questions, SynchronousQueue<Herd.Call> calls) {
        int status = 0;
        try {
            for (var line = questions.readLine(); line != null; line = questions.readLine()) {
                calls.put(JsonMapper.shared().readValue(line, Herd.Call.class));
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            System.err.println("second process: " + e);
            status = 1;
        } finally {
            Runtime.getRuntime().halt(status);
        }
    }

    private static TextCache.Source source(Place place) {
        return TextCache.Source.all().stream()
                .filter(source -> source.label().equals(place.source()))
                .findFirst()
                .orElseThrow(() -> new LabException("no such cache: " + place.source()));
    }

    private HerdProcess() {}
}
