// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import java.util.List;

/** The client libraries, one line each. */
public final class ClientLibraries {

    public static final List<ClientLibrary> ALL = List.of();

    private ClientLibraries() {}
}
