// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

/** What travels from one side of a connection to the other, in order. */
sealed interface Cargo {

    /** Bytes of the stream. */
    final class Bytes implements Cargo {

        /** As long as they are; nobody changes it. */
        final byte[] array;

        /** Takes {@code array} over. */
        Bytes(byte[] array) {
            this.array = array;
        }
    }

    /** What TCP says beside the bytes. */
    enum Signal implements Cargo {
        /** The client wants to be connected. */
        OPEN,
        /** The target has accepted. */
        OPENED,
        /** Nothing more comes from this side. */
        END,
        /** The connection has failed on this side. */
        RESET
    }

    /** The length of the stream that this is. */
    default int length() {
        return switch (this) {
            case Bytes data -> data.array.length;
            case Signal signal -> 0;
        };
    }
}
