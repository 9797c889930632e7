// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Who runs when: contenders take turns, A B C A B C …, so that what disturbs the machine for a while disturbs them all.
 * Round 0 is the warm-up.
 */
public record Schedule<C>(List<C> contenders, int rounds) {

    public Schedule {
        contenders = List.copyOf(contenders);
        if (contenders.isEmpty() || rounds < 1) {
            throw new IllegalArgumentException(
                    "nothing to schedule: contenders=" + contenders.size() + ", rounds=" + rounds);
        }
    }

    /** One contender's go. */
    public record Turn<C>(int round, C contender) {}

    /** All turns in their order. */
    public Stream<Turn<C>> turns() {
        return IntStream.rangeClosed(0, rounds)
                .boxed()
                .flatMap(round -> contenders.stream().map(contender -> new Turn<>(round, contender)));
    }
}
