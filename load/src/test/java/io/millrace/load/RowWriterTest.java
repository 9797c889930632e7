// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.command.CommandSpec;
import io.millrace.load.source.Column;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashRestore;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.RowMapping;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply.ErrorReply;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class RowWriterTest {

    private static final Target TARGET = StringTarget.of("k:{id}", "id");
    private static final Outcome REFUSED = new Outcome.Failed(new ErrorReply("BUSY Redis is busy running a script."));

    private final List<Object> arguments = new ArrayList<>();

    /** A connection may report outcomes of earlier rows while a command begins. */
    @Test
    void rowKeepsItsKeyIfAnEarlierRowIsRefusedWhileTheCommandBegins() {
        RowMapping mapping = bound();
        RowWriter rows = new RowWriter(false, mapping, bound(), null, recovery(), null);
        BulkWriter refusing = writer(() -> assertThat(rows.needsRetry(row(1), mapping.command(), REFUSED, true))
                .isTrue());
        var unused = mapping.prepare(row(2));

        rows.begin(row(2), refusing);
        rows.beginRetry(row(3), refusing);

        assertThat(arguments).containsExactly("k:2", "2", "k:3", "3");
    }

    /** The error of a fused script concerns perhaps another row, and not the import. */
    @Test
    void onlyARefusedImportStopsTheImports() {
        Target target = HashTarget.of("k:{id}").withReplaceRow();
        RowMapping mapping = target.bind(List.of(new Column("id")));
        RowImporter importing = new HashRestorer(mapping.hashRestore().orElseThrow(), HashLimits.NONE);
        RowWriter rows =
                new RowWriter(false, mapping, target.bind(List.of(new Column("id"))), importing, recovery(), null);
        List<CommandSpec<?>> begun = new ArrayList<>();
        BulkWriter writer = writer(() -> {}, begun::add);
        Outcome fused = new Outcome.Failed(new ErrorReply("ERR no such luck", true));

        assertThat(rows.needsRetry(row(1), mapping.command(), fused, false)).isTrue();
        begin(rows, row(2), writer);
        assertThat(rows.needsRetry(row(3), HashRestore.RESTORE, fused, false)).isTrue();
        begin(rows, row(4), writer);

        assertThat(begun).containsExactly(HashRestore.RESTORE, mapping.command());
    }

    private static void begin(RowWriter rows, Row row, BulkWriter writer) {
        var unused = rows.mapping().prepare(row);
        rows.begin(row, writer);
    }

    private static Recovery recovery() {
        return new Recovery(false, new CancelSignal(), Duration.ZERO, Optional.empty(), warning -> {});
    }

    private static RowMapping bound() {
        return TARGET.bind(List.of(new Column("id")));
    }

    private static Row row(long id) {
        Row row = new Row();
        row.clear(id, 0);
        row.add(id);
        return row;
    }

    /** Runs {@code atBegin} at the begin of each command, and collects the arguments. */
    private BulkWriter writer(Runnable atBegin) {
        return writer(atBegin, command -> {});
    }

    private BulkWriter writer(Runnable atBegin, Consumer<CommandSpec<?>> begun) {
        return (BulkWriter) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {BulkWriter.class}, (proxy, method, values) -> {
                    if (method.getName().equals("begin")) {
                        atBegin.run();
                        begun.accept((CommandSpec<?>) values[0]);
                    } else if (method.getName().equals("arg") && values.length == 3) {
                        arguments.add(new String(
                                (byte[]) values[0], (int) values[1], (int) values[2], StandardCharsets.UTF_8));
                    }
                    return proxy;
                });
    }
}
