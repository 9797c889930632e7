// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.bitmap.BitSource;
import io.millrace.bitmap.BitmapException;
import io.millrace.bitmap.Population;
import io.millrace.bitmap.PopulationOptions;
import io.millrace.bitmap.Populations;
import io.millrace.client.RedisClient;
import io.millrace.client.exception.RedisException;
import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
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
import org.springframework.web.util.UriComponentsBuilder;

/** Experiments: random populations of bits, made in this process and stored as one Redis string each. */
@RestController
@RequestMapping("/experiments")
class ExperimentController {

    private static final System.Logger LOGGER = System.getLogger("io.millrace.server");

    private static final long MAX_BITS = 1_000_000_000;

    /** Each experiment that is being created uses all processors. */
    private static final int MAX_CREATIONS = 2;

    private final Populations populations;
    private final Answers answers;

    /** Permits of the experiments that are being created. */
    private final Semaphore creations = new Semaphore(MAX_CREATIONS);

    /** Keys of the experiments that are being created or deleted. Two callers must not store one name at the same time. */
    private final Set<String> changing = ConcurrentHashMap.newKeySet();

    ExperimentController(RedisClient client, Answers answers) {
        this.populations = Populations.of(client, PopulationOptions.DEFAULT);
        this.answers = answers;
    }

    /**
     * An experiment to create.
     *
     * @param populationNumber number of bits
     * @param maxRandom the bit is true with the probability lessThan / maxRandom
     * @param seed the same seed gives the same bits; random if absent
     */
    record Creation(
            @Nullable String key,
            @Nullable Long populationNumber,
            @Nullable Long maxRandom,
            @Nullable Long lessThan,
            @Nullable Long seed) {}

    /** An experiment. */
    record ExperimentView(String key, long count, long bits, long bytes) {}

    /** The count of a part of an experiment. */
    record PartView(String key, long from, long to, long count) {}

    /** A bit. */
    record BitView(String key, long index, boolean bit) {}

    @PostMapping(value = "/create", consumes = MediaType.APPLICATION_JSON_VALUE)
    @Forms({Forms.TEXT, Forms.JSON})
    ResponseEntity<byte[]> create(@RequestBody Creation creation, HttpServletRequest request) {
        String key = name(required("key", creation.key()));
        long bits = range("populationNumber", creation.populationNumber(), 1, MAX_BITS);
        long maxRandom = range("maxRandom", creation.maxRandom(), 1, Long.MAX_VALUE);
        long lessThan = range("lessThan", creation.lessThan(), 0, maxRandom);
        Long seed = creation.seed();
        BitSource source = BitSource.random(
                (double) lessThan / maxRandom,
                seed == null ? ThreadLocalRandom.current().nextLong() : seed);
        if (!creations.tryAcquire()) {
            throw new Refusal(Problem.TOO_MANY, MAX_CREATIONS + " experiments are being created.", 1);
        }
        try {
            return create(key, bits, source, request);
        } finally {
            creations.release();
        }
    }

    private ResponseEntity<byte[]> create(String key, long bits, BitSource source, HttpServletRequest request) {
        begin(key);
        try {
            boolean existed = populations.find(key).isPresent();
            Population stored = store(key, bits, source, existed);
            ResponseEntity.BodyBuilder answer =
                    existed ? ResponseEntity.ok() : ResponseEntity.status(HttpStatus.CREATED);
            return answers.value(request, answer.location(location(key)), key, view(stored, stored.ones()));
        } finally {
            changing.remove(key);
        }
    }

    /** A former experiment of the key is deleted first. A client whose request fails must know that. */
    private Population store(String key, long bits, BitSource source, boolean existed) {
        try {
            return populations.store(key, bits, source);
        } catch (BitmapException | RedisException failed) {
            LOGGER.log(System.Logger.Level.WARNING, "an experiment was not stored", failed);
            String reason = failed instanceof RedisException redis
                    ? ProblemAdvice.refusal(redis).detail()
                    : "Redis did not store all bits.";
            throw new Refusal(
                    Problem.REDIS_AWAY,
                    existed ? reason + " The former experiment of this key may be deleted." : reason,
                    ProblemAdvice.RETRY_SECONDS);
        }
    }

    @GetMapping("/{key}")
    @Forms({Forms.TEXT, Forms.JSON})
    ResponseEntity<byte[]> count(
            @PathVariable String key,
            @RequestParam(required = false) @Nullable String from,
            @RequestParam(required = false) @Nullable String to,
            HttpServletRequest request) {
        Population found = find(key);
        if (from == null && to == null) {
            long count = found.count();
            return answers.value(request, ResponseEntity.ok(), Long.toString(count), view(found, count));
        }
        long end = to == null ? found.bits() : Names.number("to", to, 0, found.bits());
        long begin = from == null ? 0 : Names.number("from", from, 0, end);
        long count = found.count(begin, end);
        return answers.value(request, ResponseEntity.ok(), Long.toString(count), new PartView(key, begin, end, count));
    }

    @GetMapping("/{key}/bits/{index}")
    @Forms({Forms.TEXT, Forms.JSON})
    ResponseEntity<byte[]> bit(@PathVariable String key, @PathVariable String index, HttpServletRequest request) {
        Population found = find(key);
        long at = Names.number("index", index, 0, found.bits() - 1);
        boolean bit = found.contains(at);
        return answers.value(request, ResponseEntity.ok(), Boolean.toString(bit), new BitView(key, at, bit));
    }

    @DeleteMapping("/{key}")
    ResponseEntity<Void> delete(@PathVariable String key) {
        begin(name(key));
        try {
            if (!populations.delete(key)) {
                throw unknown();
            }
            return ResponseEntity.noContent().build();
        } finally {
            changing.remove(key);
        }
    }

    private void begin(String key) {
        if (!changing.add(key)) {
            throw new Refusal(Problem.CONFLICT, "The experiment is being created or deleted by another request.");
        }
    }

    private Population find(String key) {
        return populations.find(name(key)).orElseThrow(ExperimentController::unknown);
    }

    private static Refusal unknown() {
        return new Refusal(Problem.NOT_FOUND, "There is no such experiment.");
    }

    private static String name(String key) {
        try {
            return Populations.checkName(Names.checkSegment("key", key));
        } catch (IllegalArgumentException unusable) {
            throw new Refusal(Problem.BAD_REQUEST, "key is not a name of an experiment.");
        }
    }

    private static ExperimentView view(Population population, long count) {
        return new ExperimentView(population.name(), count, population.bits(), population.memoryBytes());
    }

    private static URI location(String key) {
        return UriComponentsBuilder.fromPath("/experiments/{key}")
                .encode()
                .buildAndExpand(key)
                .toUri();
    }

    static <T> T required(String member, @Nullable T value) {
        if (value == null) {
            throw new Refusal(Problem.BAD_REQUEST, "The member " + member + " is missing.");
        }
        return value;
    }

    private static long range(String member, @Nullable Long value, long min, long max) {
        long number = required(member, value);
        if (number < min || number > max) {
            throw new Refusal(Problem.BAD_REQUEST, member + " is not from " + min + " to " + max + ".");
        }
        return number;
    }
}
