// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.client.KeySlot;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.EmbeddedRedisException;
import io.millrace.lab.experiment.ServerUse.Disturbance;
import io.millrace.lab.experiment.ServerUse.Ongoing;
import io.millrace.lab.server.LabException;
import io.millrace.lab.server.RedisServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Hash slots move from primary to primary at a steady rate, one after the other, with their keys. The cluster must be one
 * that the lab has started. At the end, each slot returns to its first primary.
 *
 * @param perSecond moves in a second, 1 or more
 * @param key move n, from 0, takes the slot of the key n
 */
public record SlotMoves(int perSecond, LongFunction<String> key) implements Disturbance {

    /** Figure: the moves of a second. Lower than wanted if the moves take longer. */
    public static final String MOVES_PER_SECOND = "slotMovesPerSecond";

    @Override
    public Ongoing begin(RedisServer server) {
        server.expectRedirects();
        Mover mover = new Mover(server.cluster().orElseThrow());
        mover.thread.start();
        return mover;
    }

    /** The other fields are used by the thread, and after its end by the thread that calls {@link #end}. */
    private final class Mover implements Ongoing {

        private final EmbeddedCluster cluster;
        private final Thread thread =
                Thread.ofPlatform().daemon().name("lab-slot-moves").unstarted(this::moveAll);
        private final CountDownLatch ending = new CountDownLatch(1);
        private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
        private final long startNanos = System.nanoTime();

        /** By the slot, for the slots that have moved. */
        private final Map<Integer, EmbeddedRedis> firstOwners = new HashMap<>();

        private long moves;

        Mover(EmbeddedCluster cluster) {
            this.cluster = cluster;
        }

        private void moveAll() {
            try {
                while (!ending.await(nanosToNextMove(), TimeUnit.NANOSECONDS)) {
                    moveOn(KeySlot.of(key.apply(moves)));
                    moves++;
                }
            } catch (RuntimeException e) {
                failure.set(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Zero or less if the moves are late. */
        private long nanosToNextMove() {
            return startNanos + moves * TimeUnit.SECONDS.toNanos(1) / perSecond - System.nanoTime();
        }

        /** Moves {@code slot} to the next primary. */
        private void moveOn(int slot) {
            List<EmbeddedRedis> nodes = cluster.nodes();
            EmbeddedRedis owner = cluster.primaryOf(slot);
            firstOwners.putIfAbsent(slot, owner);
            cluster.moveSlot(slot, nodes.get((nodes.indexOf(owner) + 1) % nodes.size()));
        }

        @Override
        public Map<String, Double> end() {
            double seconds = (System.nanoTime() - startNanos) / 1e9;
            ending.countDown();
            try {
                thread.join();
                firstOwners.forEach(this::moveBack);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new LabException("interrupted while slots were moving: moves=" + moves, e);
            } catch (EmbeddedRedisException e) {
                throw new LabException("a slot cannot return: moves=" + moves + ", cause=" + e.getMessage(), e);
            }
            @Nullable RuntimeException failed = failure.get();
            if (failed != null) {
                throw new LabException("a slot cannot move: moves=" + moves + ", cause=" + failed.getMessage(), failed);
            }
            return Map.of(MOVES_PER_SECOND, moves / seconds);
        }

        private void moveBack(int slot, EmbeddedRedis owner) {
            if (!cluster.primaryOf(slot).equals(owner)) {
                cluster.moveSlot(slot, owner);
            }
        }
    }
}
