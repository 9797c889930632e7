// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Serverless;
import io.millrace.lab.run.Size;
import java.util.List;

/**
 * The trap: producers and consumers that block in a queue, on a pool with no thread to spare. Two consumers are started first, as
 * they are where consumers wait for what comes, and then the producer.
 */
record BlockingTakes() implements Serverless {

    private static final long TASKS = 100;

    @Override
    public String name() {
        return "deadlock";
    }

    @Override
    public String experiment() {
        return "e4";
    }

    @Override
    public String variant(Contender contender) {
        return name() + "/" + contender.variant();
    }

    @Override
    public long operations(Size size) {
        return TASKS;
    }

    /** One that does not end cannot be compared with one that does. */
    @Override
    public boolean hasFactors() {
        return false;
    }

    @Override
    public int warmUps() {
        return 0;
    }

    /** It shows the same each time. */
    @Override
    public int rounds(int asked) {
        return 1;
    }

    @Override
    public List<Contender> contenders() {
        return List.of(
                new TwoConsumersFirst(TwoConsumersFirst.Threads.POOL_OF_TWO),
                new TwoConsumersFirst(TwoConsumersFirst.Threads.VIRTUAL));
    }
}
