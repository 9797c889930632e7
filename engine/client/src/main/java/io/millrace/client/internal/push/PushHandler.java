// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.exception.ConnectException;
import org.jspecify.annotations.Nullable;

/**
 * Defines what a {@link PushConnection} is used for. The thread of the connection calls {@link #keepAlive} and all
 * methods that are declared after {@code keepAlive}.
 */
interface PushHandler {

    /** One word for messages and events, such as {@code subscription}. */
    String name();

    /** The action for messages: "subscribe" as in "cannot subscribe". */
    String action();

    /** A sentence that says what to do if the server refuses. */
    String advice();

    /** Defines when a {@code PING} is sent. */
    KeepAlive keepAlive();

    /** Creates the session of a new connection. */
    PushSession newSession();

    /** Called when the server has confirmed all requests, right before {@link PushConnection#isOpen} becomes true. */
    void confirmed();

    /** Called when a confirmed connection was lost; {@link PushConnection#isOpen} is already false. */
    void lost();

    /** Called when the connection has ended and is not replaced; {@code failure} is null if the user closed it. */
    void ended(@Nullable ConnectException failure);
}
