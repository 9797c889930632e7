// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs the JMH benchmarks of this package. */
public final class MicroBenchmarks {

    /** Every benchmark has at least two processes, because the JIT compiler makes different decisions in each. */
    private static final int FORKS = 2;

    private static final int OUTSIDE_LIMITS = 3;
    private static final int FAILED = 2;
    private static final String OWN_PACKAGE = "io\\.millrace\\.lab\\.micro\\..*";

    private MicroBenchmarks() {}

    /** Runs the benchmarks and ends the process with the exit code of {@link #run}. */
    public static void main(String[] args) throws IOException {
        System.exit(run(System.out, System.err, args));
    }

    /**
     * Runs the benchmarks. Measures time and allocation per operation.
     *
     * @param out receives one line for each benchmark
     * @param progress receives the output of JMH
     * @param args options of JMH, such as {@code -h} or a pattern for the names of benchmarks
     * @return 0 if each limit holds, 3 if not, 2 if an option is wrong or a benchmark fails
     */
    public static int run(PrintStream out, PrintStream progress, String... args) throws IOException {
        try {
            CommandLineOptions options = new CommandLineOptions(args);
            if (options.shouldHelp()) {
                options.showHelp();
                return 0;
            }
            List<Cost> costs = measure(options, progress);
            costs.forEach(cost -> out.println(cost.line()));
            return costs.stream().allMatch(Cost::isWithinLimits) ? 0 : OUTSIDE_LIMITS;
        } catch (CommandLineOptionException | RunnerException e) {
            progress.println("lab micro: " + e.getMessage());
            return FAILED;
        }
    }

    private static List<Cost> measure(CommandLineOptions options, PrintStream progress) throws RunnerException {
        OptionsBuilder all = new OptionsBuilder();
        all.parent(options)
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .forks(options.getForkCount().orElse(FORKS))
                .warmupIterations(options.getWarmupIterations().orElse(3))
                .warmupTime(options.getWarmupTime().orElse(TimeValue.seconds(1)))
                .measurementIterations(options.getMeasurementIterations().orElse(5))
                .measurementTime(options.getMeasurementTime().orElse(TimeValue.seconds(1)))
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true);
        if (options.getIncludes().isEmpty()) {
            all.include(OWN_PACKAGE);
        }
        Runner runner = new Runner(all.build(), OutputFormatFactory.createFormatInstance(progress, VerboseMode.NORMAL));
        return Cost.of(runner.run());
    }
}
