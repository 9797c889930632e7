// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Who runs when: contenders take turns, A B C A B C …, so that what disturbs the machine for a while disturbs them all.
 *
 * @param warmUps rounds that do not count, the last of them number 0, from 0
 * @param rounds rounds that count, numbered from 1, from 1
 */
public record Schedule<C>(List<C> contenders, int warmUps, int rounds) {

    public Schedule {
        contenders = List.copyOf(contenders);
        if (contenders.isEmpty() || warmUps < 0 || rounds < 1) {
            throw new IllegalArgumentException("nothing to schedule: contenders=" + contenders.size() + ", warmUps="
                    + warmUps + ", rounds=" + rounds);
        }
    }

    /** One contender's go. */
    public record Turn<C>(int round, C contender) {}

    /** All turns in their order. */
    public Stream<Turn<C>> turns() {
        return IntStream.rangeClosed(1 - warmUps, rounds)
                .boxed()
                .flatMap(round -> contenders.stream().map(contender -> new Turn<>(round, contender)));
    }
}
