// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

/** What one direction of one connection holds. Its fields belong to the lock of its {@link DelayLine}. */
final class Account {

    /** Told that there is room again after there was none: once, without the lock, by the thread that made room. */
    final Runnable whenRoom;

    long heldBytes;

    Account(Runnable whenRoom) {
        this.whenRoom = whenRoom;
    }
}
