// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

/** How a {@link FakeRedis} or a {@link FaultProxy} ends a conversation. */
public enum Ending {
    /** End of stream (FIN). What the peer still sends is read and dropped, so that no reset follows. */
    CLOSE,
    /** Reset (RST): bytes that the peer has not read yet may be lost with it, as in life. */
    RESET,
    /** Nothing more is said; the connection stays open and what the peer sends is still read. */
    SILENCE
}
