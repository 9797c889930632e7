// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.nio.file.Path;
import java.util.List;

/** Something to be done to a server, the same for each contender that enters, and what is promised about it. */
public interface Workload {

    /** The name on the command line and in reports, such as {@code csv-hash}. */
    String name();

    /** How many commands or rows one round is, for the size that was asked for; an estimate if rounds are limited by time. */
    long operations(Size size);

    /** Whether it is run when nobody names workloads. */
    default boolean runByDefault() {
        return true;
    }

    /**
     * Rounds before those that count: by default one. More where a round is short, because a JVM goes on compiling for
     * seconds; none where it is always a new JVM that is measured.
     */
    default int warmUps() {
        return 1;
    }

    /** How many rounds count if {@code asked} are asked for; fewer where one tells as much as several. */
    default int rounds(int asked) {
        return asked;
    }

    /** Those who do it, in the order of their turns. */
    List<Contender> contenders();

    /** What is to hold between them. */
    List<Bar> bars();

    /** Makes what the contenders are fed, in {@code folder}; none of this is timed. */
    Inputs prepare(Path folder, long operations);

    /** How what a round left on the server is checked. */
    Check check();

    /**
     * The contender of this workload with this label.
     *
     * @throws IllegalArgumentException if there is none
     */
    default Contender contender(String label) {
        return contenders().stream()
                .filter(contender -> contender.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such contender: workload=" + name() + ", contender="
                        + label + ". There are: "
                        + contenders().stream().map(Contender::label).toList()));
    }
}
