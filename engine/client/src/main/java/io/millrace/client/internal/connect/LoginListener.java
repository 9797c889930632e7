// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

/** A connection that logs in again when the credentials have changed. */
public interface LoginListener {

    /**
     * Called after {@link Login#version} has grown. The connection sends {@code AUTH} soon. If the connection is being
     * replaced, it makes its next attempt at once. Must not block. Called by any thread.
     */
    void loginChanged();

    /**
     * Returns whether {@code RedisClient.renewLogin} must wait for this connection: the connection is open, and has no
     * reply yet to an {@code AUTH} with the credentials of this {@code version}. Called by any thread.
     */
    boolean isLoginPending(long version);
}
