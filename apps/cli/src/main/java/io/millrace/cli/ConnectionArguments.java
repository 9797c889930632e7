// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The typed connection options. Their short names are the same as in redis-cli. */
final class ConnectionArguments {

    @Option(
            names = {"-u", "--uri"},
            paramLabel = "URI",
            description = "redis://user:password@host:6379/0, or rediss:// for TLS. Default: REDIS_URL.")
    Optional<String> uri = Optional.empty();

    @Option(names = "-h", paramLabel = "HOST", description = "Host of the server. Default: 127.0.0.1.")
    Optional<String> host = Optional.empty();

    @Option(names = "-p", paramLabel = "PORT", description = "${bundle:setting-p}")
    Optional<Integer> port = Optional.empty();

    @Option(
            names = "-a",
            paramLabel = "PASSWORD",
            description = "Password. Other users of this machine can see it: prefer REDISCLI_AUTH or --password-file.")
    Optional<String> password = Optional.empty();

    @Option(names = "--user", paramLabel = "NAME", description = "ACL user. Default: the default user.")
    Optional<String> user = Optional.empty();

    @Option(names = "--password-file", paramLabel = "FILE", description = "File with the password in its first line.")
    Optional<Path> passwordFile = Optional.empty();

    @Option(names = "--password-stdin", description = "The first line of standard input is the password.")
    boolean passwordStdin;

    @Option(names = "-n", paramLabel = "NUMBER", description = "${bundle:setting-n}")
    Optional<Integer> database = Optional.empty();

    @Option(names = "--tls", description = "Use TLS.")
    boolean tls;

    @Option(
            names = "--cacert",
            paramLabel = "FILE",
            description = "PEM file with the trusted certificates. Default: the trust store of the JDK.")
    Optional<Path> caCertificate = Optional.empty();

    @Option(names = "--cert", paramLabel = "FILE", description = "PEM file with the client's certificate.")
    Optional<Path> certificate = Optional.empty();

    @Option(names = "--tls-key", paramLabel = "FILE", description = "PEM file with the client's private key.")
    Optional<Path> privateKey = Optional.empty();

    @Option(
            names = "--sni",
            paramLabel = "NAME",
            description = "Server name for SNI and for the certificate check. Default: the host.")
    Optional<String> serverName = Optional.empty();

    @Option(
            names = "--insecure",
            description = "Do not verify the server's certificate. The connection can then be intercepted.")
    boolean insecure;
}
