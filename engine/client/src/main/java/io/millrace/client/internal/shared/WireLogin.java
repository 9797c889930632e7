// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.internal.connect.Login;
import io.millrace.resp.Reply;

/** The login of one {@link Wire}: the version of its credentials, and the {@code AUTH} of a renewed login. */
final class WireLogin {

    private final SharedConnection owner;

    /** Version of the credentials that were sent last. Written by the sender, read by any thread. */
    private volatile long version;

    /** Whether an {@code AUTH} of a renewed login has no reply yet. Set by the sender, reset by the reader. */
    private volatile boolean pending;

    WireLogin(SharedConnection owner, long version) {
        this.owner = owner;
        this.version = version;
    }

    /** Whether an {@code AUTH} must be sent, because the login was renewed. */
    boolean isNeeded() {
        return version < owner.context().login().version() && !pending && owner.renewsLogin();
    }

    /** Whether the reply to an {@code AUTH} with the credentials of {@code wanted} has not arrived. */
    boolean isPending(long wanted) {
        // The sender writes these fields in the opposite order.
        return version < wanted || pending;
    }

    /** Whether a reply to an {@code AUTH} is owed. */
    boolean isPending() {
        return pending;
    }

    /** Called by the sender: returns an {@code AUTH} with the newest credentials. */
    LoginCall renew() {
        Login.Renewed renewed = owner.context().login().latest();
        pending = true;
        version = renewed.version();
        return new LoginCall(this, renewed, owner.now(), owner.timeoutNanos());
    }

    /** Receives the reply to an {@code AUTH}. If the credentials have changed again, another {@code AUTH} follows. */
    void answered(Login.Renewed sent, Reply reply) {
        owner.context().login().answered(owner.name(), sent, reply);
        pending = false;
        if (isNeeded()) {
            owner.loginChanged();
        }
    }
}
