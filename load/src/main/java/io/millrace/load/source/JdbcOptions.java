// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.Optional;

/**
 * How a database is read.
 *
 * @param user to log in as, unless the URL says
 * @param password to log in with, unless the URL says; shown nowhere
 * @param fetchSize rows that one round trip brings, 1 to 1,000,000; together they must fit into memory. Default: 1,000, at which
 *     a round trip of a millisecond costs a microsecond a row, and rows of 10 KB need 10 MB. Drivers that stream by themselves
 *     pass over it
 */
public record JdbcOptions(Optional<String> user, Optional<String> password, int fetchSize) {

    private static final int MAX_FETCH_SIZE = 1_000_000;
    private static final JdbcOptions DEFAULTS = new JdbcOptions(Optional.empty(), Optional.empty(), 1_000);

    public JdbcOptions {
        if (fetchSize < 1 || fetchSize > MAX_FETCH_SIZE) {
            throw new IllegalArgumentException("fetchSize=" + fetchSize + "; it must be 1 to " + MAX_FETCH_SIZE);
        }
    }

    /** The defaults, as each option says. */
    public static JdbcOptions defaults() {
        return DEFAULTS;
    }

    /** These options with {@code newUser}. */
    public JdbcOptions withUser(String newUser) {
        return new JdbcOptions(Optional.of(newUser), password, fetchSize);
    }

    /** These options with {@code newPassword}. */
    public JdbcOptions withPassword(String newPassword) {
        return new JdbcOptions(user, Optional.of(newPassword), fetchSize);
    }

    /** These options with {@code newFetchSize}. */
    public JdbcOptions withFetchSize(int newFetchSize) {
        return new JdbcOptions(user, password, newFetchSize);
    }

    @Override
    public String toString() {
        return "JdbcOptions[user=%s, password=%s, fetchSize=%d]"
                .formatted(user.orElse("-"), password.isPresent() ? "***" : "-", fetchSize);
    }
}
