// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.NodeCounts;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.target.Repetition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Reads a load report that {@link LoadReportJson} has written. */
final class LoadReportParser {

    private static final JsonFactory JSON = new JsonFactory();

    private LoadReportParser() {}

    /**
     * Returns the report in {@code json}.
     *
     * @throws IllegalArgumentException if the text is not the JSON of a report
     */
    static LoadReport parse(String json) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("not a JSON object");
            }
            return report(object(parser));
        } catch (RuntimeException malformed) {
            throw new IllegalArgumentException("not the JSON of a load report: " + malformed.getMessage(), malformed);
        }
    }

    private static LoadReport report(Members report) {
        return new LoadReport(
                ending(report),
                job(report),
                rows(report.object("rows")),
                commands(report.object("commands"), report.object("commands").count("submitted")),
                new FusionCounts(
                        report.object("fused").count("fusedBatches"),
                        report.object("fused").count("commands")),
                report.number("seconds"),
                report.number("cpuSeconds"),
                report.count("bytesSent"),
                report.count("peakInFlight"),
                times(report.object("time")),
                LoadReport.Bottleneck.valueOf(constant(report.text("bottleneck"))),
                report.optional(
                        "verified",
                        verified -> new LoadReport.Verified(verified.count("checked"), verified.count("mismatched"))),
                report.optional(
                        "server",
                        server -> new LoadReport.Server(
                                server.text("name"), server.text("version"), server.text("mode"))),
                details(report));
    }

    private static Ending ending(Members report) {
        String reason = report.has("reason") ? report.text("reason") : "";
        return switch (report.text("ending")) {
            case "completed" -> new Ending.Completed();
            case "stopped" -> new Ending.Stopped(reason);
            case "unverified" -> new Ending.Unverified(reason);
            case "interrupted" -> new Ending.Interrupted();
            case "failed" -> new Ending.Failed(reason);
            default -> throw new IllegalArgumentException("unknown ending " + report.text("ending"));
        };
    }

    private static LoadReport.Job job(Members report) {
        return new LoadReport.Job(
                LoadReport.Job.Kind.valueOf(constant(report.text("job"))),
                report.text("source"),
                report.text("target"),
                Instant.parse(report.text("started")));
    }

    private static RowCounts rows(Members rows) {
        return new RowCounts(
                rows.count("read"),
                rows.count("written"),
                rows.count("rejected"),
                rows.count("skipped"),
                rows.count("unconfirmed"));
    }

    private static CommandCounts commands(Members commands, long submitted) {
        return new CommandCounts(
                submitted,
                commands.count("ok"),
                commands.count("error"),
                commands.count("timedOut"),
                commands.count("refused"),
                commands.count("lost"),
                commands.count("pending"));
    }

    private static LoadReport.Times times(Members time) {
        return new LoadReport.Times(
                time.number("source"), time.number("mapping"), time.number("window"), time.number("socket"));
    }

    private static LoadReport.Details details(Members report) {
        return new LoadReport.Details(
                report.optional(
                        "rowsPerKey",
                        repeated -> new LoadReport.RowsPerKey(
                                repeated.count("rows"), repeated.count("keys"), repeated.flag("exact"))),
                report.list("unconfirmedRows").stream()
                        .map(range -> range((Members) range))
                        .toList(),
                report.has("evictedKeys") ? report.count("evictedKeys") : 0,
                report.list("warnings").stream().map(String.class::cast).toList(),
                report.has("repetition")
                        ? Repetition.valueOf(constant(report.text("repetition")))
                        : Repetition.CHANGES_NOTHING,
                report.optional("reloaded", LoadReportParser::reloaded),
                report.optional(
                        "checkpoint",
                        checkpoint -> new LoadReport.Checkpoint(
                                checkpoint.text("name"),
                                checkpoint.text("place"),
                                checkpoint.count("resumedAfter"),
                                checkpoint.count("rows"),
                                LoadReport.Checkpoint.State.valueOf(constant(checkpoint.text("state"))))),
                report.list("nodes").stream().map(node -> node((Members) node)).toList());
    }

    private static NodeCounts node(Members node) {
        long redirected = node.count("redirected");
        return new NodeCounts(
                node.text("node"), commands(node, node.count("submitted") - redirected), redirected);
    }

    private static ReloadResult reloaded(Members reloaded) {
        return new ReloadResult(
                reloaded.count("swapped"),
                reloaded.count("pruned"),
                reloaded.count("foreign"),
                reloaded.has("obstacle") ? Optional.of(reloaded.text("obstacle")) : Optional.empty(),
                reloaded.has("pending") && reloaded.flag("pending"));
    }

    private static RowRange range(Members range) {
        return new RowRange(
                range.count("firstRow"),
                range.count("lastRow"),
                range.has("firstLine") ? range.count("firstLine") : 0,
                range.has("lastLine") ? range.count("lastLine") : 0,
                range.count("unconfirmed"),
                range.has("file") ? range.text("file") : "");
    }

    /** The name of an enum constant for a word such as {@code dry-run}. */
    private static String constant(String word) {
        return word.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    private static Members object(JsonParser parser) {
        Map<String, Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            // A member of a later version may be null. The members of this version never are.
            if (parser.nextToken() != JsonToken.VALUE_NULL) {
                members.put(name, value(parser));
            }
        }
        return new Members(members);
    }

    private static Object value(JsonParser parser) {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> {
                List<Object> elements = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    if (parser.currentToken() != JsonToken.VALUE_NULL) {
                        elements.add(value(parser));
                    }
                }
                yield elements;
            }
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_STRING -> parser.getString();
            default -> throw new IllegalArgumentException("unexpected " + parser.currentToken());
        };
    }

    /** The members of a JSON object. */
    private record Members(Map<String, Object> values) {

        boolean has(String name) {
            return values.containsKey(name);
        }

        Members object(String name) {
            return (Members) required(name);
        }

        String text(String name) {
            return (String) required(name);
        }

        long count(String name) {
            return ((Number) required(name)).longValue();
        }

        double number(String name) {
            return ((Number) required(name)).doubleValue();
        }

        boolean flag(String name) {
            return (Boolean) required(name);
        }

        List<?> list(String name) {
            return has(name) ? (List<?>) required(name) : List.of();
        }

        <T> Optional<T> optional(String name, Function<Members, T> conversion) {
            return has(name) ? Optional.of(conversion.apply(object(name))) : Optional.empty();
        }

        private Object required(String name) {
            @Nullable Object value = values.get(name);
            if (value == null) {
                throw new IllegalArgumentException("the member " + name + " is missing");
            }
            return value;
        }
    }
}
