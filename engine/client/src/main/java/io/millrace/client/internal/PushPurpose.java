// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ConnectException;
import org.jspecify.annotations.Nullable;

/** What a {@link PushConnection} is there for. Its thread calls {@link #pulse} and what follows. */
interface PushPurpose {

    /** One word for messages and events: {@code subscription}. */
    String name();

    /** What it does, as in "cannot subscribe". */
    String deed();

    /** What to do if the server does not let us, as a sentence. */
    String advice();

    /** When a connection is asked for a sign of life. */
    Pulse pulse();

    /** The dialogue of a new connection. */
    PushDialogue begin();

    /** All is agreed on over the connection; {@link PushConnection#isOpen} says so right after this. */
    void established();

    /** A connection that had been established was lost; {@link PushConnection#isOpen} says so already. */
    void lost();

    /** No other connection will follow; {@code failure} is null if that was wanted. */
    void ended(@Nullable ConnectException failure);
}
