// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Objects;
import java.util.Optional;

/**
 * User and password, or token, of one login. Immutable.
 *
 * <p>{@link #toString} never shows the password.
 */
public final class Credentials {

    private static final Credentials NONE = new Credentials("", "");

    private final String user;
    private final String password;

    private Credentials(String user, String password) {
        this.user = user;
        this.password = password;
    }

    /** Returns credentials for a server without a password: the client does not log in. */
    public static Credentials none() {
        return NONE;
    }

    /**
     * Returns the credentials of the default user.
     *
     * @param password password or token, not empty
     */
    public static Credentials ofPassword(String password) {
        return of("", password);
    }

    /**
     * Returns the credentials of {@code user}.
     *
     * @param user the ACL user; empty means the default user
     * @param password password or token, not empty
     */
    public static Credentials of(String user, String password) {
        Objects.requireNonNull(user, "user");
        if (Objects.requireNonNull(password, "password").isEmpty()) {
            throw new IllegalArgumentException("the password is empty. For a server without a password: none()");
        }
        return new Credentials(user, password);
    }

    /** The ACL user; empty means the default user. */
    public Optional<String> user() {
        return user.isEmpty() ? Optional.empty() : Optional.of(user);
    }

    /** The password; empty means that the client does not log in. */
    public Optional<String> password() {
        return password.isEmpty() ? Optional.empty() : Optional.of(password);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Credentials that && user.equals(that.user) && password.equals(that.password);
    }

    @Override
    public int hashCode() {
        return Objects.hash(user, password);
    }

    /** Omits the password. */
    @Override
    public String toString() {
        return "Credentials[user=" + user().orElse("default") + "]";
    }
}
