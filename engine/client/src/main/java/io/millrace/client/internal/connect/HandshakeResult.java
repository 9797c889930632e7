// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.command.Fusion;
import java.util.Set;

/**
 * The result of a handshake.
 *
 * @param transport transport that is ready for commands
 * @param fusibleKinds the requested kinds whose fused commands the server knows and this user may run
 * @param resp3 whether the server speaks RESP3 on this connection
 * @param loginVersion {@linkplain Login#version version} of the credentials
 */
public record HandshakeResult(Transport transport, Set<Fusion> fusibleKinds, boolean resp3, long loginVersion) {

    HandshakeResult with(Transport other) {
        return new HandshakeResult(other, fusibleKinds, resp3, loginVersion);
    }
}
