// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** Which version of Redis's protocol a connection asks for. */
public enum Protocol {
    /** Version 3 where the server knows it, otherwise 2. */
    RESP3,
    /** Version 2, even if the server knows 3: for proxies that do not. */
    RESP2
}
