// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ClientOptions;
import io.millrace.client.ConnectException;
import io.millrace.client.ConnectException.Reason;
import io.millrace.client.RedisUri;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/** Opens transports and makes them ready: TCP, TLS, handshake, all within one time limit. */
final class Connector {

    private Connector() {}

    /**
     * A transport on which the handshake is done.
     *
     * @throws ConnectException if there is none to be had
     */
    static Transport connect(ClientOptions options) {
        // A virtual thread that blocks in a channel makes the channel non-blocking for good.
        return Thread.currentThread().isVirtual() ? onPlatformThread(options) : connectHere(options);
    }

    private static Transport onPlatformThread(ClientOptions options) {
        FutureTask<Transport> connecting = new FutureTask<>(() -> connectHere(options));
        Thread.ofPlatform().name("millrace-connect").daemon().start(connecting);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return connecting.get();
                } catch (InterruptedException e) {
                    // Connecting has a time limit of its own.
                    interrupted = true;
                } catch (java.util.concurrent.ExecutionException e) {
                    if (e.getCause() instanceof ConnectException failure) {
                        throw failure;
                    }
                    throw new CompletionException(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Transport connectHere(ClientOptions options) {
        long deadline = System.nanoTime() + options.connectTimeout().toNanos();
        Transport transport = open(options, deadline);
        try {
            new Handshake(transport, options, deadline).perform();
            return transport;
        } catch (RuntimeException e) {
            transport.close();
            throw e;
        }
    }

    private static Transport open(ClientOptions options, long deadline) {
        RedisUri uri = options.uri();
        InetSocketAddress address = new InetSocketAddress(uri.host(), uri.port());
        if (address.isUnresolved()) {
            throw new ConnectException(
                    Reason.UNREACHABLE,
                    "cannot connect to " + uri + ": the host name " + uri.host()
                            + " is not known. Check host and port.",
                    null);
        }
        try {
            return uri.tls()
                    ? openTls(options, address, deadline)
                    : TcpTransport.connect(address, millisUntil(deadline));
        } catch (SSLException e) {
            throw new ConnectException(
                    Reason.TLS,
                    "cannot agree on TLS with " + uri + ": " + e.getMessage()
                            + ". Check that the port speaks TLS, and certificate and host name.",
                    e);
        } catch (GeneralSecurityException e) {
            throw new ConnectException(Reason.TLS, "cannot use the TLS settings for " + uri + ": " + e.getMessage(), e);
        } catch (SocketTimeoutException e) {
            throw new ConnectException(
                    Reason.UNREACHABLE,
                    "cannot connect to " + uri + ": no answer within "
                            + options.connectTimeout().toMillis() + " ms"
                            + (uri.tls()
                                    ? ". Check that the port speaks TLS, and host and port."
                                    : ". Check host and port."),
                    e);
        } catch (IOException e) {
            throw new ConnectException(
                    Reason.UNREACHABLE,
                    "cannot connect to " + uri + ": " + describe(e)
                            + ". Check host and port, and that the server runs.",
                    e);
        }
    }

    private static Transport openTls(ClientOptions options, InetSocketAddress address, long deadline)
            throws IOException, GeneralSecurityException {
        String serverName = options.tls().serverName().orElse(options.uri().host());
        return TlsTransport.connect(
                address,
                TlsContext.socketFactory(options.tls()),
                serverName,
                !options.tls().insecure(),
                millisUntil(deadline));
    }

    static int millisUntil(long deadline) throws SocketTimeoutException {
        long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (millis <= 0) {
            throw new SocketTimeoutException("timed out");
        }
        return (int) millis;
    }

    static String describe(Exception e) {
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
    }
}
