// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.load.LoadOptions.Verification;
import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import io.millrace.server.loads.EventStreams;
import io.millrace.server.loads.EventStreams.Event;
import io.millrace.server.loads.LoadDetails;
import io.millrace.server.loads.LoadLog;
import io.millrace.server.loads.LoadProgress;
import io.millrace.server.loads.LoadRecord;
import io.millrace.server.loads.LoadRequest;
import io.millrace.server.loads.Loads;
import io.millrace.server.loads.Loads.LoadState;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** The loads: start, progress, report, rejected rows, stop. */
@RestController
@RequestMapping("/loads")
class LoadController {

    private static final int USUAL_PAGE = 100;

    private final Loads loads;
    private final EventStreams streams;
    private final Answers answers;

    LoadController(Loads loads, EventStreams streams, Answers answers) {
        this.loads = loads;
        this.streams = streams;
        this.answers = answers;
    }

    /**
     * A load to start.
     *
     * @param verify {@code none}, {@code full}, or a percentage such as {@code 1%}
     */
    record Start(
            @Nullable String job,
            @Nullable Long limit,
            @Nullable Boolean dryRun,
            @Nullable String verify) {}

    /**
     * A load.
     *
     * @param state {@code running}, {@code cut}, or the name of the exit code of the command line, such as {@code ok}
     */
    record LoadView(
            long id,
            String job,
            String state,
            String started,
            @Nullable String ended,
            @Nullable Long limit,
            boolean dryRun,
            @Nullable Double verify,
            @Nullable Integer exit,
            @Nullable String problem,
            @Nullable LoadProgress progress) {

        static LoadView of(LoadState state) {
            LoadRecord load = state.load();
            String outcome = load.outcome();
            return new LoadView(
                    load.id(),
                    load.job(),
                    outcome == null ? "running" : outcome,
                    load.started().toString(),
                    load.ended() == null ? null : load.ended().toString(),
                    load.limit(),
                    load.dryRun(),
                    load.verify(),
                    load.exit(),
                    load.problem(),
                    state.progress());
        }
    }

    /**
     * A page of loads, newest first.
     *
     * @param next the path of the page with the next older loads; null if this page is the last one
     */
    record LoadPage(List<LoadView> loads, @Nullable String next) {

        /** Creates a page of {@code limit} loads. {@code found} has one load more if there is another page. */
        static LoadPage of(List<LoadState> found, int limit) {
            List<LoadView> views = found.stream().limit(limit).map(LoadView::of).toList();
            String next = found.size() <= limit
                    ? null
                    : "/loads?limit=" + limit + "&before=" + views.getLast().id();
            return new LoadPage(views, next);
        }
    }

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @Forms({Forms.JSON, Forms.TEXT})
    ResponseEntity<byte[]> start(@RequestBody Start start, HttpServletRequest request) {
        String job = Names.check("job", ExperimentController.required("job", start.job()));
        LoadRecord load = loads.start(
                job,
                new LoadRequest(
                        limit(start.limit()), Boolean.TRUE.equals(start.dryRun()), verification(start.verify())));
        URI location = URI.create("/loads/" + load.id());
        return answers.object(
                request,
                ResponseEntity.status(HttpStatus.ACCEPTED).location(location),
                LoadView.of(new LoadState(load, null)));
    }

    /** The page is found by the id of a load and not by a number of loads, because new loads would shift the pages. */
    @GetMapping
    @Forms({Forms.JSON, Forms.TEXT})
    ResponseEntity<byte[]> page(
            @RequestParam(required = false) @Nullable String limit,
            @RequestParam(required = false) @Nullable String before,
            HttpServletRequest request) {
        int size = limit == null ? USUAL_PAGE : (int) Names.number("limit", limit, 1, LoadLog.LIMIT);
        long end = before == null ? Long.MAX_VALUE : Names.number("before", before, 1, Long.MAX_VALUE);
        return answers.object(request, LoadPage.of(loads.newestFirst(end, size + 1), size));
    }

