// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.broken;

import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** Numbered keys are set and read by contenders of which some do it badly: what the lab has to find out. */
public final class BrokenExperiment implements Experiment {

    @Override
    public String name() {
        return "broken";
    }

    @Override
    public String title() {
        return "Broken contenders";
    }

    @Override
    public String description() {
        return "Contenders that lose, misread, throw, do not open or die, beside good ones.";
    }

    @Override
    public long operations() {
        return 100;
    }

    @Override
    public List<Workload> workloads() {
        return List.of(new SetAndRead());
    }

    static String key(long n) {
        return "millrace-lab:broken:" + n;
    }

    static String value(long n) {
        return "value " + n;
    }

    /** {@code SET} and {@code GET} of as many keys as there are operations. */
    public static final class SetAndRead implements Workload {

        @Override
        public String name() {
            return "broken";
        }

        @Override
        public long operations(Size size) {
            return size.operations();
        }

        @Override
        public List<Contender> contenders() {
            return Arrays.stream(Behaviour.values())
                    .map(BadContender::new)
                    .map(Contender.class::cast)
                    .toList();
        }

        @Override
        public Check check() {
            return new Check() {
                @Override
                public List<String> complaints(RedisServer server, long operations) {
                    long right = right(server, operations);
                    return right == operations
                            ? List.of()
                            : List.of("values: expected=" + operations + ", right=" + right);
                }

                @Override
                public Outcomes outcomes(RedisServer server, long operations) {
                    long right = right(server, operations);
                    return new Outcomes(right, 0, 0, 0, operations - right);
                }
            };
        }

        private static long right(RedisServer server, long operations) {
            return LongStream.range(0, operations)
                    .filter(n -> value(n).equals(server.control().get(key(n))))
                    .count();
        }
    }
}
