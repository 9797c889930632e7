// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.WorkContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * RIOT or RIOT-X, where the program is installed: rows into hashes.
 *
 * @param program {@code riot} or {@code riotx}
 */
record Riot(String program, RowSource source) implements ProcessContender.Program {

    private static final String RIOT = "riot";
    private static final String RIOT_X = "riotx";

    /** RIOT and RIOT-X. Each contender needs a separate source. */
    static List<ProcessContender> both(RowSource riot, RowSource riotX) {
        return List.of(
                contender(new Riot(RIOT, riot), "https://redis.github.io/riot/"),
                contender(new Riot(RIOT_X, riotX), "https://redis.github.io/riotx/"));
    }

    private static ProcessContender contender(Riot riot, String documentation) {
        String note = (riot.source.isTable() ? "db-import" : "file-import --header")
                + " with hset, otherwise default options; with the start of the process";
        return new ProcessContender(
                new Description(riot.program, "", note, documentation), riot, target -> missing(riot.program, target));
    }

    private static Optional<String> missing(String program, Target target) {
        return ExternalPrograms.missing(program, program + " from github.com/redis/" + program)
                .or(() -> target.password()
                        .map(password -> program + " takes a password as an argument, and every user of this machine"
                                + " could read the argument. Use a server without a password."))
                .or(() -> target.socket().isPresent() || target.certificate().isPresent()
                        ? Optional.of(
                                program + " is measured over TCP without TLS. Name a host and a port without TLS.")
                        : Optional.empty());
    }

    @Override
    public void prepare(WorkContext context) throws IOException {
        source.prepare(context);
    }

    @Override
    public ProcessContender.Invocation invocation(WorkContext context) {
        var target = context.target();
        var server = List.of("-u", "redis://" + target.host() + ":" + target.port() + "/" + target.database());
        var command = new ArrayList<>(List.of(program));
        if (program.equals(RIOT)) {
            command.addAll(server);
        }
        if (source.isTable()) {
            command.addAll(List.of("db-import", "SELECT * FROM " + RowSource.TABLE));
            command.addAll(List.of("--jdbc-url", source.location(context)));
        } else {
            command.addAll(List.of("file-import", "--header", source.location(context)));
        }
        if (program.equals(RIOT_X)) {
            command.addAll(server);
            command.addAll(List.of("hset", RowData.KEYSPACE + ":#{id}"));
        } else {
            command.addAll(List.of("hset", "--keyspace", RowData.KEYSPACE, "--keys", "id"));
        }
        return ProcessContender.Invocation.of(command);
    }

    /** The check of the server compares the number of commands and the data. */
    @Override
    public RoundDetails details(WorkContext context, ProcessContender.Ended ended) {
        if (ended.exitCode() != 0) {
            throw ExternalPrograms.failure(program + " failed", ended);
        }
        return RoundDetails.NONE;
    }

    @Override
    public long operations(WorkContext context) {
        return source.rows();
    }

    @Override
    public void release(WorkContext context) throws IOException {
        source.release();
    }
}
