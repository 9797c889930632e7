// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which server, and who asks, as typed. The short names are those of redis-cli. */
final class ConnectionArguments {

    @Option(
            names = {"-u", "--uri"},
            paramLabel = "URI",
            description = "redis://user:password@host:6379/0, or rediss:// for TLS. Default: REDIS_URL.")
    Optional<String> uri = Optional.empty();

    @Option(names = "-h", paramLabel = "HOST", description = "Host of the server. Default: 127.0.0.1.")
    Optional<String> host = Optional.empty();

    @Option(names = "-p", paramLabel = "PORT", description = "Port of the server. Default: 6379.")
    Optional<Integer> port = Optional.empty();

    @Option(
            names = "-a",
            paramLabel = "PASSWORD",
            description = "Password. Others on this machine can see it: better REDISCLI_AUTH or --password-file.")
    Optional<String> password = Optional.empty();

    @Option(names = "--user", paramLabel = "NAME", description = "User, where the server has ACL users.")
    Optional<String> user = Optional.empty();

    @Option(names = "--password-file", paramLabel = "FILE", description = "Its first line is the password.")
    Optional<Path> passwordFile = Optional.empty();

    @Option(names = "--password-stdin", description = "The first line of standard input is the password.")
    boolean passwordStdin;

    @Option(names = "-n", paramLabel = "NUMBER", description = "Database of the server. Default: 0.")
    Optional<Integer> database = Optional.empty();

    @Option(names = "--tls", description = "Talk TLS.")
    boolean tls;

    @Option(
            names = "--cacert",
            paramLabel = "FILE",
            description = "PEM file with the certificates to trust. Default: those of the JDK.")
    Optional<Path> caCertificate = Optional.empty();

    @Option(names = "--cert", paramLabel = "FILE", description = "PEM file with the client's certificate.")
    Optional<Path> certificate = Optional.empty();

    @Option(names = "--tls-key", paramLabel = "FILE", description = "PEM file with the client's private key.")
    Optional<Path> privateKey = Optional.empty();

    @Option(names = "--sni", paramLabel = "NAME", description = "Server name to ask for and to verify.")
    Optional<String> serverName = Optional.empty();

    @Option(
            names = "--insecure",
            description = "Do not verify the server's certificate. Anybody in between can then read along.")
    boolean insecure;
}
