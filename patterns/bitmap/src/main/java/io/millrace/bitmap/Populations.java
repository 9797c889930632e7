// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.RedisClient;
import io.millrace.client.Setting;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.exception.RedisException;
import java.util.Map;
import java.util.Optional;

/**
 * Named sets of up to 2^32 bits, each stored as one Redis string. Several threads make and pack the bits in this
 * process. The client sends the bits in blocks of 128 KiB over a separate connection. So one command sends about a
 * million bits.
 *
 * <p>Thread-safe. Two callers must not store or delete the same name at the same time.
 */
public final class Populations {

    /** The maximum number of bits of a population: 2^32, the 512 MB of one Redis string. */
    public static final long MAX_BITS = 1L << 32;

    private final RedisClient client;
    private final PopulationOptions options;

    private Populations(RedisClient client, PopulationOptions options) {
        this.client = client;
        this.options = options;
    }

    /** Returns the populations on the server of {@code client}. */
    public static Populations of(RedisClient client, PopulationOptions options) {
        return new Populations(client, options);
    }

    /**
     * Stores a population. Deletes any population of this name first, so a failed call leaves no population. Blocks
     * until the population is stored and the server's bit count equals the client's. Until then no population of this
     * name exists. If the process dies before that, the incomplete bits expire within an hour.
     *
     * @param name 1 to 512 characters. The keys of the population begin with the name. If the name contains a hash tag,
     *     the keys have this hash tag. Otherwise the whole name is the hash tag
     * @param bits the number of bits, 1 to {@link #MAX_BITS}, and at most 8 times the server's {@code
     *     proto-max-bulk-len}
     * @throws BitmapException if the population cannot be stored. Its keys are deleted, unless the server is
     *     unreachable
     * @throws RedisException if a command fails. The keys are deleted, unless the server is unreachable
     */
    public Population store(String name, long bits, BitSource source) {
        Setting.checkArgument("bits", bits, 1, MAX_BITS);
        PopulationLayout layout = new PopulationLayout(KeyNames.checkLength("name", name), bits);
        delete(name);
        long ones = new PopulationWriter(client, layout, source).write(new ParallelMaker(options.threads()));
        return new Population(client, layout, ones);
    }

    /**
     * Returns {@code name} if the name is legal for a population and for an activity. Does not access the server.
     *
     * @param name see {@link #store}
     * @throws IllegalArgumentException if the name is not legal
     */
    public static String checkName(String name) {
        var unused = KeyNames.prefix(KeyNames.checkLength("name", name));
        return name;
    }

    /**
     * Returns the population {@code name} if it exists.
     *
     * @throws BitmapException if the header of the population, a Redis hash, has invalid values
     */
    public Optional<Population> find(String name) {
        Map<String, String> head =
                client.call(Hashes.getAll(PopulationLayout.head(KeyNames.checkLength("name", name))));
        if (head.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Population.read(client, name, head));
    }

    /**
     * Deletes the population {@code name} in one step, even if its header has invalid values. Returns whether the
     * population existed.
     */
    public boolean delete(String name) {
        String head = PopulationLayout.head(KeyNames.checkLength("name", name));
        if (client.call(Keys.exist(head)) == 0) {
            return false;
        }
        client.call(Keys.unlink(head, PopulationLayout.key(name)));
        return true;
    }
}
