// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.ErrorReplyException;
import io.millrace.client.Hashes;
import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisException;
import io.millrace.client.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Experiments of any number of bits, each with a name. Bits are made in this process, packed, by several threads, and sent in blocks of
 * 128 KiB over a connection of their own: some ten thousand times fewer commands than one for each bit.
 *
 * <p>For any number of threads; each name is stored, or deleted, by one at a time.
 */
public final class Populations {

    /** The most bits of a population: 2^43, a terabyte. */
    public static final long MOST_BITS = 1L << 43;

    private static final String LIMIT = "proto-max-bulk-len";

    private final RedisClient client;
    private final PopulationOptions options;
    private final LongSupplier nanoTime;

    private Populations(RedisClient client, PopulationOptions options, LongSupplier nanoTime) {
        this.client = client;
        this.options = options;
        this.nanoTime = nanoTime;
    }

    /** The populations of the server of {@code client}. */
    public static Populations of(RedisClient client, PopulationOptions options) {
        return of(client, options, System::nanoTime);
    }

    /** With a clock of one's own, for tests. */
    static Populations of(RedisClient client, PopulationOptions options, LongSupplier nanoTime) {
        return new Populations(client, options, nanoTime);
    }

    /**
     * Stores a population in place of any that has this name. Blocks until it is there, and until the server's own count was found to
     * be that of the bits that were made. Until then there is no population of this name; what a process leaves behind that dies
     * meanwhile expires within a day.
     *
     * @param name 1 to 512 characters; the names of its keys begin with it, as hash tag of a cluster unless it has one itself
     * @param bits how many, 1 to {@link #MOST_BITS}, and not more than fit into 65,536 keys
     * @throws BitmapException if it could not be stored; nothing of it is left then, unless the server is away
     * @throws RedisException likewise
     */
    public Population store(String name, long bits, BitSource source) {
        Ranges.check("bits", bits, 1, MOST_BITS);
        PopulationLayout layout = new PopulationLayout(Ranges.name("name", name), bits, keyBytes());
        Ranges.check("bits / keyBytes", layout.keyCount(), 1, PopulationLayout.MOST_KEYS);
        delete(name);
        long ones = new PopulationWriter(client, layout, source, nanoTime).write(new Crew(options.threads()));
        return new Population(client, layout, ones);
    }

    /** The population that was stored as {@code name}, by whatever process. */
    public Optional<Population> find(String name) {
        Map<String, String> head = client.call(Hashes.getAll(PopulationLayout.head(Ranges.name("name", name))));
        if (head.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Population.read(client, name, head));
    }

    /** Deletes the population {@code name}, whatever its head says, and says whether there was one. Either all of it is gone then or nothing. */
    public boolean delete(String name) {
        List<String> all = new ArrayList<>();
        all.add(PopulationLayout.head(name));
        try {
            Optional<Population> known = find(name);
            if (known.isEmpty()) {
                return false;
            }
            all.addAll(known.get().keys());
        } catch (BitmapException unreadable) {
            // How many keys there are is not known.
            PopulationLayout.keys(name, PopulationLayout.MOST_KEYS).forEach(all::add);
        }
        client.call(Keys.unlink(all.toArray(String[]::new)));
        return true;
    }

    /** The options' limit, or the server's if that is less. A server that does not tell is taken to have the usual one. */
    private long keyBytes() {
        long limit = options.keyBytes();
        try {
            String told = client.call(Server.config(LIMIT)).getOrDefault(LIMIT, "");
            if (!told.isEmpty()) {
                limit = Math.min(limit, Long.parseLong(told));
            }
        } catch (ErrorReplyException | NumberFormatException e) {
            // CONFIG is not for everybody. If the limit is lower all the same, the server says so when it is reached.
            return limit;
        }
        return Math.max(Blocks.BYTES, limit - limit % Blocks.BYTES);
    }
}
