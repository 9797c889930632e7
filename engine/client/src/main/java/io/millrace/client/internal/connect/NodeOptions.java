// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;

/** The options of a client, for one node of its cluster. */
public final class NodeOptions {

    private NodeOptions() {}

    /** Returns a copy of {@code client} with another address, and the same login. */
    public static ClientOptions of(ClientOptions client, RedisUri.Endpoint address) {
        RedisUri uri = client.uri().withEndpoint(address);
        ClientOptions.Builder options = ClientOptions.builder(uri);
        if (uri.password().isEmpty()) {
            options.credentials(client.credentials());
        }
        return options.tls(client.tls())
                .protocol(client.protocol())
                .addressResolver(client.addressResolver())
                .addressMap(client.addressMap())
                .connectTimeout(client.connectTimeout())
                .commandTimeout(client.commandTimeout())
                .connectLater(client.connectLater())
                .connections(client.connections())
                .inFlight(client.inFlight())
                .inFlightBytes(client.inFlightBytes())
                .overflow(client.overflow())
                .pingAfterSilence(client.pingAfterSilence())
                .poolSize(client.pool().size())
                .poolMaxIdle(client.pool().maxIdle())
                .callbacks(client.callbacks())
                .reconnectDelay(client.reconnectDelay(), client.maxReconnectDelay())
                .replyLimits(client.replyLimits())
                .pushListener(client.pushListener())
                .commandListener(client.commandListener())
                .fusion(client.fusion())
                .socket(client.socket())
                .name(client.name())
                .build();
    }
}
