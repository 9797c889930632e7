// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures the cost of a listener per command: {@code make microbench}. The arguments are options of JMH. The exit code is 0
 * if all costs are within their limits, 1 if not, and 2 if an option is wrong or JMH fails.
 */
public final class MicroBench {

    private static final int OUTSIDE_LIMITS = 1;
    private static final int FAILED = 2;

    /** Runs the benchmarks and ends the process with the exit code. */
    public static void main(String[] args) throws IOException {
        System.exit(run(System.out, System.err, args));
    }

    /**
     * Runs the benchmarks and returns the exit code.
     *
     * @param out receives one line per benchmark
     * @param progress receives the output of JMH
     */
    static int run(PrintStream out, PrintStream progress, String... args) throws IOException {
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
            progress.println("microbench: " + e.getMessage());
            return FAILED;
        }
    }

    private static List<Cost> measure(CommandLineOptions options, PrintStream progress) throws RunnerException {
        OptionsBuilder all = new OptionsBuilder();
        all.parent(options).addProfiler(GCProfiler.class).shouldFailOnError(true);
        Runner runner = new Runner(all.build(), OutputFormatFactory.createFormatInstance(progress, VerboseMode.NORMAL));
        return runner.run().stream().map(Cost::of).toList();
    }

    private MicroBench() {}
}
