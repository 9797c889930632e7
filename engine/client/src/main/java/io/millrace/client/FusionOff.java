// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Fusion;

/**
 * A kind of fusion that the options request and that a connection does not use.
 *
 * @param kind kind of fusion that is off
 * @param reason why the kind is off
 * @param message details, such as the error reply of the server; contains no key, value or secret
 */
public record FusionOff(Fusion kind, OffReason reason, String message) {

    /** Why a kind of fusion is off. */
    public enum OffReason {
        /** The connection uses RESP2, or the server did not identify itself as Redis or Valkey. */
        UNKNOWN_SERVER,
        /** The server does not know the fused command. */
        UNKNOWN_COMMAND,
        /** The user may not run the fused command, or may not use all keys. */
        NOT_PERMITTED,
        /** The server replied with an unexpected error to the permission test. The next connection tests again. */
        UNDECIDED,
        /** The server refused a fused command. The kind stays off until the client is closed. */
        REFUSED
    }
}
