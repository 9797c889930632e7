// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.AddressMap;
import io.millrace.client.RedisUri;
import java.nio.file.Path;
import java.util.List;

/** The typed connection options. Their short names are the same as in redis-cli. */
final class ConnectionArguments {

    final OptionGroup group = new OptionGroup("Server (also before the name of the command; -h is the host):");

    final Option<String> uri = group.text(
            "-u,--uri",
            "URI",
            "redis://user:password@host:6379/0, or rediss:// for TLS, or unix:///path?db=0. With Sentinels: "
                    + "redis-sentinel://user:password@host1:26379,host2:26379/0#name. For a cluster: "
                    + "redis-cluster://user:password@host1:6379,host2:6379. valkey:// and valkeys:// are the same "
                    + "as redis:// and rediss://. Default: REDIS_URL.");

    final Option<String> host = group.text("-h,--host", "HOST", "Host of the server. Default: 127.0.0.1.");

    final Option<Integer> port = group.setting("-p,--port", "PORT", RedisUri.PORT, WholeNumber::parseInt);

    final Option<Boolean> cluster =
            group.flag("-c,--cluster", "The server is a node of a cluster, and the rows belong to all its nodes.");

    final Option<List<String>> map = group.repeatable(
            "--map",
            "FROM=TO",
            "Address of a node or primary as this machine reaches it, if a cluster or Sentinels announce another one: "
                    + "host:port=host:port, or host=host for all ports. Repeatable.",
            AddressMap::of);

    final Option<Path> socket = group.file("-s,--socket", "Unix socket of the server, instead of host and port.");

    final Option<String> password = group.text(
            "-a",
            "PASSWORD",
            "Password. Other users of this machine can see it: prefer REDISCLI_AUTH or --password-file.");

    final Option<String> user = group.text("--user", "NAME", "ACL user. Default: the default user.");

    final Option<Path> passwordFile = group.file("--password-file", "File with the password in its first line.");

    final Option<Boolean> passwordStdin =
            group.flag("--password-stdin", "The first line of standard input is the password.");

    final Option<Boolean> askPassword =
            group.flag("--askpass", "Ask for the password on the terminal. Without a password, --user asks too.");

    final Option<String> sentinelUser =
            group.text("--sentinel-user", "NAME", "ACL user of the Sentinels. Default: the default user.");

    final Option<Path> sentinelPasswordFile = group.file(
            "--sentinel-password-file",
            "File with the password of the Sentinels in its first line. Default: MILLRACE_SENTINEL_PASSWORD.");

    final Option<Integer> database = group.setting("-n", "NUMBER", RedisUri.DATABASE, WholeNumber::parseInt);

    final Option<Boolean> tls = group.flag("--tls", "Use TLS.");

    final Option<Path> caCertificate =
            group.file("--cacert", "PEM file with the trusted certificates. Default: the trust store of the JDK.");

    final Option<Path> certificate = group.file("--cert", "PEM file with the client's certificate.");

    final Option<Path> privateKey = group.file("--tls-key", "PEM file with the client's private key.");

    final Option<String> serverName =
            group.text("--sni", "NAME", "Server name for SNI and for the certificate check. Default: the host.");

    final Option<Boolean> insecure =
            group.flag("--insecure", "Do not verify the server's certificate. The connection can then be intercepted.");
}
