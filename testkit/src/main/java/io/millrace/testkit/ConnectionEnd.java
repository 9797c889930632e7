// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

/** The way a {@link FakeRedis} or a {@link FaultProxy} ends a connection. */
public enum ConnectionEnd {
    /** End of stream (FIN). Bytes that the peer still sends are read and dropped, so that no reset follows. */
    CLOSE,
    /** Reset (RST). As on a real network, the peer may lose bytes that it has not read yet. */
    RESET,
    /** Silence: nothing more is sent. The connection stays open, and bytes from the peer are still read. */
    SILENCE
}
