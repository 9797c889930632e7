// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.client.Target;
import io.millrace.lab.server.LabException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A JVM with the callers of the second process of a {@link Stampede}.
 *
 * <p>The two processes exchange lines of JSON over standard input and output. The first line is a {@link Setup}, which
 * the second process answers with {@link #READY}. Each further line is a {@link Stampede.Expiry}, which the second process
 * answers with {@link Stampede.Observed}. The second process ends when its input ends. Used by one thread.
 */
public final class SecondProcess implements AutoCloseable {

    private static final String READY = "ready";

    /** The login of the server is part of the target, so the setup must not be a program argument. */
    record Setup(String cacheLabel, Target target, long computeMillis) {}

    private final Process process;

    private SecondProcess(Process process) {
        this.process = process;
    }

    /** Returns when the cache of the second process is open. */
    static SecondProcess start(Setup setup) {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        String classPath = System.getProperty("java.class.path");
        try {
            var second = new SecondProcess(
                    new ProcessBuilder(java.toString(), "-cp", classPath, SecondProcess.class.getName())
                            .redirectError(Redirect.INHERIT)
                            .start());
            second.send(setup);
            second.receive();
            return second;
        } catch (IOException e) {
            throw new LabException("the second process cannot be started: program=" + java, e);
        }
    }

    /** Starts the callers and does not wait. */
    void begin(Stampede.Expiry expiry) {
        send(expiry);
    }

    Stampede.Observed await() {
        return JsonMapper.shared().readValue(receive(), Stampede.Observed.class);
    }

    private void send(Object request) {
        try {
            var requests = process.outputWriter(StandardCharsets.UTF_8);
            requests.write(JsonMapper.shared().writeValueAsString(request) + "\n");
            requests.flush();
        } catch (IOException e) {
            throw ended();
        }
    }

    private String receive() {
        try {
            @Nullable String line = process.inputReader(StandardCharsets.UTF_8).readLine();
            if (line == null) {
                throw ended();
            }
            return line;
        } catch (IOException e) {
            throw ended();
        }
    }

    private LabException ended() {
        close();
        return new LabException("the second process has ended. See its messages above.");
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** The program of the second process. */
    public static void main(String[] args) throws Exception {
        var output = System.out;
        System.setOut(System.err); // Messages of a library must not mix with the answers.
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Setup setup = JsonMapper.shared().readValue(input.readLine(), Setup.class);
        CacheLibrary library = CacheLibrary.named(setup.cacheLabel);
        try (CacheAdapter cache = library.opener().open(setup.target, CacheAdapter.LONG_LIFE)) {
            var stampede = new Stampede(cache, "second", Duration.ofMillis(setup.computeMillis));
            output.println(READY);
            for (@Nullable String line = input.readLine(); line != null; line = input.readLine()) {
                var expiry = JsonMapper.shared().readValue(line, Stampede.Expiry.class);
                output.println(JsonMapper.shared().writeValueAsString(stampede.observe(expiry)));
            }
        }
    }
}
