// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Arguments of {@code millrace load} as typed. */
@Command(
        name = "load",
        customSynopsis = "millrace load SOURCE --key TEMPLATE --as TYPE [options]",
        header = "Loads a table or a file into Redis and reports the outcome of every row.",
        description = "",
        sortOptions = false,
        usageHelpAutoWidth = true,
        footer = {
            "",
            "Environment: REDIS_URL, REDISCLI_AUTH, MILLRACE_DB_PASSWORD.",
            "",
            "Examples:",
            "  millrace load shop.csv --key 'customer:{id}' --as hash",
            "  millrace load shop.csv --key 'mail:{id}' --as string --value email --ttl 1h",
            "  millrace load jdbc:postgresql://db/shop --db-user me --table customers \\",
            "      --key 'customer:{id}' --as json --verify sample:1%% -u redis://cache:6379",
            "  zcat shop.tsv.gz | millrace load - --format tsv --key prices --field '{sku}' \\",
            "      --value price --as hash --rejects rejected.jsonl --json",
            ""
        })
final class LoadArguments {

    @Parameters(index = "0", paramLabel = "SOURCE", description = "One of: ${bundle:source-types}.")
    String source = "";

    @ArgGroup(validate = false, order = 1, heading = "%nMapping of rows:%n")
    TargetArguments target = new TargetArguments();

    @ArgGroup(validate = false, order = 2, heading = "%nSource:%n")
    SourceArguments from = new SourceArguments();

    @ArgGroup(validate = false, order = 3, heading = "%nServer (also before the word load; -h is the host):%n")
    ConnectionArguments connection = new ConnectionArguments();

    @ArgGroup(validate = false, order = 4, heading = "%nJob:%n")
    JobArguments job = new JobArguments();

    @ArgGroup(validate = false, order = 5, heading = "%nOutput:%n")
    OutputArguments output = new OutputArguments();

    @Option(names = "--debug", order = 6, description = "Show the stack trace of an error.")
    boolean debug;

    @Option(names = "--help", order = 7, usageHelp = true, description = "Show this help.")
    boolean help;
}
