// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Options for reading a database.
 *
 * @param user user name, unless the URL contains one
 * @param password password, unless the URL contains one; never part of a message
 * @param fetchSize number of rows that the driver fetches in one request, {@link #FETCH_SIZE}; these rows must fit into
 *     memory. A driver that always streams ignores this option
 * @param drivers files with JDBC drivers that are not on the class path: jars, or folders whose jars belong together.
 *     Each file has a separate class loader. The drivers are tried in this order, before the drivers on the class path
 */
public record JdbcOptions(Optional<String> user, Optional<String> password, int fetchSize, List<Path> drivers) {

    /**
     * Range: 1 to 1,000,000. Default: 1,000, so that a network round trip of 1 ms costs 1 µs per row, and fetched rows
     * of 10 KB each need 10 MB of memory.
     */
    public static final Setting<Integer> FETCH_SIZE = new Setting<>(
            "fetchSize",
            1,
            1_000_000,
            1_000,
            Unit.COUNT,
            "Number of rows that the database driver fetches per round trip.");

    /**
     * Range: 1 to 64. Default: 1, because reading with several connections needs a column to partition by, and changes
     * the order of the rows.
     */
    public static final Setting<Integer> READERS =
            new Setting<>("readers", 1, 64, 1, Unit.COUNT, "Number of connections that read the source at once.");

    private static final JdbcOptions DEFAULTS =
            new JdbcOptions(Optional.empty(), Optional.empty(), FETCH_SIZE.defaultValue(), List.of());

    public JdbcOptions {
        FETCH_SIZE.check(fetchSize);
        drivers = List.copyOf(drivers);
    }

    /** The default options. */
    public static JdbcOptions defaults() {
        return DEFAULTS;
    }

    /** These options with {@code newUser}. */
    public JdbcOptions withUser(String newUser) {
        return new JdbcOptions(Optional.of(newUser), password, fetchSize, drivers);
    }

    /** These options with {@code newPassword}. */
    public JdbcOptions withPassword(String newPassword) {
        return new JdbcOptions(user, Optional.of(newPassword), fetchSize, drivers);
    }

    /** These options with {@code newFetchSize}. */
    public JdbcOptions withFetchSize(int newFetchSize) {
        return new JdbcOptions(user, password, newFetchSize, drivers);
    }

    /** These options with {@code newDrivers}. */
    public JdbcOptions withDrivers(List<Path> newDrivers) {
        return new JdbcOptions(user, password, fetchSize, newDrivers);
    }

    @Override
    public String toString() {
        return "JdbcOptions[user=%s, password=%s, fetchSize=%s, drivers=%s]"
                .formatted(user.orElse("-"), password.isPresent() ? "***" : "-", fetchSize, drivers);
    }
}
