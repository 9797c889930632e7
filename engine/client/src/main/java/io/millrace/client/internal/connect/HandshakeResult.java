// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.RedisUri;
import io.millrace.client.internal.fusion.FusionDecision;
import org.jspecify.annotations.Nullable;

/**
 * The result of a handshake.
 *
 * @param transport transport that is ready for commands
 * @param fusion the requested kinds whose fused commands the server knows and this user may run
 * @param resp3 whether the server speaks RESP3 on this connection
 * @param loginVersion {@linkplain Login#version version} of the credentials
 * @param role role of the server
 * @param address the address that a Sentinel has named; null without Sentinels
 */
public record HandshakeResult(
        Transport transport,
        FusionDecision fusion,
        boolean resp3,
        long loginVersion,
        ServerRole role,
        RedisUri.@Nullable Tcp address) {

    /** Why the wire of a connection that is not connected yet has ended. */
    public static final String NOT_CONNECTED = "not connected yet";

    /** The place of a handshake in a connection that is not connected yet. */
    public static HandshakeResult none() {
        return new HandshakeResult(new NoTransport(), FusionDecision.NONE, true, 0, ServerRole.UNKNOWN, null);
    }

    /** Whether there was a handshake. */
    public boolean isConnected() {
        return !(transport instanceof NoTransport);
    }

    HandshakeResult with(Transport other) {
        return new HandshakeResult(other, fusion, resp3, loginVersion, role, address);
    }

    HandshakeResult at(RedisUri.Tcp named) {
        return new HandshakeResult(transport, fusion, resp3, loginVersion, role, named);
    }
}
