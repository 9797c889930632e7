// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import io.millrace.lab.client.UsageMode.Capability;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Stream;

/** The client libraries, one line each. */
public final class ClientLibraries {

    public static final List<ClientLibrary> ALL = List.of(
            JedisClients.LIBRARY,
            LettuceClients.LIBRARY,
            RedissonClients.LIBRARY,
            GlideClients.LIBRARY,
            SpringClients.LIBRARY,
            VertxClients.LIBRARY,
            MillraceClients.LIBRARY,
            RawSocketClient.LIBRARY);

    private static final Map<String, Capability> CAPABILITY_OF_METHOD = Map.of(
            "call", Capability.CALL, "send", Capability.SEND, "batch", Capability.BATCH, "borrow", Capability.BORROW);

    /**
     * {@link #ALL} and the clients of the user: the services {@link ClientAdapter} that the context class loader of this
     * thread finds.
     */
    public static List<ClientLibrary> all() {
        var own = ServiceLoader.load(ClientAdapter.class).stream().map(ClientLibraries::ofUser);
        return Stream.concat(ALL.stream(), own).toList();
    }

    private static ClientLibrary ofUser(ServiceLoader.Provider<ClientAdapter> provider) {
        var type = provider.type();
        var mode = new UsageMode("", "client of the user, class " + type.getName(), capabilities(type), provider);
        return new ClientLibrary(type.getSimpleName().toLowerCase(Locale.ROOT), "", List.of(mode));
    }

    /** The methods that the class implements. The lab cannot know what {@code open} supports and assumes everything. */
    private static Set<Capability> capabilities(Class<? extends ClientAdapter> type) {
        var capabilities = EnumSet.of(Capability.TLS, Capability.UNIX_SOCKET, Capability.CLUSTER, Capability.SENTINEL);
        for (var method : type.getMethods()) {
            var capability = CAPABILITY_OF_METHOD.get(method.getName());
            if (capability != null && method.getDeclaringClass() != ClientAdapter.class) {
                capabilities.add(capability);
            }
        }
        return capabilities;
    }

    private ClientLibraries() {}
}
