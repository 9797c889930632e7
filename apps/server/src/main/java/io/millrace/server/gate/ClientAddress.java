// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import jakarta.servlet.ServletRequest;

/** The address by which clients are counted. */
public final class ClientAddress {

    private static final int PREFIX_GROUPS = 4;

    private ClientAddress() {}

    /**
     * The address of the connection. Of an IPv6 address, only the first 64 bits count, because one client can use all
     * addresses of this network. Headers of proxies do not count: any client can send them.
     */
    public static String of(ServletRequest request) {
        return counted(request.getRemoteAddr());
    }

    static String counted(String address) {
        if (address.indexOf(':') < 0) {
            return address;
        }
        String[] groups = address.split(":", -1);
        StringBuilder prefix = new StringBuilder();
        for (int i = 0; i < Math.min(PREFIX_GROUPS, groups.length); i++) {
            prefix.append(groups[i]).append(':');
        }
        return prefix.toString();
    }
}
