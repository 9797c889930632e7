// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Serverless;
import io.millrace.lab.run.Size;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Pairs are written to a server, all are read back, and then its memory is looked at; see {@link MemoryServer}. Contenders do all of it
 * themselves, since distance makes no difference and the server is to be looked at just before and after.
 *
 * @param glance whether only one client shows it; the bytes are the same for all
 */
record PairMemory(boolean glance) implements Serverless {

    @Override
    public String name() {
        return "e7";
    }

    @Override
    public long operations(Size size) {
        return size.operations();
    }

    /** What is compared is memory. */
    @Override
    public boolean hasFactors() {
        return false;
    }

    @Override
    public int warmUps() {
        return 0;
    }

    /** Memory is the same each time. */
    @Override
    public int rounds(int asked) {
        return 1;
    }

    @Override
    public Map<String, Figure> figures() {
        return Map.of(StoredPairs.BYTES_PER_PAIR, Figure.own(StoredPairs.BYTES_PER_PAIR));
    }

    @Override
    public List<Contender> contenders() {
        var clients = glance ? List.of(PairClient.MILLRACE) : List.of(PairClient.values());
        return Arrays.stream(Layout.values())
                .flatMap(layout -> clients.stream().<Contender>map(client -> new StoredPairs(client, layout)))
                .toList();
    }
}
