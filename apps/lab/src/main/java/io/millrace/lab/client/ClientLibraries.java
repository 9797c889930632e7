// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import io.millrace.lab.client.UsageMode.Capability;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
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

    /**
     * {@link #ALL} and the clients of the user: the services {@link ClientAdapter} that the context class loader of this
     * thread finds.
     */
    public static List<ClientLibrary> all() {
        var own = ServiceLoader.load(ClientAdapter.class).stream().map(ClientLibraries::ofUser);
        return Stream.concat(ALL.stream(), own).toList();
    }

    /** The library called {@code name}, of {@link #all}. */
    public static ClientLibrary named(String name) {
        var all = all();
        return all.stream()
                .filter(library -> library.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such client: name=" + name + ". There are: "
                        + all.stream().map(ClientLibrary::name).toList()));
    }

    private static ClientLibrary ofUser(ServiceLoader.Provider<ClientAdapter> provider) {
        var type = provider.type();
        var mode = new UsageMode("", "client of the user, class " + type.getName(), capabilities(type), provider);
        return new ClientLibrary(type.getSimpleName().toLowerCase(Locale.ROOT), "", List.of(mode));
    }

    /** The methods that the class implements. The lab cannot know what {@code open} supports and assumes everything. */
    private static Set<Capability> capabilities(Class<? extends ClientAdapter> type) {
        var capabilities = EnumSet.of(Capability.TLS, Capability.UNIX_SOCKET, Capability.CLUSTER);
        if (implementsMethod(type, "call", Operation.class)) {
            capabilities.add(Capability.CALL);
        }
        if (implementsMethod(type, "send", Operation.class)) {
            capabilities.add(Capability.SEND);
        }
        if (implementsMethod(type, "batch", List.class)) {
            capabilities.add(Capability.BATCH);
        }
        if (BorrowingClient.class.isAssignableFrom(type)) {
            capabilities.add(Capability.BORROW);
        }
        return capabilities;
    }

    private static boolean implementsMethod(Class<?> type, String name, Class<?> parameter) {
        try {
            return type.getMethod(name, parameter).getDeclaringClass() != ClientAdapter.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("the interface has no such method: name=" + name, e);
        }
    }

    private ClientLibraries() {}
}
