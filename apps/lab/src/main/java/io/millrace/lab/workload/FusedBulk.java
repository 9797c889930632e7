// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import io.millrace.client.command.Fusion;
import io.millrace.lab.contender.MillraceBulkWriter;
import io.millrace.lab.run.Bar;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.util.List;
import java.util.Set;

/**
 * Adjacent commands on one key, by a bulk writer that fuses them and by one that does not.
 *
 * @param kinds that the former fuses
 * @param most part of the latter's time that it may take
 */
public record FusedBulk(String name, BulkData data, Set<Fusion> kinds, double most) implements Workload {

    /** Ten fields for each of many hashes. */
    public static FusedBulk ofFields() {
        return new FusedBulk("fields", new FieldData(), Fusion.FOR_BULK_WRITES, 0.6);
    }

    /** Bit after bit of one string. */
    public static FusedBulk ofBits() {
        return new FusedBulk("bits", new BitData(), Fusion.ALL_EXACT, 0.15);
    }

    /** Lists that are emptied one after the other. */
    public static FusedBulk ofPops() {
        return new FusedBulk("pops", new ListData(), Fusion.ALL_EXACT, 0.4);
    }

    @Override
    public long operations(Size size) {
        return data.operations(size.operations());
    }

    /** A fused round is short, and the JVM goes on compiling for longer. */
    @Override
    public int warmUps() {
        return 3;
    }

    @Override
    public List<Contender> contenders() {
        return List.of(
                new MillraceBulkWriter(kinds, data), //
                new MillraceBulkWriter(Fusion.NONE, data));
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio("wall", "millrace/fused", "millrace/unfused", Figure.WALL, Bar.Bound.atMost(most)),
                Bar.shown("client CPU, us per command", "millrace/fused", Figure.CPU_MICROS));
    }

    @Override
    public void fill(RedisServer server, long operations) {
        data.fill(server, operations);
    }

    @Override
    public Check check() {
        return data;
    }
}
