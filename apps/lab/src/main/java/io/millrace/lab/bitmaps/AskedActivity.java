// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.ActivityOptions;
import io.millrace.client.RedisClient;
import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;

/** A question that Millrace's {@code Activity} is asked. */
record AskedActivity(Question question) implements WarmContender {

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String variant() {
        return "month-" + question.word();
    }

    @Override
    public String jvm() {
        return name();
    }

    @Override
    public String note() {
        return "Activity with default options, of ids from 0 on, as many as there are operations: " + question.text();
    }

    @Override
    public Rounds open(Task task) {
        var client =
                RedisClient.connect(MillraceConnections.builder(task.endpoint()).build());
        try {
            var active = Activity.of(client, Month.NAME, ActivityOptions.DEFAULT);
            return new Asking(question, new Month(task.operations()), () -> question.ask(active), client);
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }
}
