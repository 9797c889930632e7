// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** The RESP version that a connection requests from the server. */
public enum Protocol {
    /** RESP3 if the server supports it, otherwise RESP2. */
    RESP3,
    /** RESP2, even if the server supports RESP3. For proxies that support RESP2 only. */
    RESP2
}
