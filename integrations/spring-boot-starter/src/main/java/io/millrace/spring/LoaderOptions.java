// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.ClientOptions;
import io.millrace.client.CommandListener;

/** The options of the connections of loads. */
final class LoaderOptions {

    private LoaderOptions() {}

    /**
     * Returns {@code client} for loads. A load connects at once, so that it fails in the connect timeout if the server is
     * away. Its few calls are not measured as commands of the application.
     */
    static ClientOptions of(ClientOptions client) {
        return new ClientOptions(
                client.uri(),
                client.credentials(),
                client.tls(),
                client.protocol(),
                client.addressResolver(),
                client.addressMap(),
                client.connectTimeout(),
                client.commandTimeout(),
                false,
                client.connections(),
                client.inFlight(),
                client.inFlightBytes(),
                client.overflow(),
                client.pingAfterSilence(),
                client.pool(),
                client.callbacks(),
                client.reconnectDelay(),
                client.maxReconnectDelay(),
                client.replyLimits(),
                client.pushListener(),
                CommandListener.NONE,
                client.fusion(),
                client.socket(),
                client.name());
    }
}