    @GetMapping("/{id}")
    @Forms({Forms.JSON, Forms.TEXT})
    ResponseEntity<byte[]> one(@PathVariable String id, HttpServletRequest request) {
        return answers.object(request, LoadView.of(loads.state(id(id))));
    }

    @GetMapping("/{id}/report")
    @Forms({Forms.JSON, Forms.TEXT})
    ResponseEntity<byte[]> report(@PathVariable String id, HttpServletRequest request) {
        LoadRecord load = loads.state(id(id)).load();
        if (!load.hasEnded()) {
            throw new Refusal(Problem.CONFLICT, "The load has not ended, so it has no report.");
        }
        LoadDetails details = loads.details(load.id()).orElse(null);
        JsonNode report = details == null ? null : details.report();
        if (report == null) {
            throw new Refusal(
                    Problem.NOT_FOUND,
                    LoadRecord.CUT.equals(load.outcome())
                            ? "The load was cut, so it has no report."
                            : "The report was not kept. The server keeps more reports with --data.");
        }
        return answers.object(request, report);
    }

    @GetMapping("/{id}/rejects")
    @Forms(Forms.LINES)
    ResponseEntity<byte[]> rejects(@PathVariable String id, HttpServletRequest request) {
        LoadRecord load = loads.state(id(id)).load();
        List<String> lines = loads.details(load.id())
                .map(LoadDetails::rejects)
                .orElseThrow(() -> new Refusal(
                        Problem.NOT_FOUND,
                        "The rejected rows were not kept. The server keeps more of them with --data."));
        String text = lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
        return ResponseEntity.ok().contentType(ChosenForm.of(request)).body(text.getBytes(StandardCharsets.UTF_8));
    }

    @GetMapping("/{id}/events")
    @Forms(Forms.EVENTS)
    void events(@PathVariable String id, HttpServletRequest request, HttpServletResponse response) throws IOException {
        long number = id(id);
        LoadState ignored = loads.state(number); // refuses an unknown load before the stream begins
        streams.stream(request, response, version -> newest(number, version));
    }

    private @Nullable Event newest(long id, long version) {
        LoadState state = loads.state(id);
        LoadProgress progress = state.progress();
        if (progress == null) {
            return Event.of(version + 1, "end", answers.json(LoadView.of(state)), true);
        }
        return progress.version() <= version
                ? null
                : Event.of(progress.version(), "progress", answers.json(LoadView.of(state)), false);
    }

    @DeleteMapping("/{id}")
    ResponseEntity<Void> stop(@PathVariable String id, @RequestParam(required = false) @Nullable String now) {
        if (now != null && !now.isEmpty() && !now.equals("true")) {
            throw new Refusal(Problem.BAD_REQUEST, "The parameter now has no value.");
        }
        loads.stop(id(id), now != null);
        return ResponseEntity.accepted().build();
    }

    private static long id(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException notANumber) {
            throw new Refusal(Problem.NOT_FOUND, "There is no such load.");
        }
    }

    private static OptionalLong limit(@Nullable Long limit) {
        if (limit != null && limit < 1) {
            throw new Refusal(Problem.BAD_REQUEST, "limit is less than 1.");
        }
        return limit == null ? OptionalLong.empty() : OptionalLong.of(limit);
    }

    private static Optional<Verification> verification(@Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        return switch (text) {
            case "none" -> Optional.of(Verification.NONE);
            case "full" -> Optional.of(Verification.FULL);
            default -> Optional.of(new Verification(percent(text) / 100));
        };
    }

    private static double percent(String text) {
        if (text.matches("\\d{1,3}(\\.\\d{1,6})?%")) {
            double percent = Double.parseDouble(text.substring(0, text.length() - 1));
            if (percent <= 100) {
                return percent;
            }
        }
        throw new Refusal(Problem.BAD_REQUEST, "verify is not none, full, or a percentage such as 1%.");
    }
}
