// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.server.LabException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A second JVM of a contender. The two processes exchange lines of JSON over standard input and output. The first line is
 * a setup, which the child answers with {@link #READY}. The child ends when its input ends. Used by one thread.
 */
public final class ChildJvm implements AutoCloseable {

    private static final String READY = "ready";

    private final Process process;

    private ChildJvm(Process process) {
        this.process = process;
    }

    /**
     * Starts {@code program} with the class path of this JVM. Returns when the child is ready.
     *
     * @param setup sent as JSON, because the login of a server must not be a program argument
     * @throws LabException if the child cannot be started, or ends early
     */
    public static ChildJvm start(Class<?> program, Object setup) {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        String classPath = System.getProperty("java.class.path");
        try {
            var child = new ChildJvm(new ProcessBuilder(java.toString(), "-cp", classPath, program.getName())
                    .redirectError(Redirect.INHERIT)
                    .start());
            child.send(setup);
            child.receive();
            return child;
        } catch (IOException e) {
            throw new LabException("the second process cannot be started: program=" + java, e);
        }
    }

    public void send(Object request) {
        try {
            var requests = process.outputWriter(StandardCharsets.UTF_8);
            requests.write(JsonMapper.shared().writeValueAsString(request) + "\n");
            requests.flush();
        } catch (IOException e) {
            throw ended();
        }
    }

    /** Waits for the answer to a request. */
    public <T> T receive(Class<T> type) {
        return JsonMapper.shared().readValue(receive(), type);
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

    /** Kills the child, and returns when the child has ended. */
    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** The side of the child. */
    public static final class Parent {

        private final PrintStream output = System.out;
        private final BufferedReader input =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

        /** Takes over standard output: messages of a library must not mix with the answers. */
        public Parent() {
            System.setOut(System.err);
        }

        /** The next request, or the setup; empty if the parent has ended. */
        public <T> Optional<T> request(Class<T> type) throws IOException {
            return Optional.ofNullable(input.readLine())
                    .map(line -> JsonMapper.shared().readValue(line, type));
        }

        /** Answers the setup. */
        public void ready() {
            output.println(READY);
        }

        public void answer(Object answer) {
            output.println(JsonMapper.shared().writeValueAsString(answer));
        }
    }
}
