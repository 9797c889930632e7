// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.util.function.LongFunction;

/**
 * Sends a {@link CommandList} in one unit.
 *
 * @param lists makes the list with the given number of commands
 * @param size number of commands in one unit, if {@code --size} is not set
 * @param pattern how the commands are sent
 * @param warmUps how often the list is sent before the first round
 */
record CommandListWork(LibraryMode mode, LongFunction<CommandList> lists, long size, SendPattern pattern, int warmUps)
        implements Work {

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        CommandList list = lists.apply(
                pattern.waits()
                        ? sizeOverDistance(context)
                        : context.parameters().size(size));
        ClientAdapter adapter = mode.mode().open(mode.mode().sizedFor(context.target(), pattern.connections()));
        Ready ready = new Ready(adapter, new FusedFigures(adapter), list, pattern);
        for (int i = 0; i < warmUps; i++) {
            ready.run();
        }
        return ready;
    }

    /** A pattern that waits for each reply does a tenth over a proxy, unless the user has set the size. */
    private long sizeOverDistance(WorkContext context) {
        boolean isFar = !context.target().equals(context.direct());
        long usual = context.parameters().size(size);
        return isFar && context.parameters().size().isEmpty() ? Math.max(1, usual / 10) : usual;
    }

    private record Ready(ClientAdapter adapter, FusedFigures fused, CommandList list, SendPattern pattern)
            implements ReadyWork {

        @Override
        public void prepare() {
            fused.begin();
        }

        @Override
        public long run() throws Exception {
            pattern.style().send(adapter, list);
            return list.size();
        }

        @Override
        public RoundDetails details() {
            return fused.details();
        }

        @Override
        public void close() throws Exception {
            adapter.close();
        }
    }
}
