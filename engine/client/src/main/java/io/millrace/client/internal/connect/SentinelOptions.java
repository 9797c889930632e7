// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;

/** The options of the connections to a Sentinel. */
public final class SentinelOptions {

    private SentinelOptions() {}

    /**
     * Returns options with the address of {@code sentinel} and the login of the Sentinels. TLS, time limits, socket and
     * name are those of the client.
     */
    public static ClientOptions of(ClientOptions client, RedisUri.Sentinels sentinels, RedisUri.Tcp sentinel) {
        RedisUri plain = RedisUri.of(sentinel.host(), sentinel.port())
                .withLogin(
                        sentinels.login().user().orElse(""),
                        sentinels.login().password().orElse(""));
        return ClientOptions.builder(client.uri().tls() ? plain.withTls() : plain)
                .tls(client.tls())
                .protocol(client.protocol())
                .addressResolver(client.addressResolver())
                .connectTimeout(client.connectTimeout())
                .commandTimeout(client.commandTimeout())
                .reconnectDelay(client.reconnectDelay(), client.maxReconnectDelay())
                .replyLimits(client.replyLimits())
                .socket(client.socket())
                .name(client.name())
                .build();
    }
}
