// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

/** A client that may hold commands of {@link ClientAdapter#send} back, until enough of them are there. */
public interface FlushingClient extends ClientAdapter {

    /** Sends the commands that are held back. The lab calls this method before it waits for replies. */
    void flush() throws Exception;
}
