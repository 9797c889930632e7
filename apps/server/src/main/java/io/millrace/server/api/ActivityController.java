// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.Mark;
import io.millrace.bitmap.RetentionTable;
import io.millrace.bitmap.Span;
import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Activities: which ids were active in which span. */
@RestController
@RequestMapping("/activities/{activity}/{event}")
class ActivityController {

    private static final int MAX_MARKS = 10_000;

    private final Activities activities;
    private final Answers answers;

    ActivityController(Activities activities, Answers answers) {
        this.activities = activities;
        this.answers = answers;
    }

    /** A mark: an id and an instant, such as 2026-11-22T13:00:00Z, or a day. */
    record MarkBody(@Nullable Long id, @Nullable String time) {}

    /** The number of marks of a request, and how many of them are new. */
    record MarksView(long marks, long added) {}

    /** The number of ids of a span. */
    record CountView(String span, long count) {}

    /** A row of a table. */
    record CohortView(String span, long size, List<Long> active) {}

    @PostMapping(value = "/marks", consumes = MediaType.APPLICATION_JSON_VALUE)
    @Forms({Forms.JSON, Forms.TEXT})
    ResponseEntity<byte[]> mark(
            @PathVariable String activity,
            @PathVariable String event,
            @RequestBody List<@Nullable MarkBody> marks,
            HttpServletRequest request) {
        if (marks.size() > MAX_MARKS) {
            throw new Refusal(Problem.TOO_LARGE, "There are more than " + MAX_MARKS + " marks.");
        }
        List<Mark> checked = new ArrayList<>(marks.size());
        for (@Nullable MarkBody mark : marks) {
            checked.add(mark(mark == null ? new MarkBody(null, null) : mark, checked.size()));
        }
        Activity found = activities.forMarks(activity);
        long added = refusingIllegal(() -> found.mark(event(event), checked));
        return answers.object(request, new MarksView(checked.size(), added));
    }

    @GetMapping("/counts")
    @Forms({Forms.JSON, Forms.TEXT})
    ResponseEntity<byte[]> counts(
            @PathVariable String activity,
            @PathVariable String event,
            @RequestParam String from,
            @RequestParam String to,
            @RequestParam(required = false) @Nullable String granularity,
            HttpServletRequest request) {
        SpanQuery query = query(activity, from, to, granularity);
        Map<Span, Long> counts = refusingIllegal(() -> query.activity.counts(event(event), query.spans));
        return answers.object(
                request,
                Map.of(
                        "counts",
                        query.spans.stream()
                                .map(span -> new CountView(span.label(), counts.getOrDefault(span, 0L)))
                                .toList()));
    }

    @GetMapping("/retention")
    @Forms({Forms.JSON, Forms.TEXT})
    ResponseEntity<byte[]> retention(
            @PathVariable String activity,
            @PathVariable String event,
            @RequestParam String from,
            @RequestParam String to,
            @RequestParam(required = false) @Nullable String granularity,
            HttpServletRequest request) {
        SpanQuery query = query(activity, from, to, granularity);
        return table(request, refusingIllegal(() -> query.activity.retention(event(event), query.spans)));
    }

    @GetMapping("/cohorts")
    @Forms({Forms.JSON, Forms.TEXT})
    ResponseEntity<byte[]> cohorts(
            @PathVariable String activity,
            @PathVariable String event,
            @RequestParam String from,
            @RequestParam String to,
            @RequestParam(required = false) @Nullable String granularity,
            HttpServletRequest request) {
        SpanQuery query = query(activity, from, to, granularity);
        return table(request, refusingIllegal(() -> query.activity.cohorts(event(event), query.spans)));
    }

    /** An activity that exists, and the spans of a query. */
    private record SpanQuery(Activity activity, List<Span> spans) {}

    private SpanQuery query(String activity, String from, String to, @Nullable String granularity) {
        Activity found = activities.existing(activity);
        return new SpanQuery(found, SpanRange.of(from, to, granularity, found.granularity()));
    }

    private ResponseEntity<byte[]> table(HttpServletRequest request, RetentionTable table) {
        return answers.object(
                request,
                Map.of(
                        "cohorts",
                        table.cohorts().stream()
                                .map(row -> new CohortView(row.span().label(), row.size(), row.active()))
                                .toList()));
    }

    private static String event(String name) {
        return Names.check("event", name);
    }

    private static Mark mark(MarkBody mark, int index) {
        Long id = mark.id();
        String time = mark.time();
        if (id == null || time == null || id < 0) {
            throw new Refusal(Problem.BAD_REQUEST, "The mark [" + index + "] has no id of at least 0, or no time.");
        }
        try {
            return time.length() <= 10 ? Mark.on(id, LocalDate.parse(time)) : Mark.at(id, Instant.parse(time));
        } catch (DateTimeException malformed) {
            throw new Refusal(
                    Problem.BAD_REQUEST,
                    "The time of the mark [" + index + "] is not an instant such as 2026-11-22T13:00:00Z, or a day.");
        }
    }

    /** Runs a query whose arguments the activity checks, such as an id above the largest id of its encoding. */
    private static <T> T refusingIllegal(Supplier<T> query) {
        try {
            return query.get();
        } catch (IllegalArgumentException illegal) {
            throw new Refusal(
                    Problem.BAD_REQUEST, "The event, an id, a time or the granularity does not fit the activity.");
        }
    }
}
