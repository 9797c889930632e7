// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.KeySlot;
import io.millrace.client.RedisUri;
import io.millrace.client.internal.connect.AnnouncedAddresses;
import io.millrace.resp.Reply;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An error reply that names another node: {@code MOVED 3999 127.0.0.1:6381} if the slot has moved, {@code ASK …} if only
 * this command must go there. The server has not executed the command.
 *
 * @param asks whether the redirect is {@code ASK}
 * @param slot slot of the command
 * @param address address at which this client reaches the other node
 */
public record Redirect(boolean asks, int slot, RedisUri.Tcp address) {

    /** The host may be empty, and may be an IPv6 address without brackets. */
    private static final Pattern FORM = Pattern.compile("(MOVED|ASK) ([0-9]{1,5}) (\\S*):([0-9]{1,5})");

    /**
     * Reads an error reply. Returns null if the error is no redirect, or names no node that a client can reach.
     *
     * @param asked address of the node that has replied; a redirect without a host names the same host
     * @param announced reads the address that the node names
     */
    public static @Nullable Redirect of(Reply.ErrorReply error, RedisUri.Tcp asked, AnnouncedAddresses announced) {
        if (!isRedirect(error)) {
            return null;
        }
        Matcher form = FORM.matcher(error.message());
        if (!form.matches()) {
            return null;
        }
        int slot = Integer.parseInt(form.group(2));
        RedisUri.Tcp address = announced.read(form.group(3), Integer.parseInt(form.group(4)), asked);
        return slot < KeySlot.COUNT && address != null
                ? new Redirect(form.group(1).equals("ASK"), slot, address)
                : null;
    }

    /** Whether the error has the form of a redirect. Cheap, because each error reply is tested. */
    static boolean isRedirect(Reply.ErrorReply error) {
        return error.message().startsWith("MOVED ") || error.message().startsWith("ASK ");
    }
}
