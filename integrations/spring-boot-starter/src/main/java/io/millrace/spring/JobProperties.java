// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.LoadOptions.OnError;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The keys {@code millrace.load.jobs.<name>.*}: the trigger, the source, the target and the options of one job. A job whose
 * plan is a bean has the keys of the trigger only.
 *
 * @param when When the job runs at start.
 * @param required Whether the start fails if the job does not complete.
 * @param deadline Maximum time of the job. Then the job counts as stopped.
 * @param cron Times at which the job runs again, in the form of Spring: second, minute, hour, day, month, weekday.
 * @param oncePer Time during which the instances of a fleet load once. Zero: each instance loads.
 * @param table Table to read, or schema.table.
 * @param query Query whose rows are read.
 * @param csv CSV files to read: paths, or locations such as classpath:prices.csv.
 * @param csvFormat Form of the CSV files.
 * @param dataSource Name of the bean of the data source. Default: the only or the primary data source.
 * @param fetchSize Number of rows that the database driver fetches per round trip.
 * @param key Key of a row: a template over its columns, such as customer:{id}.
 * @param as Type of the keys: string, hash, json, list, set, zset, stream or bitmap.
 * @param value Column or template of the value, of the element, or of the member.
 * @param field Template of a field name. Each row is then one field of a hash.
 * @param fields Columns of a hash or a JSON document. Default: all.
 * @param exclude Columns to leave out.
 * @param score Column with the score of a member of a sorted set.
 * @param offset Column with the offset of the bit that is set.
 * @param jsonSet Whether JSON documents are written with JSON.SET.
 * @param ttl Expiry of the keys.
 * @param ttlField Column with the expiry of the row's key.
 * @param ttlJitter Maximum part of the expiry that is subtracted, depending on the key, such as 0.1.
 * @param nullText Text that is written for NULL. Default: a NULL field is left out.
 * @param jsonNull Whether a JSON document contains null for NULL.
 * @param onlyMissing Whether a row is left out if its key exists.
 * @param replaceRow Whether a hash is deleted before its row is written.
 * @param bucket Packing of strings into hashes.
 * @param connections Number of connections to the server.
 * @param inFlight Maximum number of commands in flight per connection.
 * @param inFlightBytes Maximum number of bytes in flight per connection.
 * @param timeout Maximum wait for the reply to a command.
 * @param limit Maximum number of rows to read.
 * @param rate Maximum number of rows per second.
 * @param onError Whether the load stops at the first rejected row, or skips rejected rows.
 * @param maxErrors Maximum number of rejected rows before the load stops.
 * @param rejects File for the rejected rows.
 * @param verify Share of the rows that is read back after the load: none, full, or a percentage such as 1%.
 * @param differences File for the differences that the verification finds.
 * @param dryRun Whether the load only reads and maps the rows.
 * @param fusion Whether the commands of adjacent rows may be sent as one command.
 * @param patience Maximum wait for a server that accepts no rows at present.
 * @param reload How the rows replace the data of the last run of the job.
 * @param checkpoint Record of the rows that are done, with which a later start continues the load.
 */
