// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

/** The role of the server that a connection attempt looks for. */
public enum WantedRole {
    /** Any server: the attempt uses the first address that accepts a connection. */
    ANY,
    /** A primary, if the host name has several addresses. If no address has a primary, any server. */
    PRIMARY_IF_SEVERAL,
    /** Like {@link #PRIMARY_IF_SEVERAL}, and the role of the server is always read. */
    PRIMARY
}
