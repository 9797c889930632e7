// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.ExitCode;

/** The requested command with its arguments as typed. This is the first of three stages: typed, validated, run. */
@FunctionalInterface
interface Invocation {

    /**
     * Validates the arguments and runs the command. Blocks until the command has ended.
     *
     * @throws UsageException if the arguments contradict each other
     */
    ExitCode run(StandardStreams standardStreams, SecretMasker secretMasker);

    /** {@code millrace load …} or {@code millrace verify …}. */
    static Invocation load(LoadArguments arguments) {
        return (standardStreams, secretMasker) -> {
            LoadRequest request;
            try {
                request = LoadRequest.of(arguments, standardStreams, secretMasker);
            } catch (RuntimeException refused) {
                new RefusedLoad(arguments, standardStreams, secretMasker).report(refused);
                throw refused;
            }
            return new LoadRun(request, standardStreams, secretMasker).run();
        };
    }

    /** {@code millrace bitmap …}. */
    static Invocation bitmap(BitmapArguments arguments) {
        return (standardStreams, secretMasker) ->
                new BitmapRun(BitmapRequest.of(arguments, standardStreams, secretMasker), standardStreams).run();
    }

    /** {@code millrace doctor …}. */
    static Invocation doctor(DoctorArguments arguments) {
        return (standardStreams, secretMasker) -> new DoctorRun(
                        DoctorRequest.of(arguments, standardStreams, secretMasker), standardStreams, secretMasker)
                .run();
    }

    /** {@code millrace demo …}. */
    static Invocation demo(DemoArguments arguments) {
        return (standardStreams, secretMasker) -> new DemoRun(arguments, standardStreams).run();
    }

    /** {@code millrace queue …}. */
    static Invocation queue(QueueArguments arguments) {
        return (standardStreams, secretMasker) ->
                new QueueRun(QueueRequest.of(arguments, standardStreams, secretMasker), standardStreams).run();
    }

    /** {@code millrace run …}. */
    static Invocation jobs(RunArguments arguments) {
        return (standardStreams, secretMasker) -> new JobsRun(
                        RunRequest.of(arguments, standardStreams, secretMasker), standardStreams, secretMasker)
                .run();
    }

    /** A request for help or for the version: prints {@code text}. */
    static Invocation print(String text) {
        return (standardStreams, secretMasker) -> {
            standardStreams.out().println(text);
            standardStreams.out().flush();
            return ExitCode.OK;
        };
    }
}