record JobProperties(
        @Nullable LoadTrigger when,
        @DefaultValue("true") boolean required,
        @DefaultValue("1h") Duration deadline,
        @Nullable String cron,
        @DefaultValue("0s") Duration oncePer,
        @Nullable String table,
        @Nullable String query,
        @DefaultValue List<String> csv,
        @DefaultValue CsvFormat csvFormat,
        @Nullable String dataSource,
        @Nullable Integer fetchSize,
        @Nullable String key,
        @Nullable TargetKind as,
        @Nullable String value,
        @Nullable String field,
        @DefaultValue List<String> fields,
        @DefaultValue List<String> exclude,
        @Nullable String score,
        @Nullable String offset,
        @DefaultValue("false") boolean jsonSet,
        @Nullable Duration ttl,
        @Nullable String ttlField,
        @Nullable Double ttlJitter,
        @Nullable String nullText,
        @DefaultValue("false") boolean jsonNull,
        @DefaultValue("false") boolean onlyMissing,
        @DefaultValue("false") boolean replaceRow,
        @DefaultValue Bucket bucket,
        @Nullable Integer connections,
        @Nullable Integer inFlight,
        @Nullable DataSize inFlightBytes,
        @Nullable Duration timeout,
        @Nullable Long limit,
        @Nullable Long rate,
        @Nullable OnError onError,
        @Nullable Long maxErrors,
        @Nullable String rejects,
        @Nullable String verify,
        @Nullable String differences,
        @DefaultValue("false") boolean dryRun,
        @DefaultValue("true") boolean fusion,
        @Nullable Duration patience,
        @DefaultValue Reload reload,
        @DefaultValue Checkpoint checkpoint) {

    /** The types of keys, as the command line calls them. */
    enum TargetKind {
        STRING,
        HASH,
        JSON,
        LIST,
        SET,
        ZSET,
        STREAM,
        BITMAP
    }

    /**
     * Form of the CSV files.
     *
     * @param delimiter Character between fields. Default: a comma, or a tab for files that end in .tsv.
     * @param quote Character around fields, or none.
     * @param encoding Character set of the files, such as ISO-8859-1.
     * @param columns Names of the columns of files without a header line.
     * @param nullText Text that means NULL in an unquoted field, such as \\N.
     * @param skipLines Number of lines that are skipped at the beginning of a file.
     * @param comment A line that begins with this character is skipped.
     * @param types Kinds of the values: infer, or a column and its type, such as age:int.
     * @param fieldLimit Maximum length of a field.
     */
    record CsvFormat(
            @Nullable String delimiter,
            @Nullable String quote,
            @Nullable String encoding,
            @DefaultValue List<String> columns,
            @Nullable String nullText,
            @Nullable Integer skipLines,
            @Nullable String comment,
            @DefaultValue List<String> types,
            @Nullable DataSize fieldLimit) {}

    /**
     * Packing of strings into hashes.
     *
     * @param size Number of fields of a hash.
     * @param pairs Maximum number of pairs of key and value, for keys that do not end in a number.
     * @param aboveLimit Whether the size may be above the limit of the server for compact hashes.
     */
    record Bucket(
            @Nullable Integer size,
            @Nullable Long pairs,
            @DefaultValue("false") boolean aboveLimit) {}

    /**
     * Replacement of the data of the last run.
     *
     * @param swap Whether rows are written to shadow keys, which replace the keys after the whole load has succeeded.
     * @param prune Whether a successful load removes the keys that the job does not write any more.
     * @param job Name of the job in Redis. Default: the name of the load job.
     */
    record Reload(
            @DefaultValue("false") boolean swap,
            @DefaultValue("false") boolean prune,
            @Nullable String job) {}

    /**
     * Checkpoint of a load.
     *
     * @param name Name of the checkpoint. Without a name, there is no checkpoint.
     * @param directory Folder of the checkpoint, if it is a file. Default: the working directory.
     * @param resume Whether the load continues an earlier load. Without such a load, it begins with the first row.
     * @param serverKeptData Whether the load may continue although the server was restarted or has fewer keys than before.
     */
    record Checkpoint(
            @Nullable String name,
            @Nullable String directory,
            @DefaultValue("false") boolean resume,
            @DefaultValue("false") boolean serverKeptData) {}

    /** The trigger; a job without the key runs before the application is ready. */
    LoadTrigger trigger() {
        return when == null ? LoadTrigger.BEFORE_READY : when;
    }

    /**
     * The keys of the source and the target, and of the options that decide which rows are written, as text. Two jobs with
     * the same text load the same data.
     */
    String planText() {
        return String.join(
                "\n",
                "table=" + table,
                "query=" + query,
                "csv=" + csv,
                "csvFormat=" + csvFormat,
                "dataSource=" + dataSource,
                "target=" + List.of(String.valueOf(key), String.valueOf(as), String.valueOf(value)),
                "columns=" + field + fields + exclude + score + offset + jsonSet,
                "expiry=" + ttl + "," + ttlField + "," + ttlJitter,
                "form=" + nullText + "," + jsonNull + "," + onlyMissing + "," + replaceRow + "," + bucket,
                "reload=" + reload,
                "limit=" + limit,
                "verify=" + verify,
                "onError=" + onError + "," + maxErrors,
                "dryRun=" + dryRun);
    }
}
