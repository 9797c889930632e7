// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.load.LoadEvent;

/** A load that runs. The threads of the load write its progress; any thread reads it. */
final class RunningLoad {

    private final LoadRecord start;
    private final RejectedRows rejected = new RejectedRows();

    /** Written by the threads of the load, one at a time. A reader sees the newest progress, and may miss earlier ones. */
    private volatile LoadProgress progress = LoadProgress.NONE;

    RunningLoad(LoadRecord start) {
        this.start = start;
    }

    LoadRecord start() {
        return start;
    }

    RejectedRows rejected() {
        return rejected;
    }

    LoadProgress progress() {
        return progress;
    }

    /** Never waits: a load must not wait for its listeners. */
    void on(LoadEvent event) {
        if (event instanceof LoadEvent.Rejected row) {
            rejected.add(row);
        } else {
            progress = progress.after(event);
        }
    }
}
