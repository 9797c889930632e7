// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * Provides the credentials of each login, for passwords that change and tokens that expire.
 *
 * <p>The client asks for credentials at each connection attempt, after the server has accepted the TCP or TLS
 * connection. So a login after a lost connection uses the newest credentials. Open connections keep their login until
 * {@link RedisClient#renewLogin} is called.
 *
 * <p>The default provider always returns the user and password of the {@link RedisUri}.
 */
@FunctionalInterface
public interface CredentialsProvider {

    /**
     * Returns the credentials for the next login.
     *
     * <p>The client calls this method on a platform thread of its own, and never from two threads at the same time. The
     * method may block, but a slow call delays all connection attempts of the client. A provider that fetches tokens
     * from another system should fetch them in advance and return the last one.
     *
     * <p>The time of the call counts against the connect timeout ({@link ClientOptions#CONNECT_TIMEOUT}). After this
     * timeout, or when the client is closed, the thread is interrupted and the result is ignored. If the method throws
     * an exception, returns null or is too slow, the login counts as refused: {@link RedisClient#connect} fails, and
     * the replacement of a lost connection is tried again after the longest delay. The message of the client then
     * contains the class of the exception and not its message, because the message may contain a secret.
     *
     * @throws Exception if there are no credentials at present
     */
    Credentials credentials() throws Exception;
}
