// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.InputStream;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The command line.
 *
 * <p>DESIGN: three stages, each a set of types of its own. {@link ArgumentParser} turns arguments into an {@link Invocation}
 * (what was typed); {@link LoadRequest} is what was typed, found to make sense; {@link LoadRun} carries it out. Nothing is
 * opened for writing and no server is contacted before the second stage has ended. Only {@link #main} ends the JVM.
 */
public final class Millrace {

    private Millrace() {}

    /** Runs and ends the process with the code of the run. */
    public static void main(String[] args) {
        System.exit(run(args, Streams.ofProcess()));
    }

    /**
     * Runs as the process would, on the calling thread, and returns its exit code. Takes no terminal for granted: progress
     * comes as lines.
     *
     * @param out takes the result
     * @param err takes progress and errors
     * @param env stands for the environment variables
     */
    public static int run(String[] args, InputStream in, PrintStream out, PrintStream err, Map<String, String> env) {
        return run(args, new Streams(in, out, err, env, OptionalInt::empty));
    }

    private static int run(String[] args, Streams streams) {
        Secrets secrets = new Secrets();
        secrets.addStray(args);
        try {
            return execute(ArgumentParser.parse(args), streams, secrets).number();
        } catch (RuntimeException | Error thrown) {
            Failure failure = Failure.of(thrown);
            streams.out().flush();
            streams.err().println("millrace: " + secrets.hide(failure.message()));
            if (Arrays.asList(args).contains("--debug")) {
                streams.err().print(secrets.hide(StackTraces.of(thrown)));
            }
            streams.err().flush();
            return failure.code().number();
        }
    }

    private static ExitCode execute(Invocation invocation, Streams streams, Secrets secrets) {
        return switch (invocation) {
            case Invocation.Print(String text) -> {
                streams.out().println(text);
                streams.out().flush();
                yield ExitCode.OK;
            }
            case Invocation.Load(LoadArguments arguments) ->
                new LoadRun(LoadRequest.of(arguments, streams, secrets), streams).run();
            case Invocation.Demo(DemoArguments arguments) -> new DemoRun(arguments, streams).run();
        };
    }
}
